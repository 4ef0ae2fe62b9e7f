import {safe, type Printable} from '../../util/printable.js';
import {cellWidth} from '../../util/cell-width.js';
import {stateCode} from '../../model/thread-state.js';
import {amountText, amountsIn} from '../../query/columns/event-columns.js';
import {formatCount, formatMs, formatStuck, plural, sparkline} from '../../query/columns/format.js';
import type {Trend} from '../../query/past/steps.js';
import {waitText, type WaitGroup} from '../../query/locks/wait-of.js';
import {shortName} from '../../query/columns/names.js';
import {stateCells} from '../../query/columns/state-cells.js';
import {isOfEvents, type Location, type Unit} from '../../query/types/query.js';
import type {AnnotatedFrame} from '../../views/common/view.js';
import {
	type DetailData,
	type DetailLink,
	type RowLink,
	type LocationSource,
	selectedLink,
} from '../state/screen-data.js';
import {elideEnd, pad, wrappedSpans, type Span, type Spans} from '../text/spans.js';
import type {DetailThread, Neighbour, Holder, HolderLocation} from '../../query/detail.js';
import type {StackRow} from '../../query/stack-rows.js';

/** Most entries of each list in a detail; a saved snapshot has all. `source`: lines before, and after, the row's. */
type Bounds = {
	readonly threads: number;
	readonly moreThreads: number;
	readonly source: number;
	readonly stacks: number;
	readonly frames: number;
	readonly framesOfFullStacks: number;
	readonly neighbours: number;
	readonly holders: number;
};

const pageBounds: Bounds = {
	threads: 5,
	moreThreads: 20,
	source: 5,
	stacks: 5,
	frames: 40,
	framesOfFullStacks: 5000,
	neighbours: 10,
	holders: 10,
};
const paneBounds: Bounds = {
	threads: 4, moreThreads: 0, source: 0, stacks: 1, frames: 6, framesOfFullStacks: 12, neighbours: 4, holders: 3,
};

/** How the lines of a detail are formatted. */
type LineFormat = {readonly width: number; readonly fullNames: boolean};

/** Some lines of a detail, formatted only when needed; `link`: the row that Enter on the first of them opens. */
type Part = {readonly link?: DetailLink; lines(format: LineFormat): readonly Spans[]};

/** Returns the links of a detail on a page of its own, from top to bottom. */
export function linksOf(detail: DetailData | undefined): readonly DetailLink[] {
	return partsOf(detail, pageBounds).flatMap(({link}) => link ?? []);
}

/** Returns all lines of a detail on a page of its own, with the cursor at a link, and the index of that link's line. */
export function detailLines(
	detail: DetailData | undefined,
	linkIndex: number | undefined,
	format: LineFormat,
): {readonly lines: readonly Spans[]; readonly linkLine?: number} {
	const parts = partsOf(detail, pageBounds);
	const selected = selectedLink(parts.flatMap(({link}) => link ?? []), linkIndex);
	const lines: Spans[] = [];
	let linkLine: number | undefined;
	for (const part of parts) {
		const [first, ...others] = part.lines(format);
		const isSelected = selected !== undefined && part.link === selected;
		linkLine = isSelected ? lines.length : linkLine;
		lines.push(...(first ? [isSelected ? withCursor(first) : first] : []), ...others);
	}

	return {lines, linkLine};
}

/** Returns the lines of a detail in the pane below the table, with fewer entries of each list than on a page. */
export function detailPaneLines(detail: DetailData, format: LineFormat): readonly Spans[] {
	return partsOf(detail, paneBounds).flatMap(part => part.lines(format));
}

function withCursor([{text, ...first}, ...others]: Spans): Spans {
	return [{...first, text: text.replace(/^ /, safe`>`)}, ...others];
}

