import {getOrCreate} from '../../model/get-or-create.js';
import {cut} from '../../model/cell-width.js';
import type {Snapshot} from '../../model/snapshot.js';
import {formatCount, formatDuration, formatMs, formatNs, formatPercent} from '../../query/columns/format.js';
import {defaultQuery, type Location} from '../../query/types/query.js';
import {locationName} from '../../query/counters/location.js';
import {findingsOf} from '../../query/summary/findings.js';
import {queryLines} from '../../views/lines/lines.js';
import {queryBlockers} from '../../views/blockers/blockers.js';
import {threadsOfProgram} from '../../query/summary/quiet.js';
import {corePercent} from '../../query/counters/cpu-time.js';
import {leastCpuPercent} from '../../query/summary/summary.js';
import {
	longestFirst, titleOf, traceMethods, type TraceRow,
} from '../../views/traces/methods.js';
import {mostOf} from '../../query/locks/contention-by-location.js';
import type {LineRow} from '../../query/counted-lines.js';
import type {BlockerRow} from '../../views/blockers/columns.js';
import {targetLine, wrapAt} from '../common/text-table.js';
import {costLine, timeLine} from './session-lines.js';

const maxLines = 10;
const maxFindings = 3;
const maxHot = 5;
/** Places where threads were held up or waited, and traced methods. */
const maxHeldUp = 2;
const maxWaits = 2;
const maxTraced = 4;

/** Part of the session for which threads were held up, or waited, at a place that is worth a line. */
const leastWaited = 0.01;

/** Below this share of a core, in percent, where threads waited matters too. */
const busyPercent = 10;

/** Locations of the agent that traces methods, and the compilation of its methods. */
const ofAgent = /^(?:\[jit] [^.]* )?(?:java\.)?tprof\./;

/** Further lines of an entry begin so. */
const indent = '    ';

/** What stays on the terminal after the live view: target, time, cost, and what mattered in the session, in ten lines. */
export function renderFinalSummary(snapshot: Snapshot, width = 80): string[] {
	const {session, traces} = snapshot;
	const head = [targetLine(snapshot.target), ...wrapAt(' | ', `${timeLine(snapshot, undefined)} | ${costLine(snapshot, undefined)}`, width)];
	const {rows, wholeCpuNs} = queryLines(snapshot, undefined, defaultQuery);
	const ofProgram = (some: readonly LineRow[]) => some.filter(row => !ofAgent.test(locationName(row)));
	const hot = ofProgram(rows).filter(row => row.selfCpuNs > 0);
	const percent = corePercent(wholeCpuNs, session.sampledMs);
	const tickMs = session.sampledMs / Math.max(1, session.samples);
	const leastMs = session.sampledMs * leastWaited;
	const waits = queryLines(snapshot, undefined, {
		...defaultQuery, ownFirst: true, unit: 'ticks', states: ['WAITING', 'TIMED_WAITING', 'IDLE'], sort: {column: 'ticks', reverse: false}, threadKeys: threadsOfProgram(snapshot),
	});
	const waited = ofProgram(waits.rows).filter(row => row.selfTicks * tickMs >= leastMs).slice(0, percent < leastCpuPercent ? maxWaits : 1);
	const entries = [
		...findingsOf(snapshot, undefined, defaultQuery).slice(0, maxFindings).map(({text}) => text),
		...(traces ? traceMethods(traces, undefined).toSorted(longestFirst).slice(0, maxTraced).map(row => tracedText(row)) : []),
		...heldUpOf(snapshot).slice(0, maxHeldUp).filter(({waitedMs}) => waitedMs >= leastMs).map(place => heldUpText(place)),
		...(percent < leastCpuPercent ? [hardlyHot(hot, wholeCpuNs)] : []),
		...(percent < busyPercent ? waited.map(row => `waited ${timeAt(row.selfTicks * tickMs, row.threadCount)}${locationName(row)}`) : []),
		...(percent < leastCpuPercent ? [] : hot.slice(0, maxHot).map(row => hotText(row))),
	].map(entry => wrapped(entry, width));
	const lines = [...head];
	for (const entry of entries) {
		// One that finds no room does not keep a shorter one out.
		if (lines.length + entry.length <= maxLines) {
			lines.push(...entry);
		}
	}

	return lines.slice(0, maxLines).map(line => cut(line, width));
}

/** An entry in lines, broken at blanks, and within a name before a dot where it is longer than a line. */
function wrapped(text: string, width: number): string[] {
	return wrapAt(' ', text, width, indent).flatMap(line => line.length <= width ? [line] : wrapAt('.', line, width, `${indent}.`));
}

function tracedText(row: TraceRow): string {
	const exceptions = row.exceptions > 0 ? `, ${formatCount(row.exceptions)} exceptions` : '';
	return `${titleOf(row)}: ${formatCount(row.calls)} calls, mean ${formatNs(row.meanNs)}, longest ${formatNs(row.mostNs)}${exceptions}`;
}

function hotText(row: LineRow): string {
	return `${formatPercent(row.selfPercent).padStart(5)}% ${formatMs(row.selfCpuNs).padStart(8)} ms  ${locationName(row)}`;
}

function hardlyHot([first]: readonly LineRow[], wholeCpuNs: number): string {
	return first ? `almost no CPU time: ${formatMs(wholeCpuNs)} ms, most at ${locationName(first)}` : 'no line of Java code used CPU time';
}

/** `for 8s at ` or, of several threads, `for 1m20s (10 threads) at `. */
function timeAt(ms: number, threadCount: number): string {
	return `for ${formatDuration(ms)}${threadCount > 1 ? ` (${threadCount} threads)` : ''} at `;
}

/** A place where locks held threads up, and for how long each holder did. */
type HeldUp = {readonly at: Location; waitedMs: number; readonly threads: Set<number>; readonly byHolder: Map<BlockerRow, number>};

/** Those of the whole session, the longest first. */
function heldUpOf(snapshot: Snapshot): HeldUp[] {
	const places = new Map<string, HeldUp>();
	for (const row of queryBlockers(snapshot, undefined, defaultQuery).rows) {
		for (const {at, key, waitedMs} of row.waiters.filter(waiter => waiter.waitedMs > 0)) {
			if (at) {
				const place = getOrCreate<string, HeldUp>(places, locationName(at), () => ({
					at, waitedMs: 0, threads: new Set(), byHolder: new Map(),
				}));
				place.waitedMs += waitedMs;
				place.threads.add(key);
				place.byHolder.set(row, waitedMs + (place.byHolder.get(row) ?? 0));
			}
		}
	}

	return [...places.values()].sort((a, b) => b.waitedMs - a.waitedMs);
}

function heldUpText({at, waitedMs, threads, byHolder}: HeldUp): string {
	const head = `blocked ${timeAt(waitedMs, threads.size)}${locationName(at)}`;
	const [holder, heldMs] = mostOf(new Map([...byHolder].filter(([{holderName}]) => holderName !== ''))) ?? [];
	if (!holder) {
		return head;
	}

	const percent = 100 * heldMs! / waitedMs;
	const took = holder.tookAt ? ` at ${locationName(holder.tookAt)}` : '';
	return percent >= 99.5 ? `${head}, held by ${holder.holderName}${took}` : `${head}, most often by ${holder.holderName} (${formatPercent(percent)}%)${took}`;
}
