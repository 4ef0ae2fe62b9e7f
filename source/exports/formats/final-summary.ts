import {safe, type Printable} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {elideEnd} from '../../util/cell-width.js';
import type {Snapshot} from '../../model/snapshot.js';
import {formatCount, formatDuration, formatMs, formatNs, formatPercent} from '../../query/columns/format.js';
import {defaultQuery, type Query} from '../../query/types/query.js';
import {locationName} from '../../query/counters/location.js';
import {findingsOf} from '../../query/summary/findings.js';
import {queryLines} from '../../views/lines/lines.js';
import {queryBlockers, type BlockerRow} from '../../views/blockers/blockers.js';
import {threadsOfProgram, leastCpuPercent} from '../../query/summary/summary.js';
import {corePercent, tickMs} from '../../query/counters/share.js';
import {longestFirst, titleOf, traceMethods, type TraceRow} from '../../views/traces/traced-methods.js';
import {mostOf} from '../../util/sum.js';
import type {LineRow} from '../../query/counted-lines.js';
import {targetLine, wrapAt} from '../common/text-table.js';
import {costLine, timeLine} from './session-lines.js';

const maxLines = 10;
const maxEntries = {findings: 3, traced: 4, blocked: 2, waits: 2, hot: 5};

/** A location where threads were blocked or waited gets an entry from this fraction of the session on. */
const minWaitedFraction = 0.01;

/** Below this percentage of a core, waits get an entry too. */
const busyPercent = 10;

/** Names of locations in our agent, and of compilations of its methods. */
const ofAgent = /^(?:\[jit] [^.]* )?(?:java\.)?tprof\./;

const indent = safe`    `;

/** Returns the lines that stay on the terminal after the live view, at most ten: target, time, cost, main results. */
export function renderFinalSummary(snapshot: Snapshot, width = 80, {app}: Pick<Query, 'app'> = {}): Printable[] {
	const whole: Query = {...defaultQuery, app};
	const {session, traces} = snapshot;
	const head: readonly Printable[] = [
		targetLine(snapshot.target),
		...wrapAt(safe` | `, safe`${timeLine(snapshot, undefined)} | ${costLine(snapshot, undefined)}`, width),
	];
	const {rows, wholeCpuNs} = queryLines(snapshot, undefined, whole, {work: 'jit-as-one'});
	const withoutAgent = (some: readonly LineRow[]) => some.filter(row => !ofAgent.test(locationName(row)));
	const hot = withoutAgent(rows).filter(row => row.selfCpuNs > 0);
	const cpuPercent = corePercent(wholeCpuNs, session.sampledMs);
	const usesAlmostNoCpu = cpuPercent < leastCpuPercent;
	const rowMs = (row: LineRow) => row.selfTicks * tickMs(snapshot, undefined);
	const minMs = session.sampledMs * minWaitedFraction;
	const waits = queryLines(snapshot, undefined, {
		...whole,
		ownFirst: true,
		unit: 'ticks',
		states: ['WAITING', 'TIMED_WAITING', 'IDLE'],
		sort: {column: 'ticks', reverse: false},
		threadKeys: threadsOfProgram(snapshot),
		withoutWaitsForWork: true,
	});
	const blocked = blockedLocations(snapshot).filter(({waitedMs}) => waitedMs >= minMs).slice(0, maxEntries.blocked);
	// Of the same threads one entry is enough: who waits for locks now were blocked too.
	const findings = findingsOf(snapshot, undefined, whole)
		.filter(({id}) => id !== 'contention' || blocked.length === 0).slice(0, maxEntries.findings);
	const found = new Set(findings.map(({figures}) => figures.at));
	const waited = withoutAgent(waits.rows)
		.filter(row => rowMs(row) >= minMs && !found.has(locationName(row)))
		.slice(0, usesAlmostNoCpu ? maxEntries.waits : 1);
	const entries: readonly Printable[] = [
		...findings.map(({text}) => text),
		...(traces
			? traceMethods(traces, undefined).toSorted(longestFirst).slice(0, maxEntries.traced).map(row =>
				tracedText(row))
			: []),
		...blocked.map(location => blockedText(location)),
		...(usesAlmostNoCpu ? [littleCpuText(hot, wholeCpuNs)] : []),
		...(cpuPercent < busyPercent
			? waited.map(row => safe`waited ${timeAt(rowMs(row), row.threadCount)}${locationName(row)}`)
			: []),
		...(usesAlmostNoCpu ? [] : hot.slice(0, maxEntries.hot).map(row => hotText(row, session.sampledMs))),
	];
	const lines = [...head];
	for (const entry of entries.map(text => wrapped(text, width))) {
		// After an entry that does not fit, a shorter one may.
		if (lines.length + entry.length <= maxLines) {
			lines.push(...entry);
		}
	}

	return lines.slice(0, maxLines).map(line => elideEnd(line, width));
}

