import type {Ring} from '../../query/past/ring.js';
import {cellOf} from '../../query/past/steps.js';
import {timeCells, type TimeCell} from '../../query/past/time-line.js';
import {formatCount} from '../../query/columns/format.js';
import type {Theme} from '../terminal/theme.js';
import {clock} from './clock.js';
import type {Layout} from './layout.js';

/** The cell of the past that is looked at, and when its last sample was. */
export type LookedAt = {readonly cellMs: number; readonly spanMs: number; readonly toMs: number};

type Figure = {
	readonly title: string;
	/** What fills a cell of the screen at least: less is not drawn as if it were much. */
	readonly leastFull: number;
	readonly of: (cell: TimeCell) => number;
	readonly text: (value: number) => string;
};

const figures: readonly Figure[] = [
	{
		title: 'CPU', leastFull: 25, of: ({cpuPercent}) => cpuPercent, text: value => `${Math.round(value)}%`,
	},
	{
		title: 'BLK', leastFull: 1, of: ({blocked}) => blocked, text: value => value < 10 ? String(Number(value.toFixed(1))) : formatCount(value),
	},
];

/** Cells of the screen before the line: its title and the value of the cell looked at. */
const leadWidth = 11;
/** And behind it: the highest value of the line. */
const tailWidth = 10;

/**
The line of each figure, a character for each step, with its value at the cell looked at before it and its highest value
behind it; and below them the times. With room for less the first figures stand there.
*/
export function timeLine(ring: Ring, {cellMs, spanMs, toMs}: LookedAt, {width, timeLines}: Layout, theme: Theme): string[] {
	const count = Math.max(1, width - leadWidth - tailWidth);
	const newestMs = cellOf(ring.windows.at(-1)?.atMs ?? cellMs, spanMs);
	// The line ends now, or, where that is too far from what is looked at, so that this stands in its middle.
	const isNear = (newestMs - cellMs) / spanMs < count;
	const lastMs = isNear ? newestMs : cellMs + (Math.floor(count / 2) * spanMs);
	const cells = timeCells(ring, lastMs, spanMs, count);
	const at = count - 1 - Math.round((lastMs - cellMs) / spanMs);
	return [
		...figures.slice(0, timeLines - 1).map(figure => figureLine(figure, cells, at, theme)),
		axis({
			at, count, firstMs: lastMs - (spanMs * count), toMs, end: isNear ? 'now' : clock(lastMs),
		}, theme),
	];
}

function figureLine({title, leastFull, of, text}: Figure, cells: ReadonlyArray<TimeCell | undefined>, at: number, theme: Theme): string {
	const values = cells.map(cell => cell && of(cell));
	const highest = Math.max(0, ...values.filter(value => value !== undefined));
	const full = Math.max(highest, leastFull);
	const characters = values.map(value => levelOf(value, full, theme.levels));
	const value = values[at];
	const lead = `${title} ${(value === undefined ? '-' : text(value)).padStart(leadWidth - title.length - 2)} `;
	const [before, after] = [characters.slice(0, at).join(''), characters.slice(at + 1).join('')];
	return theme.paint('title', lead) + theme.paint('key', before) + theme.paint('selected', characters[at] ?? '') + theme.paint('key', after) + theme.paint('dim', ` max ${text(highest)}`);
}

/** Nothing for a time without samples; the lowest level for one in which nothing was used. */
function levelOf(value: number | undefined, full: number, levels: string): string {
	const characters = [...levels];
	return value === undefined ? characters[0] : characters[Math.max(1, Math.min(characters.length - 1, Math.ceil(value / full * (characters.length - 1))))];
}

/** The time at both ends, and a mark with the time below the cell looked at. */
function axis({at, count, firstMs, toMs, end}: {readonly at: number; readonly count: number; readonly firstMs: number; readonly toMs: number; readonly end: string}, theme: Theme): string {
	const begin = clock(firstMs);
	const time = clock(toMs, true);
	// The time stands on the side where there is room for it.
	const isLeft = at + 1 + time.length > count;
	const [mark, from] = isLeft ? [`${time}^`, at - time.length] : [`^${time}`, at];
	const line = Array.from({length: count + end.length + 1}, () => ' ');
	const put = (text: string, where: number) => {
		for (const [index, character] of [...text].entries()) {
			line[where + index] = character;
		}
	};

	put(begin, 0);
	put(end, count + 1);
	if (from <= begin.length) {
		put(' '.repeat(begin.length), 0);
	}

	put(mark, Math.max(0, from));
	return ' '.repeat(leadWidth) + theme.paint('dim', line.slice(0, Math.max(0, from)).join('')) + theme.paint('sorted', mark) + theme.paint('dim', line.slice(Math.max(0, from) + mark.length).join('').trimEnd());
}
