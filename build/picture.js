// npm run picture: draws the live view of the demo, as a terminal shows it, into docs/screen-dark.svg and
// docs/screen-light.svg. Needs a built program and a JVM.
import {writeFile} from 'node:fs/promises';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {spawn} from '@lydell/node-pty';
import xterm from '@xterm/headless';

const [columns, rows] = [100, 26];
const [cellWidth, cellHeight, margin] = [8.4, 18, 12];
/** The demo's programs have their usual shares by then. */
const watchedMs = 40_000;

/** Sixteen colours, as common terminals have them. */
const themes = {
	dark: {
		background: '#1e1e1e', foreground: '#d4d4d4', palette: ['#1e1e1e', '#f14c4c', '#23d18b', '#f5f543', '#3b8eea', '#d670d6', '#29b8db', '#d4d4d4', '#808080', '#f14c4c', '#23d18b', '#f5f543', '#3b8eea', '#d670d6', '#29b8db', '#ffffff'],
	},
	light: {
		background: '#ffffff', foreground: '#333333', palette: ['#333333', '#cd3131', '#107c10', '#949800', '#0451a5', '#bc05bc', '#0598bc', '#555555', '#767676', '#cd3131', '#14a314', '#b5ba00', '#0451a5', '#bc05bc', '#0598bc', '#a5a5a5'],
	},
};

/** The cells of the screen after a while, each with its character and attributes. */
async function demoCells() {
	const terminal = new xterm.Terminal({cols: columns, rows, allowProposedApi: true});
	const {CI, NO_COLOR, ...env} = process.env;
	const pty = spawn(process.execPath, ['dist/cli.js', 'demo'], {cols: columns, rows, name: 'xterm-256color', env: {...env, TERM: 'xterm-256color'}});
	pty.onData(data => {
		terminal.write(data);
	});
	await sleep(watchedMs);
	const {active} = terminal.buffer;
	const cells = Array.from({length: rows}, (_, row) => Array.from({length: columns}, (__, column) => {
		const cell = active.getLine(active.viewportY + row)?.getCell(column);
		return {
			text: cell?.getChars() || ' ', color: cell?.isFgPalette() ? cell.getFgColor() : -1,
			isBold: Boolean(cell?.isBold()), isDim: Boolean(cell?.isDim()), isInverse: Boolean(cell?.isInverse()),
		};
	}));
	const ended = new Promise(resolve => {
		pty.onExit(resolve);
	});
	pty.write('\u0003');
	await ended;
	return cells;
}

const escaped = text => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Cells of a row that look alike and follow one another. */
function runsOf(row) {
	const runs = [];
	for (const [column, {text, ...look}] of row.entries()) {
		const last = runs.at(-1);
		if (last && Object.keys(look).every(key => last.look[key] === look[key])) {
			last.text += text;
		} else {
			runs.push({column, text, look});
		}
	}

	return runs.filter(({text, look}) => text.trim() !== '' || look.isInverse);
}

function svgOf(cells, {background, foreground, palette}) {
	const [width, height] = [(columns * cellWidth) + (2 * margin), (rows * cellHeight) + (2 * margin)];
	const x = column => (margin + (column * cellWidth)).toFixed(1);
	const marks = cells.flatMap((row, index) => runsOf(row).flatMap(({column, text, look}) => {
		const y = margin + (index * cellHeight);
		const color = look.color < 0 ? foreground : palette[look.color] ?? foreground;
		const attributes = `fill="${look.isInverse ? background : color}"${look.isBold ? ' font-weight="bold"' : ''}${look.isDim ? ' opacity="0.65"' : ''}`;
		// A word at a time: viewers run spaces together.
		return [
			...(look.isInverse ? [`<rect x="${x(column)}" y="${y}" width="${(text.length * cellWidth).toFixed(1)}" height="${cellHeight}" fill="${color}"/>`] : []),
			...[...text.matchAll(/\S+/g)].map(({index: at, 0: word}) => `<text x="${x(column + at)}" y="${y + 13}" textLength="${(word.length * cellWidth).toFixed(1)}" ${attributes}>${escaped(word)}</text>`),
		];
	}));
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">
<title>tprof-top on its demo</title>
<rect width="100%" height="100%" rx="8" fill="${background}"/>
${marks.join('\n')}
</svg>
`;
}

const cells = await demoCells();
await Promise.all(Object.entries(themes).map(async ([name, theme]) => writeFile(`docs/screen-${name}.svg`, svgOf(cells, theme))));
