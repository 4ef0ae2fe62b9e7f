import {stateCode} from '../../../model/thread-state.js';
import {formatCount, formatMs} from '../../../query/columns/format.js';
import {shortName} from '../../../query/columns/names.js';
import {stateCells} from '../../../query/columns/state-cells.js';
import type {
	DetailThread, Holder, HolderPlace, Neighbour, Place, StackRow,
} from '../../../query/types.js';
import type {ViewRow, WholeFrame} from '../../../views/view.js';
import type {DetailData, IdleReason} from '../../state/screen-data.js';
import type {Theme} from '../../terminal/theme.js';
import {cut, pad, wrapped} from '../cells.js';
import type {DetailLine, RowLink} from './detail-line.js';
import {sourceLines} from './source-lines.js';

/** How much of each list a detail shows: the screen is scrolled, and the rest is in a saved snapshot. */
export type DetailBounds = {readonly threads: number; readonly moreThreads: number; readonly source: number; readonly stacks: number; readonly frames: number; readonly wholeFrames: number; readonly neighbours: number; readonly holders: number};

/** On a screen of its own, and in the pane below the table. */
export const wholeDetail: DetailBounds = {
	threads: 5, moreThreads: 20, source: 5, stacks: 5, frames: 40, wholeFrames: 5000, neighbours: 10, holders: 10,
};
export const paneDetail: DetailBounds = {
	threads: 4, moreThreads: 0, source: 0, stacks: 1, frames: 6, wholeFrames: 12, neighbours: 4, holders: 3,
};

type Looks = {readonly width: number; readonly isFull: boolean; readonly theme: Theme; readonly bounds: DetailBounds};

/**
What is known of a row, as lines: who holds it up, its source, its threads by state, callers and callees, its stacks.
*/
export function detailLines(data: DetailData, looks: Looks): DetailLine[] {
	const {width, theme} = looks;
	if (!data.row) {
		return plain([theme.paint('title', cut('This row is no longer in the window.', width)), 'Esc goes back to the table.']);
	}

	return [...plain(titleLines(data, data.row, looks)), ...sections(data, looks)].map(line => ({...line, text: line.text.trimEnd()}));
}

function plain(lines: readonly string[]): DetailLine[] {
	return lines.map(text => ({text}));
}

function titleLines({view, tracer}: DetailData, row: ViewRow, {width, theme}: Looks): string[] {
	return view.titleLines(row, width, tracer).flatMap(({text, role, isWrapped}) => {
		const lines = isWrapped ? wrapped(text, width) : [cut(text, width)];
		return role ? lines.map(line => theme.paint(role, line)) : lines;
	});
}

function sections(data: DetailData, looks: Looks): DetailLine[] {
	const {detail} = data;
	const {bounds, theme, width} = looks;
	const source = bounds.source > 0 ? data.source() : undefined;
	const section = (title: string, lines: readonly DetailLine[]): DetailLine[] => lines.length === 0 ? [] : [...plain(['', theme.paint('heading', cut(title, width))]), ...lines];
	const neighbours = (rows: readonly Neighbour[]) => rows.slice(0, bounds.neighbours).map(row => linked(neighbourLine(row, looks), data.linkTo.place(row)));
	const threads = detail.threads.slice(0, bounds.threads + bounds.moreThreads).map(thread => linked(threadLine(thread, looks), data.linkTo.thread(thread.key)));
	const more = detail.threads.length - threads.length;
	const stacks = (from: number, to: number) => plain(detail.stacks.slice(from, to).flatMap((stack, index) => stackLines(stack, index, looks, data.idleReason)));
	const rest = more > 0 ? plain([`  ... and ${more} more`]) : [];
	const hasMore = bounds.moreThreads > 0;
	return [
		...(detail.wholeStacks ?? []).flatMap(({title, frames}) => section(title, plain(frameLines(frames, bounds.wholeFrames, looks)))),
		...section('BLOCKED BY (ticks, who, where)', detail.holders.slice(0, bounds.holders).flatMap(holder => holderLines(holder, data, looks))),
		...(source ? section(`SOURCE ${source.text.name} (CPU ms and ticks with calls)`, plain(sourceLines(source, bounds.source, looks))) : []),
		...(data.trend ? section('LAST 60s', plain([`    ${theme.paint('key', data.trend(Math.min(60, width - 4)))}`])) : []),
		...section('HOT LINES (CPU ms, ticks)', (detail.lines ?? []).slice(0, bounds.neighbours).map(row => linked(figureLine(row.selfCpuNs, row.selfTicks, row, looks), data.linkTo.place(row)))),
		...section('THREADS (CPU ms, ticks, states)', [...threads.slice(0, bounds.threads), ...(hasMore ? [] : rest)]),
		...section('TOP STACKS', stacks(0, 1)),
		...section('CALLERS (CPU ms, ticks)', neighbours(detail.callers)),
		...section('CALLEES (CPU ms, ticks)', neighbours(detail.callees)),
		...section('MORE STACKS', stacks(1, bounds.stacks)),
		...(hasMore ? section('MORE THREADS', threads.length > bounds.threads ? [...threads.slice(bounds.threads), ...rest] : []) : []),
	];
}