/** Returns the parts of a row's detail: who blocks it, its source, threads by state, callers and callees, stacks. */
// eslint-disable-next-line complexity, max-lines-per-function -- The list of the parts, each with its condition.
function partsOf(data: DetailData | undefined, bounds: Bounds): readonly Part[] {
	if (!data) {
		return [textPart(safe`Nothing sampled yet.`)];
	}

	const {row, view, unit, tracer, lineNote, detail, linkTo, idleReason, trend} = data;
	if (!row) {
		return [textPart(safe`This row is no longer in the window.`, 'title'), textPart(safe`Esc goes back to the table.`)];
	}

	const isAtLine = (view.locationOf(row)?.line ?? 0) > 0;
	const source = bounds.source > 0 ? data.source() : undefined;
	const locationPart = (location: Location, cpuNs: number, ticks: number) =>
		part(format => [locationLine(figures(unit, cpuNs, ticks), location, format)], linkTo.location(location));
	const neighbours = (rows: readonly Neighbour[]) =>
		rows.slice(0, bounds.neighbours).map(neighbour => locationPart(neighbour, neighbour.cpuNs, neighbour.ticks));
	const threads = detail.threads.slice(0, bounds.threads + bounds.moreThreads).map(thread =>
		part(format => [threadLine(thread, unit, format)], linkTo.thread(thread.key)));
	const omittedThreads = detail.threads.length - threads.length;
	const omission = omittedThreads > 0 ? [textPart(safe`  ... and ${omittedThreads} more`)] : [];
	const [topStack, ...moreStacks] = detail.stacks.slice(0, bounds.stacks).map(stack => (format: LineFormat) =>
		stackLines(stack, bounds.frames, format, {unit, idleReason}));
	const counted = isOfEvents(unit) ? amountsIn(unit).heading : safe`CPU ms, ticks`;
	return [
		part(({width}) =>
			view.titleLines(row, width, tracer).flatMap(line => line ? titleSpans(line.text, width, line.role) : [])),
		...(isAtLine && lineNote !== undefined ? [part(({width}) => wrappedSpans(lineNote, width, 'dim'))] : []),
		...(detail.fullStacks ?? []).flatMap(({title, frames}) =>
			section(
				title,
				frames.length === 0 ? [] : [part(format => frameLines(frames, bounds.framesOfFullStacks, format))],
			)),
		...section(
			safe`BLOCKED BY (ticks, who, where)`,
			detail.holders.slice(0, bounds.holders).map(holder => holderPart(holder, linkTo)),
		),
		...section(
			safe`WAITS NOW (threads, longest, what for)`,
			detail.waits.slice(0, bounds.holders).map(group => textPart(waitLine(group))),
		),
		...(source
			? section(safe`SOURCE ${source.text.name} (${counted} with calls)`, [
				part(({width}) => sourceLines(source, unit, bounds.source, width)),
			])
			: []),
		...(trend ? section(safe`LAST 60s`, [part(({width}) => [trendSpans(trend, width)])]) : []),
		...section(
			safe`HOT LINES (${counted})`,
			(detail.lines ?? []).slice(0, bounds.neighbours).map(line =>
				locationPart(line, line.selfCpuNs, line.selfTicks)),
		),
		...section(isOfEvents(unit) ? safe`THREADS (${counted})` : safe`THREADS (${counted}, states)`, [
			...threads.slice(0, bounds.threads),
			...(bounds.moreThreads > 0 ? [] : omission),
		]),
		...section(safe`TOP STACKS`, topStack ? [part(topStack)] : []),
		...section(safe`CALLERS (${counted})`, neighbours(detail.callers)),
		...section(safe`CALLEES (${counted})`, neighbours(detail.callees)),
		...section(
			safe`MORE STACKS`,
			moreStacks.map((lines, index) => part(format => [...(index === 0 ? [] : [[]]), ...lines(format)])),
		),
		...(bounds.moreThreads > 0 && threads.length > bounds.threads
			? section(safe`MORE THREADS`, [...threads.slice(bounds.threads), ...omission])
			: []),
	];
}

function trendSpans(trend: Trend, width: number): Spans {
	return [{text: safe`    `}, {text: sparkline(trend.slice(-Math.min(60, width - 4))), role: 'key'}];
}

function part(lines: Part['lines'], link?: RowLink): Part {
	return {lines, link: link && {...link, isHolder: false}};
}

function textPart(text: Printable, role?: Span['role']): Part {
	return part(({width}) => [[{text: elideEnd(text, width), role}]]);
}

function section(title: Printable, parts: readonly Part[]): readonly Part[] {
	return parts.length === 0 ? [] : [part(() => [[]]), textPart(title, 'heading'), ...parts];
}

/** Wraps a line that is too long; unlike `wrapped`, keeps the blanks at the start of a line that fits. */
function titleSpans(text: Printable, width: number, role: Span['role']): readonly Spans[] {
	return cellWidth(text) <= width ? [[{text, role}]] : wrappedSpans(text, width, role);
}

/** Width of `figures`, and of a thread's states with the blank after them. */
const figuresCells = 17;
const statesCells = 9;

function figures(unit: Unit, amount: number, ticks: number): Printable {
	return safe`${pad(amountsIn(unit).format.text(amount), 8, 'right')} ${pad(ticksIn(unit, ticks), 6, 'right')}  `;
}

/** Events have no ticks. */
function ticksIn(unit: Unit, ticks: number): Printable {
	return isOfEvents(unit) ? safe`` : formatCount(ticks);
}

function threadLine(thread: DetailThread, unit: Unit, {width}: LineFormat): Spans {
	const states = stateCells(thread.states);
	const blocked = thread.states[stateCode.BLOCKED];
	const name = elideEnd(
		safe`${thread.name}${blocked > 0 ? safe` (blocked in ${formatCount(blocked)})` : ''}`,
		Math.max(0, width - figuresCells - statesCells),
	);
	return [{text: figures(unit, thread.cpuNs, thread.ticks)}, {text: states, role: 'states'}, {
		text: safe`${safe` `.repeat(statesCells - states.length)}${name}`,
	}];
}

