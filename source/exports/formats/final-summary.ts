import {cellWidth, cut} from '../../model/cell-width.js';
import type {Snapshot} from '../../model/snapshot.js';
import {defaultQuery} from '../../query/defaults.js';
import {formatMs, formatPercent} from '../../query/columns/format.js';
import {circleText} from '../../query/locks/deadlock-text.js';
import {deadlocksOf} from '../../query/locks/deadlocks.js';
import {queryLines} from '../../query/lines.js';
import {leastCells, leastCutCells, shortName} from '../../query/columns/names.js';
import type {LineRow, Place} from '../../query/types.js';
import {
	queryHeldUp, queryWaits, type HeldUpRow, type WaitRow,
} from '../../query/locks/waits.js';
import {costLine, targetLine, timeLine} from './session-lines.js';
import {wrapAt} from './text-table.js';

const maxCostLines = 2;
const maxLines = 10;
const maxDeadlocks = 2;
const maxHot = 5;
/** Places where threads were held up, beside hot lines. */
const maxHeldUp = 2;
const ownerWidth = 20;

/** In a run that used less than this part of a core's time, hot lines are not what matters. */
const leastCpu = 0.001;

/**
What stays on the terminal after the live view has ended: deadlocks; target, time and cost; then what mattered in the
run: the hottest lines, and the places where locks held threads up, with who held them; if there is neither, the places
where threads waited. At most ten lines of at most `width` terminal cells; everything since the session's start.
*/
export function renderFinalSummary(snapshot: Snapshot, width = 80): string[] {
	const deadlocks = deadlocksOf(snapshot).slice(0, maxDeadlocks).map(deadlock => `DEADLOCK: ${circleText(deadlock)}`);
	const head = [...deadlocks, targetLine(snapshot), timeLine(snapshot, undefined), ...wrapAt(' | ', costLine(snapshot, undefined), width).slice(0, maxCostLines)];
	const {rows, wholeCpuNs} = queryLines(snapshot, undefined, defaultQuery);
	const hot = rows.filter(row => row.selfCpuNs > 0);
	const isHot = wholeCpuNs > leastCpu * snapshot.session.sampledMs * 1e6;
	const room = maxLines - head.length - (isHot ? 0 : 1);
	const heldUp = queryHeldUp(snapshot, isHot ? maxHeldUp : room);
	const waits = isHot || heldUp.length > 0 ? [] : queryWaits(snapshot, room);
	return [
		...head,
		...(isHot ? hot.slice(0, Math.min(maxHot, room - heldUp.length)).map(row => hotLine(row, width)) : [hardlyHot(hot, wholeCpuNs, width)]),
		...heldUp.map(row => heldUpLine(row, width)),
		...waits.map(row => waitLine(row, width)),
	].map(line => cut(line, width));
}

function hotLine(row: LineRow, width: number): string {
	return `${formatPercent(row.selfPercent).padStart(5)}% ${formatMs(row.selfCpuNs).padStart(8)} ms  ${shortName(row, Math.max(width - 19, 1), true)}`;
}

function hardlyHot([first]: readonly LineRow[], wholeCpuNs: number, width: number): string {
	if (!first) {
		return 'no line of Java code used CPU time';
	}

	const text = `almost no CPU time: ${formatMs(wholeCpuNs)} ms, most at `;
	return text + shortName(first, Math.max(width - text.length, 1), true);
}

function waitLine(row: WaitRow, width: number): string {
	const head = `waited ${timesAt(row)}`;
	return head + shortName(row.place, Math.max(width - head.length, 1), true);
}

/** `40x at ` or, of several threads, `400x (10 threads) at `. */
function timesAt({ticks, threadCount}: WaitRow): string {
	return `${ticks}x${threadCount > 1 ? ` (${threadCount} threads)` : ''} at `;
}

function heldUpLine(row: HeldUpRow, width: number): string {
	const {place: here, holder} = row;
	const head = `blocked ${timesAt(row)}`;
	if (!holder?.ownerName) {
		return head + shortName(here, Math.max(width - head.length, 1), true);
	}

	const isAlone = holder.percent >= 99.5;
	const share = isAlone ? '' : ` (${formatPercent(holder.percent)}%)`;
	const held = isAlone ? 'held' : 'most often held';
	const by = `${isAlone ? 'held' : 'most often'} by ${cut(holder.ownerName, ownerWidth)}`;
	const [place] = holder.took;
	return (place && betweenTwo([head, `, ${by}${share} at `, `, ${by} at `, `, ${held} at `], [here, place.place], width, leastCells))
		?? (place && betweenTwo([head, `, ${by} at `], [here, place.place], width, leastCutCells))
		?? [`, ${by}${share}`, `, ${by}`].map(end => withEnd(head, here, end, width)).find(line => line !== undefined)
		?? head + shortName(here, Math.max(width - head.length, 1), true);
}

/** Both places, with the longest of the texts between them that leaves each as many cells as it must have. */
function betweenTwo([head, ...betweens]: readonly string[], [here, there]: readonly [Place, Place], width: number, leastOf: (place: Place) => number): string | undefined {
	const [least, leastThere] = [leastOf(here), leastOf(there)];
	for (const between of betweens) {
		const room = width - cellWidth(head) - cellWidth(between);
		if (least + leastThere <= room) {
			// Half of what is left for each; the holder's own class says more than the lock's.
			const name = shortName(here, Math.max(least, Math.min(Math.ceil(room / 2), room - leastThere)), true);
			return head + name + between + shortName(there, room - cellWidth(name), true);
		}
	}

	return undefined;
}

/** The place and what is said behind it, if that leaves class, method and line whole. */
function withEnd(head: string, here: Place, end: string, width: number): string | undefined {
	const room = width - cellWidth(head) - cellWidth(end);
	return leastCells(here) <= room ? head + shortName(here, room, true) + end : undefined;
}
