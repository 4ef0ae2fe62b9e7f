import {sumOf} from '../../util/sum.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {rootNode} from '../../model/frame.js';
import {fromNames} from '../../model/column-types.js';
import {threadFlag} from '../../model/sample.js';
import {eventKinds} from '../../model/schema.js';
import {poolName, type Printable} from '../../util/printable.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {stateCode, stateCount, threadStates, type ThreadState} from '../../model/thread-state.js';
import {eventsByThread} from '../../query/counters/allocated.js';
import {attributionOf, ownLocation, viaLocation} from '../../query/counters/attribution.js';
import {CounterBuckets, rankingOf} from '../../query/counters/buckets.js';
import {
	attributedLocation,
	waitsForWorkNow,
	isStuckLonger,
	lockOf,
	restsNow,
	stuckMs,
	isContendingNow,
	knowsThreadsNow,
} from '../../query/locks/newest-sample.js';
import {membersOf, isOfJvm, threadCpuNs, threadRunDelayNs} from '../../query/counters/thread-table.js';
import {locationName} from '../../query/counters/location.js';
import {allStatesMask, countersInWindow, isCounted, scopeOf, type Scope} from '../../query/counters/scope.js';
import {sortRows} from '../../query/columns/sort.js';
import {stackIndex} from '../../query/counters/stack-index.js';
import {corePercent, eventsMs, eventsPerS, percentOf, sampledMs} from '../../query/counters/share.js';
import {filtered, type FilterFields} from '../../query/filter/filter.js';
import {shownState, type OwnCodeRule} from '../../query/counters/waiting-stacks.js';
import type {Location, Query} from '../../query/types/query.js';
import {waitOf, waitText} from '../../query/locks/wait-of.js';
import type {ViewResult} from '../common/view.js';
import {threadsViewColumns, type ThreadRow} from './columns.js';

declare module '../../query/types/query.js' {
	interface Query {
		/**
		Whether threads whose names differ only in digits are folded into one row; false by default, but true on the
		screen.
		*/
		readonly foldPools?: boolean;
	}
}