const maxOwnerLocations = 3;

function holderPart({ownerName, ownerKey, className, ticks, took, now}: Holder, linkTo: DetailData['linkTo']): Part {
	const title = safe`${pad(formatCount(ticks), 7, 'right')}  ${ownerName ?? 'unknown holder'}${
		className === '' ? '' : safe` holds ${className}`
	}`;
	const locationLines = (what: Printable, locations: readonly HolderLocation[], {width, fullNames}: LineFormat) =>
		locations.slice(0, maxOwnerLocations).map(({location, ticks: count}): Spans => {
			const share = locations.length > 1 ? safe` (${formatCount(count)})` : safe``;
			return [{
				text: elideEnd(
					safe`           ${what} ${shortName(location, Math.max(12, width - 30), fullNames)}${share}`,
					width,
				),
			}];
		});
	const link = ownerKey === undefined ? undefined : linkTo.thread(ownerKey);
	return {
		link: link && {...link, isHolder: true},
		lines:
			format => [
				[{text: elideEnd(title, format.width), role: 'blocked'}],
				...locationLines(safe`took it at`, took, format),
				...locationLines(safe`is now at`, now, format),
			],
	};
}

function waitLine({count, longestMs, longestAtLeast, ...wait}: WaitGroup): Printable {
	const longest = longestMs > 0 ? formatStuck({stuckMs: longestMs, stuckAtLeast: longestAtLeast}) : safe``;
	return safe`${pad(formatCount(count), 7, 'right')} ${pad(longest, 7, 'right')}  ${waitText(wait)}`;
}

function locationLine(figures: Printable, location: Location, {width, fullNames}: LineFormat): Spans {
	return [{
		text: elideEnd(
			safe`${figures}${shortName(location, Math.max(0, width - figuresCells), fullNames)}`,
			width,
		),
	}];
}

function stackLines(
	{ticks, cpuNs, state, threadCount, frames}: StackRow,
	maxFrames: number,
	format: LineFormat,
	{unit, idleReason}: Pick<DetailData, 'unit' | 'idleReason'>,
): Spans[] {
	const reason = state === 'IDLE' && frames.length > 0
		? idleReason?.(frames[0].className, frames[0].method)
		: undefined;
	const amount = isOfEvents(unit)
		? amountText(unit, cpuNs)
		: safe`${formatMs(cpuNs)} ms, ${formatCount(ticks)} ticks ${state}`;
	const title = safe`  ${amount}, ${plural(threadCount, safe`thread`)}${
		reason ? safe`; ${reason}` : ''
	}`;
	return [[{text: elideEnd(title, format.width)}], ...frameLines(frames, maxFrames, format)];
}

function frameLines(frames: readonly AnnotatedFrame[], maxFrames: number, {width, fullNames}: LineFormat): Spans[] {
	const omitted = frames.length - maxFrames;
	return [
		...frames.slice(0, maxFrames).map((location): Spans => {
			const {before = safe``, behind = safe``} = location;
			return [{
				text: elideEnd(
					safe`    ${before}${shortName(location, Math.max(8, width - 4 - before.length - behind.length), fullNames)}${
						behind
					}`,
					width,
				),
			}];
		}),
		...(omitted > 0 ? [[{text: safe`    ... ${omitted} more`}]] : []),
	];
}

/** Returns the lines around a location, each after what was counted there, or why the source is not shown. */
function sourceLines(
	{text, line, figures: figuresOfLine}: LocationSource,
	unit: Unit,
	around: number,
	width: number,
): Spans[] {
	const mismatch = text.mismatch === undefined ? undefined : safe`${text.found} is not what runs: ${text.mismatch}`;
	const problem = text.note ?? mismatch;
	if (problem !== undefined) {
		return [[{text: elideEnd(safe`  ${problem}`, width), role: 'dim'}]];
	}

	const first = Math.max(1, line - around);
	const last = Math.min(text.lines.length, line + around);
	const digits = String(last).length;
	return Array.from({length: Math.max(0, last - first + 1)}, (_, index): Spans => {
		const number = first + index;
		const {cpuNs = 0, ticks = 0} = figuresOfLine.get(number) ?? {};
		const lineFigures = safe`${pad(cpuNs > 0 ? amountsIn(unit).format.text(cpuNs) : safe``, 8, 'right')} ${
			pad(ticks > 0 ? formatCount(ticks) : safe``, 6, 'right')
		} `;
		const gutter = safe`${lineFigures}${number === line ? '>' : ' '}${pad(safe`${number}`, digits, 'right')} `;
		const role: Span['role'] = number === line ? 'title' : (cpuNs > 0 || ticks > 0 ? undefined : 'dim');
		const code = elideEnd(text.lines[number - 1], Math.max(0, width - cellWidth(gutter)));
		return [{text: safe`${gutter}${code}`, role}];
	});
}
