import {rootNode} from '../model/frame.js';
import {threadFlag} from '../model/sample.js';
import type {Facts, Snapshot} from '../model/snapshot.js';
import {stateCode, stateCount, threadStates, type ThreadState} from '../model/thread-state.js';
import {attributionOf, ownPlace, viaPlace} from './facts/attribution.js';
import {FactBuckets, FactRanking} from './facts/fact-ranking.js';
import {attributedPlace, isStuckLonger, lockOf, stuckMs} from './now.js';
import {placeName} from './facts/place.js';
import {foldPools} from './facts/pools.js';
import {
	allStatesMask, factsInWindow, isCounted, scopeOf, type Scope,
} from './facts/scope.js';
import {sortRows} from './columns/sort.js';
import {stackIndex} from './facts/stack-index.js';
import {corePercent, sampledMs, threadCpuNs} from './summary.js';
import {threadColumns} from './columns/thread-columns.js';
import {isOfJvm} from './facts/thread-kind.js';
import type {
	Place, Query, ThreadRow, ThreadTableRows,
} from './types.js';

/**
Threads that are alive or were seen between `baseline` (undefined: the session's start) and `snapshot`, those of the JVM
included; folded into pools when `query.foldPools`; filtered and sorted. Without `query.showIdle`, threads that neither
used CPU nor were RUNNABLE or BLOCKED are hidden, as are those of the JVM itself that used next to none; with it these
come after all others, whatever the order.
*/
export function queryThreads(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): ThreadTableRows {
	const scope = scopeOf(snapshot, query);
	const facts = factsInWindow(snapshot, baseline, scope);
	const sums = sumByThread(facts, snapshot.threads.count, scope);
	const topOf = topPlaces(snapshot, facts, scope, query);
	const overMs = sampledMs(snapshot, baseline);
	const rows: ThreadRow[] = [];
	for (let thread = 0; thread < snapshot.threads.count; thread++) {
		const isInState = snapshot.threads.alive[thread] === 1 && (scope.stateMask & (1 << snapshot.threads.state[thread])) !== 0;
		if ((isInState || sums.allTicks[thread] > 0) && isCounted(scope, thread)) {
			const cpuNs = scope.stateMask === allStatesMask ? threadCpuNs(snapshot, baseline, thread) : sums.cpuNs[thread];
			rows.push(threadRow(snapshot, thread, query, {
				cpuNs, cpuPercent: corePercent(cpuNs, overMs), ticks: sums.ticks[thread], states: [...sums.states.subarray(thread * stateCount, (thread + 1) * stateCount)], top: topOf(thread),
			}));
		}
	}

	const folded = query.foldPools ? foldPools(rows, row => row.name, row => row.vmInternal).map(pool => foldRows(pool.name, pool.items)) : rows;
	const {row: matches} = scope.filter;
	const matching = folded.filter(row => !matches || matches({
		text: threadText(row), percent: row.cpuPercent, totalPercent: row.cpuPercent, cpuMs: row.cpuNs / 1e6, ticks: row.ticks, totalTicks: row.ticks,
		threads: row.threadKeys.length, blocked: row.state === 'BLOCKED' ? 1 : 0, stuckS: row.stuckMs / 1000,
	}));
	const shown = query.showIdle ? matching : matching.filter(row => !isIdle(row));
	const sorted = sortRows(shown, threadColumns, query.sort);
	return {rows: [...sorted.filter(row => !isQuietOfJvm(row)), ...sorted.filter(row => isQuietOfJvm(row))], allRows: folded.length, idleRows: matching.length - shown.length};
}

type ThreadSums = {readonly cpuNs: Float64Array; readonly ticks: Float64Array; readonly allTicks: Float64Array; readonly states: Float64Array};

function sumByThread(facts: Facts, threads: number, {countedMask}: Scope): ThreadSums {
	const sums = {
		cpuNs: new Float64Array(threads), ticks: new Float64Array(threads), allTicks: new Float64Array(threads), states: new Float64Array(threads * stateCount),
	};
	for (let index = 0; index < facts.count; index++) {
		const thread = facts.thread[index];
		const ticks = facts.ticks[index];
		sums.cpuNs[thread] += facts.cpuNs[index];
		sums.allTicks[thread] += ticks;
		sums.states[(thread * stateCount) + facts.state[index]] += ticks;
		if ((countedMask & (1 << facts.state[index])) !== 0) {
			sums.ticks[thread] += ticks;
		}
	}

	return sums;
}

/** The hottest line of a thread, found when asked for. */
function topPlaces({dictionary, threads}: Snapshot, facts: Facts, {countedMask}: Scope, query: Query): (thread: number) => Place | undefined {
	const index = stackIndex(dictionary);
	const attributed = attributionOf(dictionary, query);
	const {groupOfFrame, places} = index.grouping('line');
	const groupOfFact = new Int32Array(facts.count);
	const bucketOfFact = new Int32Array(facts.count);
	for (let index = 0; index < facts.count; index++) {
		const node = facts.node[index];
		groupOfFact[index] = groupOfFrame[dictionary.nodeFrame[attributed[node]]];
		// Samples without frames go into a bucket of their own: they have no line.
		bucketOfFact[index] = node === rootNode ? threads.count : facts.thread[index];
	}

	const ranking = new FactRanking(facts, new FactBuckets(bucketOfFact, threads.count + 1), groupOfFact, places.length, countedMask);
	return thread => places[ranking.of(thread, 1).top[0]];
}

