import {formatCount, clock} from '../../query/columns/format.js';
import type {Ring} from '../../query/past/ring.js';
import {cellOf, timeCells, type TimeCell} from '../../query/past/steps.js';
import {pastCell} from '../state/time.js';
import {keySourceOf, type ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import type {Layout} from '../text/layout.js';
import {sparkline, type Spans} from '../text/spans.js';
import {Lines, useTheme} from './text.js';

/** CPU use and blocked threads over time, the shown window marked. In a live session only while the past is shown. */
export function TimeLine({ui, data, layout}: {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout}) {
	const {levels} = useTheme();
	const cellMs = pastCell(ui);
	if (layout.timeLines > 0 && keySourceOf(data) === 'recording') {
		return <Lines lines={wholeLine(data.ring, data.past?.toMs, layout, levels)} width={layout.width} height={layout.timeLines}/>;
	}

	return layout.timeLines > 0 && cellMs !== undefined && data.past
		? <Lines lines={timeLine(data.ring, {cellMs, spanMs: ui.spanMs, toMs: data.past.toMs}, layout, levels)} width={layout.width} height={layout.timeLines}/>
		: null;
}

/** Lengths of a character of the time line of a recording, seconds: the first that has all of it on the line. */
const characterS = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600];

/** All of a recording; the end of the window that is shown, or of the recording, is marked. */
function wholeLine(ring: Ring, shownMs: number | undefined, layout: Layout, levels: string): Spans[] {
	const [firstMs, newestMs] = [ring.windows[0].atMs - ring.windows[0].sampledMs, ring.windows.at(-1)!.atMs];
	const roomS = (newestMs - firstMs) / 1000 / Math.max(1, layout.width - leadWidth - tailWidth - 1);
	const spanMs = 1000 * (characterS.find(seconds => seconds >= roomS) ?? (3600 * Math.ceil(roomS / 3600)));
	const toMs = shownMs ?? newestMs;
	return timeLine(ring, {cellMs: cellOf(toMs, spanMs), spanMs, toMs}, layout, levels, clock(newestMs));
}

/** The end and length of the window of the past on the screen, and the time of its last sample. */
type Shown = {readonly cellMs: number; readonly spanMs: number; readonly toMs: number};

type Figure = {
	readonly title: string;
	/** Lowest value drawn as a full block, so that small values do not look large. */
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

/** Cells before a figure's line, for its title and value in the window shown, and after it, for its highest value. */
const leadWidth = 11;
const tailWidth = 10;

/** Returns a line for each figure, as many as fit, and the axis with the times below them. */
function timeLine(ring: Ring, {cellMs, spanMs, toMs}: Shown, {width, timeLines}: Layout, levels: string, now = 'now'): Spans[] {
	const count = Math.max(1, width - leadWidth - tailWidth);
	const newestMs = cellOf(ring.windows.at(-1)?.atMs ?? cellMs, spanMs);
	// The line ends now or, if the window shown is too far back for that, has that window in its middle.
	const isNear = (newestMs - cellMs) / spanMs < count;
	const lastMs = isNear ? newestMs : cellMs + (Math.floor(count / 2) * spanMs);
	const cells = timeCells(ring, lastMs, spanMs, count);
	const at = count - 1 - Math.round((lastMs - cellMs) / spanMs);
	return [
		...figures.slice(0, timeLines - 1).map(figure => figureLine(figure, cells, at, levels)),
		axis({at, count, firstMs: lastMs - (spanMs * count), toMs, end: isNear ? now : clock(lastMs)}),
	];
}

function figureLine({title, leastFull, of, text}: Figure, cells: ReadonlyArray<TimeCell | undefined>, at: number, levels: string): Spans {
	const values = cells.map(cell => cell && of(cell));
	const highest = Math.max(0, ...values.filter(value => value !== undefined));
	const full = Math.max(highest, leastFull);
	// A blank for a time without samples, and at least the lowest visible level otherwise.
	const line = sparkline(values.map(value => value === undefined ? 0 : Math.max(Number.MIN_VALUE, value / full)), levels);
	const value = values[at];
	const lead = `${title} ${(value === undefined ? '-' : text(value)).padStart(leadWidth - title.length - 2)} `;
	return [{text: lead, role: 'title'}, {text: line.slice(0, at), role: 'key'}, {text: line.slice(at, at + 1), role: 'selected'}, {text: line.slice(at + 1), role: 'key'}, {text: ` max ${text(highest)}`, role: 'dim'}];
}

/** Returns the line with the times of both ends, and `^` with the time below the window shown. */
function axis({at, count, firstMs, toMs, end}: {readonly at: number; readonly count: number; readonly firstMs: number; readonly toMs: number; readonly end: string}): Spans {
	const begin = clock(firstMs);
	const time = clock(toMs, true);
	// The time goes to the right of the mark if it fits there, else to the left.
	const isLeft = at + 1 + time.length > count;
	const mark = isLeft ? `${time}^` : `^${time}`;
	const before = Math.max(0, isLeft ? at - time.length : at);
	return [
		{text: ' '.repeat(leadWidth)}, {text: (before > begin.length ? begin : '').padEnd(before), role: 'dim'}, {text: mark, role: 'sorted'}, {text: ' '.repeat(Math.max(0, count + 1 - before - mark.length)) + end, role: 'dim'},
	];
}