/**
Returns threads alive or sampled in the window, the JVM's quiet ones last. Without `showsWaitsForWork` these are left
out, and so are threads that did nothing but wait for work.
*/
export function queryThreads(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<ThreadRow> {
	const scope = scopeOf(snapshot, query);
	const counters = countersInWindow(snapshot, since, scope);
	const sums = sumByThread(counters, snapshot.threads.count);
	const topOf = topLocations(snapshot, counters, scope, query);
	const eventsOf = fromNames(eventKinds, kind => eventsByThread(kind, snapshot, since, scope));
	const recordedMs = eventsMs(snapshot, since);
	const overMs = sampledMs(snapshot, since);
	const unknownNow = knowsThreadsNow(snapshot) ? {} : {isAlive: undefined, isWithoutWork: false};
	const rows: ThreadRow[] = [];
	for (let thread = 0; thread < snapshot.threads.count; thread++) {
		const isInState = snapshot.threads.alive[thread] === 1
			&& (scope.stateMask & (1 << snapshot.threads.state[thread])) !== 0;
		const states = [...sums.states.subarray(thread * stateCount, (thread + 1) * stateCount)];
		if ((isInState || sums.cpuNs[thread] > 0 || states.some(ticks => ticks > 0)) && isCounted(scope, thread)) {
			// A thread's clock counts all states; with `state:` in the filter, only samples tell the CPU time.
			const cpuNs = scope.stateMask === allStatesMask ? threadCpuNs(snapshot, since, thread) : sums.cpuNs[thread];
			const runDelayNs = threadRunDelayNs(snapshot, since, thread);
			const ticks = sumOf(states.entries(), ([state, ofState]) => ((scope.countedMask >> state) & 1) * ofState);
			const row = threadRow(snapshot, thread, query, {
				cpuNs, cpuPercent: corePercent(cpuNs, overMs), sharePercent: 0,
				runDelayNs, runDelayPercent: corePercent(runDelayNs, overMs), ticks, states, top: topOf(thread),
				events: fromNames(eventKinds, kind => eventsOf[kind][thread]),
				eventsPerS: fromNames(eventKinds, kind => eventsPerS(eventsOf[kind][thread], recordedMs)),
			});
			rows.push({...row, ...unknownNow});
		}
	}

	const wholeCpuNs = sumOf(rows, row => row.cpuNs);
	const shared = rows.map(row => ({...row, sharePercent: percentOf(row.cpuNs, wholeCpuNs)}));
	const virtual = shared.filter(row => row.isVirtual);
	const others = shared.filter(row => !row.isVirtual);
	const folded = [...(query.foldPools ? foldPools(others) : others), ...foldKinds(virtual)];
	const matching = filtered(folded, scope.filter, filterFields);
	const visible = query.showsWaitsForWork
		? matching
		: matching.filter(row => !isQuietJvmThread(row) && !row.isWithoutWork);
	const sorted = sortRows(visible, threadsViewColumns, query.sort);
	return {
		rows: [...sorted.filter(row => !isQuietJvmThread(row)), ...sorted.filter(row => isQuietJvmThread(row))],
		allRows: folded.length,
		hiddenRows: matching.length - visible.length,
	};
}

/** Returns CPU time by thread, and ticks by thread and state. */
function sumByThread(
	counters: Counters,
	threads: number,
): {readonly cpuNs: Float64Array; readonly states: Float64Array} {
	const sums = {cpuNs: new Float64Array(threads), states: new Float64Array(threads * stateCount)};
	for (let index = 0; index < counters.count; index++) {
		const thread = counters.thread[index];
		sums.cpuNs[thread] += counters.cpuNs[index];
		sums.states[(thread * stateCount) + counters.state[index]] += counters.ticks[index];
	}

	return sums;
}

/** Returns a function from a thread to its line with the most CPU time, then counted ticks. */
function topLocations(
	{dictionary, threads}: Snapshot,
	counters: Counters,
	scope: Scope,
	query: Query,
): (thread: number) => Location | undefined {
	const index = stackIndex(dictionary);
	const attributed = attributionOf(dictionary, query);
	const {groupOfFrame, locations} = index.grouping('line');
	// Samples without frames have no line: they go into a bucket of their own.
	const buckets = new CounterBuckets(
		counters.thread.slice(0, counters.count).map((thread, counter) =>
			counters.node[counter] === rootNode ? threads.count : thread),
		threads.count + 1,
	);
	const ranking = rankingOf(
		counters,
		buckets,
		scope,
		counter => groupOfFrame[dictionary.nodeFrame[attributed[counters.node[counter]]]],
	);
	return thread => {
		const [top] = ranking([thread], 1).top;
		return top && locations[top.member];
	};
}

type ThreadFigures = Pick<
	ThreadRow,
	| 'cpuNs' | 'cpuPercent' | 'sharePercent' | 'runDelayNs' | 'runDelayPercent' | 'ticks' | 'states' | 'top'
	| 'events' | 'eventsPerS'
>;

// eslint-disable-next-line complexity -- The fields of a row, some with a condition.
function threadRow(snapshot: Snapshot, thread: number, query: Query, figures: ThreadFigures): ThreadRow {
	const {threads, dictionary} = snapshot;
	const flags = threads.flags[thread];
	const isAlive = threads.alive[thread] === 1 && threads.state[thread] !== stateCode.TERMINATED;
	const state = isAlive ? stateNow(snapshot, thread, figures.cpuPercent) : undefined;
	return {
		key: String(threads.key[thread]),
		name: threads.name[thread],
		thread,
		threadKeys: [threads.key[thread]],
		threadCount: (flags & threadFlag.virtual) !== 0 && !isAlive ? 0 : membersOf(threads, thread),
		mounted: isAlive && threads.carrier[thread] >= 0 ? 1 : 0,
		nativeId: threads.nativeId[thread],
		isAlive,
		isDaemon: (flags & threadFlag.daemon) !== 0,
		isVirtual: (flags & threadFlag.virtual) !== 0,
		carrierName: threads.carrier[thread] >= 0 ? threads.name[threads.carrier[thread]] : undefined,
		isCarrier: (flags & threadFlag.carrier) !== 0,
		isVmInternal: (flags & threadFlag.vmInternal) !== 0,
		isOfJvm: isOfJvm(flags, threads.name[thread]),
		state,
		shownState: state && shownState(state, waitsForWorkNow(snapshot, thread, query)),
		isWithoutWork: isWithoutWork(snapshot, thread, figures, query),
		...figures,
		now: isAlive ? attributedLocation(snapshot, threads.node[thread], query) : undefined,
		via: isAlive && query.ownFirst ? viaLocation(dictionary, threads.node[thread], query) : undefined,
		own: isAlive && !query.ownFirst ? ownLocation(dictionary, threads.node[thread], query) : undefined,
		// The JVM's own threads are never stuck, unless at a lock of the program; nor is a thread that rests.
		...((isOfJvm(flags, threads.name[thread]) && !isContendingNow(snapshot, thread))
			|| restsNow(snapshot, thread, query)
			? {stuckMs: 0, stuckAtLeast: false}
			: {stuckMs: stuckMs(snapshot, thread), stuckAtLeast: isStuckLonger(snapshot, thread)}),
		waitsFor: lockOf(snapshot, thread),
		wait: waitOf(snapshot, thread, query),
	};
}

/** Returns a thread's state now. VM-internal threads have no stack: their CPU use in the window tells if they run. */
function stateNow({threads}: Snapshot, thread: number, cpuPercent: number): ThreadState {
	const isBusy = (threads.flags[thread] & threadFlag.vmInternal) !== 0 && cpuPercent >= minJvmCpuPercent;
	return isBusy ? 'RUNNABLE' : threadStates[threads.state[thread]];
}

/**
Returns a row for each kind of virtual threads. Their rows in the table have the kind's name and numbers of threads.
*/
function foldKinds(rows: readonly ThreadRow[]): ThreadRow[] {
	const kinds = new Map<Printable, ThreadRow[]>();
	for (const row of rows) {
		getOrCreate(kinds, row.name, () => []).push(row);
	}

	return Array.from(kinds, ([name, ofKind]) => {
		const mounted = ofKind.filter(row => row.mounted > 0);
		return {
			...foldRows(name, ofKind),
			key: `virtual:${name}`,
			nativeId: ofKind.length === 1 ? ofKind[0].nativeId : 0,
			carrierName: mounted.length === 1 ? mounted[0].carrierName : undefined,
		};
	});
}

/** Returns the state of all of a pool's threads that are alive; of the JVM's own, RUNNABLE if any of them is. */
function commonState(
	rows: readonly ThreadRow[],
	stateOf: (row: ThreadRow) => ThreadState | undefined,
): ThreadState | undefined {
	const states = new Set(rows.filter(row => row.isAlive).map(row => stateOf(row)));
	return rows.every(row => row.isVmInternal) && states.has('RUNNABLE')
		? 'RUNNABLE'
		: (states.size === 1
			? [...states][0]
			: undefined);
}

function foldRows(name: Printable, rows: readonly ThreadRow[]): ThreadRow {
	let busiest = rows[0];
	let longestMs = 0;
	for (const row of rows) {
		longestMs = Math.max(longestMs, row.stuckMs);
		busiest = row.cpuNs > busiest.cpuNs || (row.cpuNs === busiest.cpuNs && row.ticks > busiest.ticks)
			? row
			: busiest;
	}

	const alive = rows.filter(row => row.isAlive);
	const {now, via, own, count} = commonLocation(alive);
	const locks = new Set(alive.map(({waitsFor}) => waitsFor && `${waitsFor.className} ${waitsFor.ownerName}`));
	const waits = new Set(alive.map(({wait}) => wait && waitText(wait)));
	return {
		...busiest,
		key: `pool:${name}`,
		name,
		threadKeys: rows.flatMap(row => row.threadKeys),
		threadCount: threadsIn(rows),
		mounted: sumOf(rows, row => row.mounted),
		nativeId: 0,
		isAlive: alive.length > 0 || busiest.isAlive,
		now,
		via,
		own,
		nowThreads: count < threadsIn(alive) ? count : undefined,
		waitsFor: locks.size === 1 ? alive[0].waitsFor : undefined,
		wait: waits.size === 1 ? alive[0].wait : undefined,
		isDaemon: rows.every(row => row.isDaemon),
		isVirtual: rows.every(row => row.isVirtual),
		carrierName: undefined,
		isCarrier: rows.every(row => row.isCarrier),
		isOfJvm: rows.every(row => row.isOfJvm),
		isWithoutWork: rows.every(row => row.isWithoutWork),
		state: commonState(rows, row => row.state),
		shownState: commonState(rows, row => row.shownState),
		cpuNs: sumOf(rows, row => row.cpuNs),
		cpuPercent: sumOf(rows, row => row.cpuPercent),
		sharePercent: sumOf(rows, row => row.sharePercent),
		events: fromNames(eventKinds, kind => sumOf(rows, ({events}) => events[kind])),
		eventsPerS: fromNames(eventKinds, kind => sumOf(rows, row => row.eventsPerS[kind])),
		runDelayNs: sumOf(rows, row => row.runDelayNs),
		runDelayPercent: sumOf(rows, row => row.runDelayPercent),
		states: busiest.states.map((_, state) => sumOf(rows, row => row.states[state])),
		ticks: sumOf(rows, row => row.ticks),
		stuckMs: longestMs,
		stuckAtLeast: rows.some(row => row.stuckAtLeast),
	};
}

function threadsIn(rows: readonly ThreadRow[]): number {
	return sumOf(rows, ({threadCount}) => threadCount);
}

type CommonLocation = Pick<ThreadRow, 'now' | 'via' | 'own'> & {readonly count: number};

/** Returns the location at which most threads are, and how many are there. */
function commonLocation(rows: readonly ThreadRow[]): CommonLocation {
	const counts = new Map<string, CommonLocation>();
	let most: CommonLocation = {count: 0};
	for (const {now, via, own, threadCount} of rows) {
		if (now) {
			const name = locationName(now);
			const entry = {now, via, own, count: threadCount + (counts.get(name)?.count ?? 0)};
			counts.set(name, entry);
			most = entry.count > most.count ? entry : most;
		}
	}

	return most;
}

/** Share of a core, percent, below which a thread of the JVM is quiet: timers tick in every JVM. */
const minJvmCpuPercent = 1;

function isQuietJvmThread(row: ThreadRow): boolean {
	return row.isOfJvm && row.cpuPercent < minJvmCpuPercent;
}

/** Whether a thread did nothing in the window because it waits for work or has ended. */
function isWithoutWork(
	snapshot: Snapshot,
	thread: number,
	{cpuNs, states}: Pick<ThreadRow, 'cpuNs' | 'states'>,
	rule: OwnCodeRule,
): boolean {
	const {threads} = snapshot;
	return (
		cpuNs === 0
		&& states[stateCode.RUNNABLE] === 0
		&& states[stateCode.BLOCKED] === 0
		&& threads.state[thread] !== stateCode.BLOCKED
		&& (threads.alive[thread] === 0 || waitsForWorkNow(snapshot, thread, rule))
	);
}

const filterFields: FilterFields<ThreadRow> = {
	text: ({name, now}) => now ? `${name} ${locationName(now)}` : name,
	percent: row => row.cpuPercent, cpuMs: row => row.cpuNs / 1e6, ticks: row => row.ticks,
	threads: row => row.threadCount, blocked: row => row.state === 'BLOCKED' ? 1 : 0, stuckS: row => row.stuckMs / 1000,
};

/** Returns a row for each pool, in the order of their first threads. The only thread of a pool keeps its own name. */
function foldPools(rows: readonly ThreadRow[]): ThreadRow[] {
	const pools = new Map<Printable, ThreadRow[]>();
	for (const row of rows) {
		getOrCreate(pools, `${row.isVmInternal} ${poolName(row.name)}`, () => []).push(row);
	}

	return Array.from(pools.values(), pool => pool.length === 1 ? pool[0] : foldRows(poolName(pool[0].name), pool));
}
