import xterm from '@xterm/headless';
import {codeKind} from '../source/query/counters/own-code.js';
import {nameInBox} from '../source/ui/components/icicle.js';
import type {FlameRow} from '../source/views/flame/flame.js';

const [cellWidth, cellHeight, margin] = [8.4, 18, 12];
const monospace = 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace';

/** Sixteen colours, as common terminals have them. */
export const themes = {
	dark: {
		background: '#1e1e1e',
		foreground: '#d4d4d4',
		palette: [
			'#1e1e1e',
			'#f14c4c',
			'#23d18b',
			'#f5f543',
			'#3b8eea',
			'#d670d6',
			'#29b8db',
			'#d4d4d4',
			'#808080',
			'#f14c4c',
			'#23d18b',
			'#f5f543',
			'#3b8eea',
			'#d670d6',
			'#29b8db',
			'#ffffff',
		],
	},
	light: {
		background: '#ffffff',
		foreground: '#333333',
		palette: [
			'#333333',
			'#cd3131',
			'#107c10',
			'#949800',
			'#0451a5',
			'#bc05bc',
			'#0598bc',
			'#555555',
			'#767676',
			'#cd3131',
			'#14a314',
			'#b5ba00',
			'#0451a5',
			'#bc05bc',
			'#0598bc',
			'#a5a5a5',
		],
	},
};

/** `color`, `box`: indexes in the palette of 256 colours; -1: the foreground, and no background. */
type Look = {
	readonly color: number;
	readonly box: number;
	readonly isBold: boolean;
	readonly isDim: boolean;
	readonly isInverse: boolean;
};

/** Returns one of xterm's 256 colours: a theme's sixteen, a cube of six levels a primary, then greys. */
function colorOf(index: number, sixteen: readonly string[]): string {
	if (index < 16) {
		return sixteen[index];
	}

	const level = (value: number) => value === 0 ? 0 : 55 + (40 * value);
	const inCube = index - 16;
	const parts = index < 232
		? [Math.floor(inCube / 36), Math.floor(inCube / 6) % 6, inCube % 6].map(value => level(value))
		: [0, 0, 0].fill(8 + (10 * (index - 232)));
	return `#${parts.map(part => part.toString(16).padStart(2, '0')).join('')}`;
}

/** Cells of a line that look alike and follow one another. */
type Run = {readonly column: number; text: string; readonly look: Look};

/** Returns an SVG of a terminal that shows these lines, which have escape sequences. */
export async function screenPicture(
	lines: readonly string[],
	columns: number,
	theme: typeof themes.dark,
): Promise<string> {
	return terminalPicture(lines.length, columns, theme, await shapesOf(lines, columns, theme));
}

/** A screen, as lines with escape sequences, and the key that led to it, if any. */
export type Frame = {readonly lines: readonly string[]; readonly key?: string};

/** How long each frame of an animation is shown. */
const frameSeconds = 2.5;

/** Returns an SVG of a terminal that shows one screen after the other, over and over, with the key pressed last. */
export async function animatedPicture(
	frames: readonly Frame[],
	columns: number,
	theme: typeof themes.dark,
): Promise<string> {
	const rows = Math.max(...frames.map(({lines}) => lines.length));
	const seconds = frames.length * frameSeconds;
	const shapes = await Promise.all(frames.map(async ({lines, key}, index) => [
		`<g style="animation-delay:${(index * frameSeconds) - seconds}s">`,
		...await shapesOf(lines, columns, theme),
		...(key === undefined ? [] : keyShapes(key, columns, rows, theme)),
		'</g>',
	]));
	return terminalPicture(rows, columns, theme, [
		`<style>g{visibility:hidden;animation:shown ${seconds}s step-end infinite}`
		+ `@keyframes shown{0%{visibility:visible}${(100 / frames.length).toFixed(3)}%{visibility:hidden}}</style>`,
		...shapes.flat(),
	]);
}

/** A key as a label at the bottom right. */
function keyShapes(key: string, columns: number, rows: number, {background, palette}: typeof themes.dark): string[] {
	const [width, height] = [(key.length + 2) * cellWidth, cellHeight + 8];
	const [x, y] = [(columns * cellWidth) + margin - width, (rows * cellHeight) + margin - height];
	const text = `x="${(x + cellWidth).toFixed(1)}" y="${y + 17}" fill="${background}" font-weight="bold"`;
	return [
		`<rect x="${x.toFixed(1)}" y="${y}" width="${width.toFixed(1)}" height="${height}" rx="4" fill="${palette[3]}"/>`,
		`<text ${text}>${escaped(key)}</text>`,
	];
}