function linked(text: string, link: RowLink | undefined): DetailLine {
	return link ? {text, link} : {text};
}

function threadLine(thread: DetailThread, {width, theme}: Looks): string {
	const states = stateCells(thread.states, 8);
	const line = `${figures(thread.cpuNs, thread.ticks)}${theme.paintStates(states)}${' '.repeat(9 - states.length)}`;
	const blocked = thread.states[stateCode.BLOCKED];
	return line + cut(`${thread.name}${blocked > 0 ? ` (blocked in ${formatCount(blocked)})` : ''}`, Math.max(0, width - 26));
}

/** Where an owner was seen with the lock, at most; the rest is a few ticks. */
const maxOwnerPlaces = 3;

function holderLines({ownerName, ownerKey, className, ticks, took, now}: Holder, {linkTo}: Pick<DetailData, 'linkTo'>, {width, theme, isFull}: Looks): DetailLine[] {
	const text = `${pad(formatCount(ticks), 7, 'right')}  ${ownerName ?? 'unknown holder'}${className === '' ? '' : ` holds ${className}`}`;
	const lines = (title: string, places: readonly HolderPlace[]) => places.slice(0, maxOwnerPlaces).map(at => {
		const share = places.length > 1 ? ` (${formatCount(at.ticks)})` : '';
		return cut(`           ${title} ${shortName(at.place, Math.max(12, width - 30), isFull)}${share}`, width);
	});
	const link = ownerKey === undefined ? undefined : linkTo.thread(ownerKey);
	return [{text: theme.paint('blocked', cut(text, width)), ...(link ? {link, isHolder: true} : {})}, ...plain([...lines('took it at', took), ...lines('is now at', now)])];
}

function neighbourLine(row: Neighbour, looks: Looks): string {
	return figureLine(row.cpuNs, row.ticks, row, looks);
}

function figureLine(cpuNs: number, ticks: number, place: Place, {width, isFull}: Looks): string {
	const room = Math.max(0, width - 17);
	return cut(figures(cpuNs, ticks) + shortName(place, room, isFull), width);
}

function figures(cpuNs: number, ticks: number): string {
	return `${pad(formatMs(cpuNs), 8, 'right')} ${pad(formatCount(ticks), 6, 'right')}  `;
}

function stackLines({ticks, cpuNs, state, threadCount, frames}: StackRow, index: number, looks: Looks, idleReason?: IdleReason): string[] {
	const {width, bounds} = looks;
	const reason = state === 'IDLE' && frames.length > 0 ? idleReason?.(frames[0].className, frames[0].method) : undefined;
	return [
		...(index === 0 ? [] : ['']),
		cut(`  ${formatMs(cpuNs)} ms, ${formatCount(ticks)} ticks ${state}, ${threadCount} ${threadCount === 1 ? 'thread' : 'threads'}${reason ? `; ${reason}` : ''}`, width),
		...frameLines(frames, bounds.frames, looks),
	];
}

function frameLines(frames: readonly WholeFrame[], most: number, {width, isFull}: Looks): string[] {
	const more = frames.length - most;
	return [
		...frames.slice(0, most).map(place => {
			const {before = '', behind = ''} = place;
			return cut(`    ${before}${shortName(place, Math.max(8, width - 4 - before.length - behind.length), isFull)}${behind}`, width);
		}),
		...(more > 0 ? [`    ... ${more} more`] : []),
	];
}
