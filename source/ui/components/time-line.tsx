import {safe, type Printable} from '../../util/printable.js';
import {clock, formatCount, sparkline} from '../../query/columns/format.js';
import type {Ring} from '../../query/past/past-ring.js';
import {intervalEnd, meansOfIntervals, type IntervalMeans} from '../../query/past/steps.js';
import {pastWindowEndMs} from '../state/time.js';
import {sourceKindOf, type ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';
import type {Layout} from '../text/screen-layout.js';
import type {Spans} from '../text/spans.js';
import {Lines} from './text.js';

type TimeLineProps = {readonly ui: UiState; readonly data: ScreenData; readonly layout: Layout};

/** CPU use and blocked threads over time, the shown window marked. In a live session only while the past is shown. */
export function TimeLine({ui, data, layout}: TimeLineProps) {
	const {ring, past} = data;
	const endMs = pastWindowEndMs(ui);
	const {width, timeLines} = layout;
	if (timeLines === 0) {
		return null;
	}

	if (sourceKindOf(data) === 'recording') {
		return <Lines lines={wholeTimeLine(ring, past?.toMs, layout)} width={width} height={timeLines}/>;
	}

	if (endMs === undefined || !past) {
		return null;
	}

	const lines = timeLine(ring, {endMs, spanMs: ui.spanMs, toMs: past.toMs}, layout);
	return <Lines lines={lines} width={width} height={timeLines}/>;
}

/** Seconds for each character of the time line of a recording: the least with which all of it fits. */
const characterSeconds = [1, 2, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 1800, 3600];

/** Returns the time line of a whole recording, with a mark at `shownMs` (the end of the shown window) or its end. */
function wholeTimeLine(ring: Ring, shownMs: number | undefined, layout: Layout): Spans[] {
	const [firstMs, newestMs] = [ring.windows[0].atMs - ring.windows[0].sampledMs, ring.windows.at(-1)!.atMs];
	const leastSeconds = (newestMs - firstMs) / 1000 / Math.max(1, layout.width - leadWidth - tailWidth - 1);
	const spanMs = 1000
		* (characterSeconds.find(seconds => seconds >= leastSeconds) ?? (3600 * Math.ceil(leastSeconds / 3600)));
	const toMs = shownMs ?? newestMs;
	return timeLine(ring, {endMs: intervalEnd(toMs, spanMs), spanMs, toMs}, layout, clock(newestMs));
}

/** The end and length of the marked window, aligned to the clock, and the time of its last sample. */
type MarkedWindow = {readonly endMs: number; readonly spanMs: number; readonly toMs: number};

type Figure = {
	readonly title: Printable;
	/** Lowest value drawn as a full block, so that small values do not look large. */
	readonly leastFull: number;
	readonly valueIn: (means: IntervalMeans) => number;
	readonly format: (value: number) => Printable;
};

const figures: readonly Figure[] = [
	{title: safe`CPU`, leastFull: 25, valueIn: ({cpuPercent}) => cpuPercent, format: value => safe`${Math.round(value)}%`},
	{
		title: safe`BLK`,
		leastFull: 1,
		valueIn: ({blocked}) => blocked,
		format: value => value < 10 ? safe`${Number(value.toFixed(1))}` : formatCount(value),
	},
];

/** Cells before a figure's line, for its title and value in the marked window, and after it, for its highest value. */
const leadWidth = 11;
const tailWidth = 10;

/**
Returns a line for each figure, as many as fit, and the axis with the times below them; `newest`: the axis' last time.
*/
function timeLine(
	ring: Ring,
	{endMs, spanMs, toMs}: MarkedWindow,
	{width, timeLines}: Layout,
	newest = safe`now`,
): Spans[] {
	const count = Math.max(1, width - leadWidth - tailWidth);
	const newestMs = intervalEnd(ring.windows.at(-1)?.atMs ?? endMs, spanMs);
	// The line ends now or, if the marked window is too far back for that, has that window in its middle.
	const isNear = (newestMs - endMs) / spanMs < count;
	const lastMs = isNear ? newestMs : endMs + (Math.floor(count / 2) * spanMs);
	const means = meansOfIntervals(ring, lastMs, spanMs, count);
	const at = count - 1 - Math.round((lastMs - endMs) / spanMs);
	return [
		...figures.slice(0, timeLines - 1).map(figure => figureLine(figure, means, at)),
		axis({at, count, firstMs: lastMs - (spanMs * count), toMs, end: isNear ? newest : clock(lastMs)}),
	];
}

function figureLine(
	{title, leastFull, valueIn, format}: Figure,
	means: ReadonlyArray<IntervalMeans | undefined>,
	at: number,
): Spans {
	const values = means.map(mean => mean && valueIn(mean));
	const highest = Math.max(0, ...values.filter(value => value !== undefined));
	const full = Math.max(highest, leastFull);
	// A blank for a time without samples, and at least the lowest visible level otherwise.
	const line = sparkline(values.map(value => value === undefined ? 0 : Math.max(Number.MIN_VALUE, value / full)));
	const value = values[at];
	const lead = safe`${title} ${(value === undefined ? safe`-` : format(value)).padStart(leadWidth - title.length - 2)} `;
	return [
		{text: lead, role: 'title'},
		{text: line.slice(0, at), role: 'key'},
		{text: line.slice(at, at + 1), role: 'selected'},
		{text: line.slice(at + 1), role: 'key'},
		{text: safe` max ${format(highest)}`, role: 'dim'},
	];
}

/** Returns the line with the times of both ends, and `^` with the time below the marked window. */
function axis({at, count, firstMs, toMs, end}: {
	readonly at: number;
	readonly count: number;
	readonly firstMs: number;
	readonly toMs: number;
	readonly end: Printable;
}): Spans {
	const begin = clock(firstMs);
	const time = clock(toMs, true);
	// The time goes to the right of the mark if it fits there, else to the left.
	const isLeft = at + 1 + time.length > count;
	const mark = isLeft ? safe`${time}^` : safe`^${time}`;
	const before = Math.max(0, isLeft ? at - time.length : at);
	return [
		{text: safe` `.repeat(leadWidth)},
		{text: (before > begin.length ? begin : safe``).padEnd(before), role: 'dim'},
		{text: mark, role: 'sorted'},
		{text: safe`${safe` `.repeat(Math.max(0, count + 1 - before - mark.length))}${end}`, role: 'dim'},
	];
}
