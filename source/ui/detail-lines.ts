import {unknownStack} from '../model/frame.js';
import {stateCode} from '../model/thread-state.js';
import {formatCount, formatDuration, formatMs} from '../query/format.js';
import {shortName} from '../query/names.js';
import {stateCells} from '../query/state-cells.js';
import {lockText} from '../query/thread-columns.js';
import type {
	Holder, HolderPlace, LineDetail, Neighbour, Place, StackRow,
} from '../query/types.js';
import {cut, pad, wrapped} from './cells.js';
import type {DetailData, IdleReason} from './screen-data.js';
import type {Theme} from './theme.js';

/** How much of each list a detail shows: the screen is scrolled, and the rest is in a saved snapshot. */
export type DetailBounds = {readonly threads: number; readonly stacks: number; readonly frames: number; readonly neighbours: number; readonly holders: number};

/** On a screen of its own, and in the pane below the table. */
export const wholeDetail: DetailBounds = {
	threads: 20, stacks: 5, frames: 40, neighbours: 10, holders: 10,
};
export const paneDetail: DetailBounds = {
	threads: 4, stacks: 1, frames: 6, neighbours: 4, holders: 3,
};

type Looks = {readonly width: number; readonly isFull: boolean; readonly theme: Theme; readonly bounds: DetailBounds};

/** What is known of a row, as lines: who holds it up, its threads by state, callers and callees, its stacks. */
export function detailLines(data: DetailData, looks: Looks): string[] {
	const {width, theme} = looks;
	if (!data.row) {
		return [theme.paint('title', cut('This row is no longer in the window.', width)), 'Esc goes back to the table.'];
	}

	return [...titleLines(data, looks), ...sections(data, looks)].map(line => line.trimEnd());
}

function titleLines(data: DetailData, {width, theme}: Looks): string[] {
	if (data.view === 'lines') {
		const row = data.row!;
		const stuck = row.stuckMs > 0 ? `${row.blockedNow === 1 ? ' for ' : ', longest for '}${row.stuckAtLeast ? '>= ' : ''}${formatDuration(row.stuckMs)}` : '';
		const figures = `${row.selfPercent.toFixed(1)}% +/- ${row.errorPercent.toFixed(1)} self, ${row.totalPercent.toFixed(1)}% total, ${formatMs(row.selfCpuNs)} ms CPU, ${formatCount(row.selfTicks)} ticks`;
		const isUnknown = row.className === unknownStack.className && row.method === unknownStack.method;
		return [
			theme.paint('title', shortName(row, width, true)),
			cut(`${row.file === '' ? '' : `${row.file}  `}${figures}`, width),
			...(isUnknown && data.tracer ? [theme.paint('error', cut(`not stopped to be read: ${data.tracer} traces threads of this JVM`, width))] : []),
			...(row.blockedNow > 0 ? [theme.paint('error', cut(`${row.blockedNow} ${row.blockedNow === 1 ? 'thread' : 'threads'} blocked here now${stuck}`, width))] : []),
		];
	}

	const row = data.row!;
	const now = row.now ? ` at ${shortName(row.now, Math.max(20, width - 30), false)}` : '';
	const lines = [
		...wrapped(row.name, width).map(line => theme.paint('title', line)),
		cut(`${row.cpuPercent.toFixed(1)}% CPU, ${formatMs(row.cpuNs)} ms, ${formatCount(row.ticks)} ticks${row.nativeId > 0 ? `, tid ${row.nativeId}` : ''}`, width),
		cut(`${row.state ?? (row.alive ? `${row.threadKeys.length} threads in several states` : 'ended')}${now}${row.stuckMs >= 1000 ? ` for ${row.stuckAtLeast ? '>= ' : ''}${formatDuration(row.stuckMs)}` : ''}`, width),
	];
	return row.waitsFor ? [...lines, ...wrapped(`waits for ${lockText(row.waitsFor, Math.max(20, width - 10))}`, width).map(line => theme.paint('error', line))] : lines;
}