/** Wraps an entry at blanks, and a name longer than a line before its dots. */
function wrapped(text: Printable, width: number): Printable[] {
	return wrapAt(safe` `, text, width, indent).flatMap(line =>
		line.length <= width ? [line] : wrapAt(safe`.`, line, width, safe`${indent}.`));
}

function tracedText(row: TraceRow): Printable {
	const exceptions = row.exceptions > 0 ? safe`, ${formatCount(row.exceptions)} exceptions` : safe``;
	return safe`${titleOf(row)}: ${formatCount(row.calls)} calls, mean ${formatNs(row.meanNs)}, longest ${
		formatNs(row.mostNs)
	}${exceptions}`;
}

function hotText(row: LineRow, overMs: number): Printable {
	const percent = formatPercent(corePercent(row.selfCpuNs, overMs)).padStart(5);
	return safe`${percent}% of a core ${formatMs(row.selfCpuNs).padStart(8)} ms  ${locationName(row)}`;
}

function littleCpuText([first]: readonly LineRow[], wholeCpuNs: number): Printable {
	return first
		? safe`almost no CPU time: ${formatMs(wholeCpuNs)} ms, most at ${locationName(first)}`
		: safe`no line of Java code used CPU time`;
}

/** Returns `for 8s at ` or, for several threads, `for 1m20s (10 threads) at `. */
function timeAt(ms: number, threadCount: number): Printable {
	return safe`for ${formatDuration(ms)}${threadCount > 1 ? safe` (${threadCount} threads)` : ''} at `;
}

/** A location where threads were blocked by locks: for how long in all, and by each holder. */
type BlockedLocation = {
	readonly name: Printable;
	waitedMs: number;
	readonly threads: Set<number>;
	readonly byHolder: Map<BlockerRow, number>;
};

/** Returns the locations of the whole session where threads were blocked, the longest first. */
function blockedLocations(snapshot: Snapshot): BlockedLocation[] {
	const locations = new Map<string, BlockedLocation>();
	for (const row of queryBlockers(snapshot, undefined, defaultQuery).rows) {
		for (const {at, key, waitedMs} of row.waiters) {
			if (at && waitedMs > 0) {
				const name = locationName(at);
				const location = getOrCreate<string, BlockedLocation>(
					locations,
					name,
					() => ({name, waitedMs: 0, threads: new Set(), byHolder: new Map()}),
				);
				location.waitedMs += waitedMs;
				location.threads.add(key);
				location.byHolder.set(row, waitedMs + (location.byHolder.get(row) ?? 0));
			}
		}
	}

	return [...locations.values()].sort((a, b) => b.waitedMs - a.waitedMs);
}

function blockedText({name, waitedMs, threads, byHolder}: BlockedLocation): Printable {
	const head = safe`blocked ${timeAt(waitedMs, threads.size)}${name}`;
	const [holder, heldMs] = mostOf(new Map([...byHolder].filter(([{holderName}]) => holderName !== ''))) ?? [];
	if (!holder) {
		return head;
	}

	const percent = formatPercent(100 * heldMs! / waitedMs);
	const took = holder.tookAt ? safe` at ${locationName(holder.tookAt)}` : safe``;
	const isOnlyHolder = Math.round(100 * heldMs! / waitedMs) === 100;
	return isOnlyHolder
		? safe`${head}, held by ${holder.holderName}${took}`
		: safe`${head}, most often by ${holder.holderName} (${percent}%)${took}`;
}