function threadRow(snapshot: Snapshot, thread: number, query: Query, figures: Pick<ThreadRow, 'cpuNs' | 'cpuPercent' | 'ticks' | 'states' | 'top'>): ThreadRow {
	const {threads, dictionary} = snapshot;
	const flags = threads.flags[thread];
	const alive = threads.alive[thread] === 1;
	return {
		key: String(threads.key[thread]),
		name: threads.name[thread],
		thread,
		threadKeys: [threads.key[thread]],
		nativeId: threads.nativeId[thread],
		alive,
		daemon: (flags & threadFlag.daemon) !== 0,
		isVirtual: (flags & threadFlag.virtual) !== 0,
		carrierName: threads.carrier[thread] >= 0 ? threads.name[threads.carrier[thread]] : undefined,
		isCarrier: (flags & threadFlag.carrier) !== 0,
		vmInternal: (flags & threadFlag.vmInternal) !== 0,
		isOfJvm: isOfJvm(flags, threads.name[thread]),
		state: alive ? stateNow(snapshot, thread, figures.cpuPercent) : undefined,
		...figures,
		now: alive ? attributedPlace(snapshot, threads.node[thread], query) : undefined,
		via: alive && query.ownFirst ? viaPlace(dictionary, threads.node[thread], query) : undefined,
		own: alive && !query.ownFirst ? ownPlace(dictionary, threads.node[thread], query) : undefined,
		stuckMs: stuckMs(snapshot, thread),
		stuckAtLeast: isStuckLonger(snapshot, thread),
		waitsFor: lockOf(snapshot, thread),
	};
}

/**
What a thread of the JVM that runs no Java code does in the newest sample is told by nothing but the CPU time that it
used since the one before, and a collector that took a third of the window stands still between two collections: such
threads are told by the whole window.
*/
function stateNow({threads}: Snapshot, thread: number, cpuPercent: number): ThreadState {
	const isBusy = (threads.flags[thread] & threadFlag.vmInternal) !== 0 && cpuPercent >= leastJvmCpuPercent;
	return isBusy ? 'RUNNABLE' : threadStates[threads.state[thread]];
}

function foldRows(name: string, rows: readonly ThreadRow[]): ThreadRow {
	if (rows.length === 1) {
		return rows[0];
	}

	let busiest = rows[0];
	const states = Array.from({length: stateCount}, () => 0);
	let [cpuNs, cpuPercent, ticks, stuck] = [0, 0, 0, 0];
	for (const row of rows) {
		busiest = row.cpuNs > busiest.cpuNs || (row.cpuNs === busiest.cpuNs && row.ticks > busiest.ticks) ? row : busiest;
		cpuNs += row.cpuNs;
		cpuPercent += row.cpuPercent;
		ticks += row.ticks;
		stuck = Math.max(stuck, row.stuckMs);
		for (const [state, count] of row.states.entries()) {
			states[state] += count;
		}
	}

	const alive = rows.filter(row => row.alive);
	const {now, via, count} = commonPlace(alive);
	const locks = new Set(alive.map(({waitsFor}) => waitsFor && `${waitsFor.className} ${waitsFor.ownerName}`));
	const statesNow = new Set(alive.map(row => row.state));
	return {
		...busiest,
		key: `pool:${name}`,
		name,
		threadKeys: rows.flatMap(row => row.threadKeys),
		nativeId: 0,
		alive: alive.length > 0,
		now,
		via,
		nowThreads: count < alive.length ? count : undefined,
		waitsFor: locks.size === 1 ? alive[0].waitsFor : undefined,
		daemon: rows.every(row => row.daemon),
		isVirtual: rows.every(row => row.isVirtual),
		carrierName: undefined,
		isCarrier: rows.every(row => row.isCarrier),
		isOfJvm: rows.every(row => row.isOfJvm),
		state: rows.every(row => row.vmInternal) && alive.some(row => row.state === 'RUNNABLE') ? 'RUNNABLE' : (statesNow.size === 1 ? [...statesNow][0] : undefined),
		cpuNs,
		cpuPercent,
		states,
		ticks,
		stuckMs: stuck,
		stuckAtLeast: rows.some(row => row.stuckAtLeast),
	};
}

type CommonPlace = {readonly now?: Place; readonly via?: Place; readonly count: number};

/** Where most of some threads stand, and how many of them. */
function commonPlace(rows: readonly ThreadRow[]): CommonPlace {
	const counts = new Map<string, CommonPlace>();
	let most: CommonPlace = {count: 0};
	for (const {now, via} of rows) {
		if (now) {
			const name = placeName(now);
			const entry = {now, via, count: 1 + (counts.get(name)?.count ?? 0)};
			counts.set(name, entry);
			most = entry.count > most.count ? entry : most;
		}
	}

	return most;
}

/**
A thread of the JVM itself below this share of a core (percent) does nothing that anybody looks for: such timers tick in
every JVM.
*/
const leastJvmCpuPercent = 1;

function isQuietOfJvm(row: ThreadRow): boolean {
	return row.isOfJvm && row.cpuPercent < leastJvmCpuPercent;
}

function isIdle(row: ThreadRow): boolean {
	return isQuietOfJvm(row) || isWithoutWork(row);
}

function isWithoutWork(row: ThreadRow): boolean {
	return row.cpuNs === 0 && row.states[stateCode.RUNNABLE] === 0 && row.states[stateCode.BLOCKED] === 0 && row.state !== 'BLOCKED';
}

function threadText(row: ThreadRow): string {
	return row.now ? `${row.name} ${placeName(row.now)}` : row.name;
}
