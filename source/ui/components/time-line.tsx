import {formatCount} from '../../query/columns/format.js';
import type {Ring} from '../../query/past/ring.js';
import {cellOf, timeCells, type TimeCell} from '../../query/past/steps.js';
import {pastCell} from '../state/time.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import {clock} from '../text/clock.js';
import type {Layout} from '../text/layout.js';
import type {Spans} from '../text/spans.js';
import {Lines, useTheme} from './text.js';

/** CPU and blocked threads over time and the window that is shown; only while the past is shown. */
export function TimeLine({ui, data, layout}: {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout}) {
	const {levels} = useTheme();
	const cellMs = pastCell(ui);
	return layout.timeLines > 0 && cellMs !== undefined && data.past
		? <Lines lines={timeLine(data.ring, {cellMs, spanMs: ui.spanMs, toMs: data.past.toMs}, layout, levels)} width={layout.width} height={layout.timeLines}/>
		: null;
}

/** The window of the past that is shown, and the time of its last sample. */
type Shown = {readonly cellMs: number; readonly spanMs: number; readonly toMs: number};

type Figure = {
	readonly title: string;
	/** Smallest value drawn as a full character, so that little does not look like much. */
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

/** Screen cells before the line, for its title and the value of the window that is shown, and behind it, for its highest value. */
const leadWidth = 11;
const tailWidth = 10;

/** The line of each figure, as many as there is room for, and the times below them. */
function timeLine(ring: Ring, {cellMs, spanMs, toMs}: Shown, {width, timeLines}: Layout, levels: string): Spans[] {
	const count = Math.max(1, width - leadWidth - tailWidth);
	const newestMs = cellOf(ring.windows.at(-1)?.atMs ?? cellMs, spanMs);
	// The line ends now, or, where that is too far from what is looked at, so that this stands in its middle.
	const isNear = (newestMs - cellMs) / spanMs < count;
	const lastMs = isNear ? newestMs : cellMs + (Math.floor(count / 2) * spanMs);
	const cells = timeCells(ring, lastMs, spanMs, count);
	const at = count - 1 - Math.round((lastMs - cellMs) / spanMs);
	return [
		...figures.slice(0, timeLines - 1).map(figure => figureLine(figure, cells, at, levels)),
		axis({
			at, count, firstMs: lastMs - (spanMs * count), toMs, end: isNear ? 'now' : clock(lastMs),
		}),
	];
}

function figureLine({title, leastFull, of, text}: Figure, cells: ReadonlyArray<TimeCell | undefined>, at: number, levels: string): Spans {
	const values = cells.map(cell => cell && of(cell));
	const highest = Math.max(0, ...values.filter(value => value !== undefined));
	const full = Math.max(highest, leastFull);
	const characters = values.map(value => levelOf(value, full, levels));
	const value = values[at];
	const lead = `${title} ${(value === undefined ? '-' : text(value)).padStart(leadWidth - title.length - 2)} `;
	const [before, after] = [characters.slice(0, at).join(''), characters.slice(at + 1).join('')];
	return [{text: lead, role: 'title'}, {text: before, role: 'key'}, {text: characters[at] ?? '', role: 'selected'}, {text: after, role: 'key'}, {text: ` max ${text(highest)}`, role: 'dim'}];
}

/** Nothing for a time without samples; the lowest level for one in which nothing was used. */
function levelOf(value: number | undefined, full: number, levels: string): string {
	const characters = [...levels];
	return value === undefined ? characters[0] : characters[Math.max(1, Math.min(characters.length - 1, Math.ceil(value / full * (characters.length - 1))))];
}

/** The time at both ends, and a mark with the time below the cell looked at. */
function axis({at, count, firstMs, toMs, end}: {readonly at: number; readonly count: number; readonly firstMs: number; readonly toMs: number; readonly end: string}): Spans {
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
	const before = Math.max(0, from);
	return [
		{text: ' '.repeat(leadWidth)}, {text: line.slice(0, before).join(''), role: 'dim'}, {text: mark, role: 'sorted'}, {text: line.slice(before + mark.length).join('').trimEnd(), role: 'dim'},
	];
}