function sections(data: DetailData, looks: Looks): string[] {
	const {detail} = data;
	const {bounds, theme, width} = looks;
	const section = (title: string, lines: readonly string[]) => lines.length === 0 ? [] : ['', theme.paint('heading', cut(title, width)), ...lines];
	const hot = data.view === 'threads' ? data.detail.lines.slice(0, bounds.neighbours).map(row => figureLine(row.selfCpuNs, row.selfTicks, row, looks)) : [];
	return [
		...section('BLOCKED BY (ticks, who, where)', detail.holders.slice(0, bounds.holders).flatMap(holder => holderLines(holder, looks))),
		...section('HOT LINES (CPU ms, ticks)', hot),
		...section('THREADS (CPU ms, ticks, states)', data.view === 'threads' && detail.threads.length < 2 ? [] : threadLines(detail, looks)),
		...section('CALLERS (CPU ms, ticks)', detail.callers.slice(0, bounds.neighbours).map(row => neighbourLine(row, looks))),
		...section('CALLEES (CPU ms, ticks)', detail.callees.slice(0, bounds.neighbours).map(row => neighbourLine(row, looks))),
		...section('TOP STACKS', detail.stacks.slice(0, bounds.stacks).flatMap((stack, index) => stackLines(stack, index, looks, data.idleReason))),
	];
}

function threadLines(detail: LineDetail, {width, theme, bounds}: Looks): string[] {
	const shown = detail.threads.slice(0, bounds.threads).map(thread => {
		const states = stateCells(thread.states, 8);
		const line = `${figures(thread.cpuNs, thread.ticks)}${theme.paintStates(states)}${' '.repeat(9 - states.length)}`;
		const blocked = thread.states[stateCode.BLOCKED];
		return line + cut(`${thread.name}${blocked > 0 ? ` (blocked in ${formatCount(blocked)})` : ''}`, Math.max(0, width - 26));
	});
	const more = detail.threads.length - shown.length;
	return more > 0 ? [...shown, `  ... and ${more} more`] : shown;
}

/** Where an owner was seen with the lock, at most; the rest is a few ticks. */
const maxOwnerPlaces = 3;

function holderLines({ownerName, className, ticks, took, now}: Holder, {width, theme, isFull}: Looks): string[] {
	const text = `${pad(formatCount(ticks), 7, 'right')}  ${ownerName ?? 'unknown holder'}${className === '' ? '' : ` holds ${className}`}`;
	const lines = (title: string, places: readonly HolderPlace[]) => places.slice(0, maxOwnerPlaces).map(at => {
		const share = places.length > 1 ? ` (${formatCount(at.ticks)})` : '';
		return cut(`           ${title} ${shortName(at.place, Math.max(12, width - 30), isFull)}${share}`, width);
	});
	return [theme.paint('blocked', cut(text, width)), ...lines('took it at', took), ...lines('is now at', now)];
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

function stackLines({ticks, cpuNs, state, threadCount, frames}: StackRow, index: number, {width, isFull, bounds}: Looks, idleReason?: IdleReason): string[] {
	const places = frames.slice(0, bounds.frames);
	const more = frames.length - places.length;
	const reason = state === 'IDLE' && frames.length > 0 ? idleReason?.(frames[0].className, frames[0].method) : undefined;
	return [
		...(index === 0 ? [] : ['']),
		cut(`  ${formatMs(cpuNs)} ms, ${formatCount(ticks)} ticks ${state}, ${threadCount} ${threadCount === 1 ? 'thread' : 'threads'}${reason ? `; ${reason}` : ''}`, width),
		...places.map(place => cut(`    ${shortName(place, Math.max(8, width - 4), isFull)}`, width)),
		...(more > 0 ? [`    ... ${more} more`] : []),
	];
}