function terminalPicture(
	rows: number,
	columns: number,
	{background}: typeof themes.dark,
	shapes: readonly string[],
): string {
	return svg(
		(columns * cellWidth) + (2 * margin),
		(rows * cellHeight) + (2 * margin),
		`font-family="${monospace}" font-size="14"`,
		[`<rect width="100%" height="100%" rx="8" fill="${background}"/>`, ...shapes],
	);
}

/** Returns the shapes of lines that have escape sequences. */
async function shapesOf(
	lines: readonly string[],
	columns: number,
	{background, foreground, palette}: typeof themes.dark,
): Promise<string[]> {
	const x = (column: number) => (margin + (column * cellWidth)).toFixed(1);
	const width = (text: string) => (text.length * cellWidth).toFixed(1);
	const shapesOfRun = ({column, text, look: {color, box: boxColor, isBold, isDim, isInverse}}: Run, y: number) => {
		const ink = color < 0 ? foreground : colorOf(color, palette);
		const opacity = isDim ? ' opacity="0.65"' : '';
		const fill = isInverse ? ink : (boxColor < 0 ? undefined : colorOf(boxColor, palette));
		const box = fill === undefined
			? []
			: [`<rect x="${x(column)}" y="${y}" width="${width(text)}" height="${cellHeight}" fill="${fill}"${opacity}/>`];
		const style = `fill="${isInverse ? background : ink}"${isBold ? ' font-weight="bold"' : ''}${isInverse ? '' : opacity}`;
		// A word at a time: viewers run spaces together.
		const words = [...text.matchAll(/\S+/g)].map(({index, 0: word}) =>
			`<text x="${x(column + index)}" y="${y + 13}" textLength="${width(word)}" ${style}>${escaped(word)}</text>`);
		return [...box, ...words];
	};

	const rows = await rowsOf(lines, columns);
	return rows.flatMap((runs, row) => runs.flatMap(run => shapesOfRun(run, margin + (row * cellHeight))));
}

async function rowsOf(lines: readonly string[], columns: number): Promise<Run[][]> {
	const terminal = new xterm.Terminal({cols: columns, rows: lines.length, allowProposedApi: true});
	await new Promise<void>(resolve => {
		terminal.write(lines.join('\r\n'), resolve);
	});
	return lines.map((_, row) => {
		const runs: Run[] = [];
		for (let column = 0; column < columns; column++) {
			const cell = terminal.buffer.active.getLine(row)!.getCell(column)!;
			const text = cell.getChars() || ' ';
			const look = {
				color: cell.isFgPalette() ? cell.getFgColor() : -1,
				box: cell.isBgPalette() ? cell.getBgColor() : -1,
				isBold: cell.isBold() !== 0,
				isDim: cell.isDim() !== 0,
				isInverse: cell.isInverse() !== 0,
			};
			const last = runs.at(-1);
			if (last && JSON.stringify(last.look) === JSON.stringify(look)) {
				last.text += text;
			} else {
				runs.push({column, text, look});
			}
		}

		return runs.filter(({text, look}) => text.trim() !== '' || look.isInverse || look.box >= 0);
	});
}

/** Fills of boxes by kind of code, like those of exported flame graphs. */
const fills = {own: 'hsl(38 90% 60%)', library: 'hsl(125 32% 68%)', other: 'hsl(0 0% 74%)'};
const [graphWidth, boxHeight, characterWidth] = [860, 22, 7.3];

/** Returns an SVG of a flame graph; its boxes have the same colours on every background. */
export function flameGraphPicture(rows: readonly FlameRow[]): string {
	const depth = Math.max(...rows.map(row => row.depth)) + 1;
	return svg(
		graphWidth,
		depth * boxHeight,
		`font-family="${monospace}" font-size="12"`,
		rows.flatMap(row => {
			const [x, y, width] = [row.start * graphWidth, row.depth * boxHeight, row.part * graphWidth];
			const room = Math.floor((width - 6) / characterWidth);
			const box = `<rect x="${x.toFixed(1)}" y="${y}" width="${Math.max(0.5, width - 1).toFixed(1)}" height="${boxHeight - 1}" rx="2" fill="${fills[codeKind(row, undefined)]}"/>`;
			return room < 3
				? [box]
				: [box, `<text x="${(x + 4).toFixed(1)}" y="${y + 15}">${escaped(nameInBox(row, room))}</text>`];
		}),
	);
}

function svg(width: number, height: number, font: string, shapes: readonly string[]): string {
	return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width.toFixed(0)} ${height}" ${font}>\n<title>tprof-top on its demo</title>\n${shapes.join('\n')}\n</svg>\n`;
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
