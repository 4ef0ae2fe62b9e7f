import {sumOf} from '../../model/sum.js';
import {getOrCreate} from '../../model/get-or-create.js';
import {alignedTo} from '../../query/counters/aligned.js';
import {lockKinds} from '../../model/sample.js';
import type {Snapshot} from '../../model/snapshot.js';
import {threadStates} from '../../model/thread-state.js';
import {sortRows} from '../../query/columns/sort.js';
import {locationName, locationOfFrame} from '../../query/counters/location.js';
import {membersOf} from '../../query/counters/members.js';
import {isCounted, scopeOf, type Scope} from '../../query/counters/scope.js';
import {unseenVirtualThreads} from '../../query/counters/thread-kind.js';
import {sampleTicks} from '../../query/counters/share.js';
import {sampledMs} from '../../query/counters/cpu-time.js';
import {isShown, type FilterFields} from '../../query/filter/filter.js';
import type {Query} from '../../query/types/query.js';
import {isStuckLonger, stuckMs, isContendingNow, isContention, missingWaits, programLocation} from '../../query/locks/newest-sample.js';
import {cyclesIn, deadlocksOf} from '../../query/locks/deadlocks.js';
import {blockerColumns, type BlockerRow, type Waiter} from './columns.js';

/** Returns who blocks whom, now and in the window. Indented below a row: the locks that its waiters hold. */
export function queryBlockers(snapshot: Snapshot, since: Snapshot | undefined, query: Query): {readonly rows: BlockerRow[]; readonly allRows: number; readonly above?: string; readonly missing?: string} {
	const scope = scopeOf(snapshot, query);
	const deadlocked = new Set(deadlocksOf(snapshot).flat().map(({thread}) => thread));
	const rows = sumsOf(snapshot, since, scope).map(sum => rowOf(snapshot, sum, deadlocked.has(sum.owner)));
	const unobserved = unseenVirtualThreads(snapshot);
	const above = unobserved && `${unobserved.replace('v', 'V')}, and what these wait for.`;
	return {rows: inChains(snapshot, rows, scope, query), allRows: rows.length, above, missing: missingWaits(snapshot)};
}

/** A thread's waits for a row's locks; `node`: its stack at the last of them. */
type WaiterSums = {ticks: number; node: number; isNow: boolean};

type Sums = {
	readonly key: string; readonly kind: number; readonly lockClass: number; readonly owner: number;
	/** The frame where the owner took the lock, 0 if unknown; that of the newest sample if a thread waits now. */
	ownerFrame: number;
	readers: number;
	readonly waiters: Map<number, WaiterSums>;
	/** Milliseconds that a tick represents. */
	readonly tickMs: number;
};

function sumsOf(snapshot: Snapshot, since: Snapshot | undefined, scope: Pick<Scope, 'threads'>): Sums[] {
	const {threads, contention, dictionary} = snapshot;
	const ticksOfWindow = sampleTicks(snapshot, since);
	const tickMs = ticksOfWindow > 0 ? sampledMs(snapshot, since) / ticksOfWindow : 0;
	const sums = new Map<string, Sums>();
	const waitOf = (thread: number, {readers = 0, ...lock}: {kind: number; lockClass: number; owner: number; ownerFrame: number; readers?: number}): WaiterSums => {
		const key = keyOf(snapshot, lock);
		const sum = getOrCreate<string, Sums>(sums, key, () => ({
			...lock, key, readers: 0, waiters: new Map(), tickMs,
		}));
		sum.ownerFrame = lock.ownerFrame || sum.ownerFrame;
		sum.readers = Math.max(readers, sum.readers);
		return getOrCreate<number, WaiterSums>(sum.waiters, thread, () => ({ticks: 0, node: 0, isNow: false}));
	};

	const before = alignedTo(snapshot, since)?.contention;
	for (let index = 0; index < contention.count; index++) {
		const ticks = contention.ticks[index] - (before && index < before.count ? before.ticks[index] : 0);
		const [thread, kind, owner] = [contention.thread[index], contention.lockKind[index], contention.owner[index]];
		if (ticks > 0 && isCounted(scope, thread) && isContention(kind, dictionary.strings[contention.lockClass[index]], owner)) {
			const waiter = waitOf(thread, {
				kind, owner, lockClass: contention.lockClass[index], ownerFrame: contention.ownerFrame[index],
			});
			waiter.ticks += ticks;
			waiter.node = contention.node[index];
		}
	}

	for (let thread = 0; thread < threads.count; thread++) {
		if (isCounted(scope, thread) && isContendingNow(snapshot, thread)) {
			const waiter = waitOf(thread, {
				kind: threads.lockKind[thread], owner: threads.lockOwner[thread], lockClass: threads.lockClass[thread], ownerFrame: threads.lockOwnerFrame[thread], readers: threads.lockReaders[thread],
			});
			waiter.isNow = true;
			waiter.node = threads.node[thread];
		}
	}

	return [...sums.values()];
}

function keyOf({threads, dictionary}: Snapshot, {kind, lockClass, owner}: {readonly kind: number; readonly lockClass: number; readonly owner: number}): string {
	return `${owner < 0 ? '?' : threads.key[owner]} ${lockKinds[kind]} ${dictionary.strings[lockClass]}`;
}

function rowOf(snapshot: Snapshot, {key, kind, lockClass, owner, ownerFrame, readers, waiters, tickMs}: Sums, isHolderDeadlocked: boolean): BlockerRow {
	const {threads, dictionary} = snapshot;
	const isAlive = owner >= 0 && threads.alive[owner] === 1;
	const rows = Array.from(waiters, ([thread, {ticks, node, isNow}]): Waiter => ({
		key: threads.key[thread],
		name: threads.name[thread],
		nativeId: threads.nativeId[thread],
		threads: membersOf(threads, thread),
		isNow,
		stuckMs: isNow ? stuckMs(snapshot, thread) : 0,
		stuckAtLeast: isNow && isStuckLonger(snapshot, thread),
		at: programLocation(snapshot, node),
		waitedMs: ticks * tickMs,
	})).sort((a, b) => Number(b.isNow) - Number(a.isNow) || b.stuckMs - a.stuckMs || b.waitedMs - a.waitedMs || a.key - b.key);
	return {
		key,
		kind: lockKinds[kind],
		lockClass: dictionary.strings[lockClass],
		holder: owner,
		holderName: owner < 0 ? '' : threads.name[owner],
		readers,
		holderState: isAlive ? threadStates[threads.state[owner]] : undefined,
		tookAt: ownerFrame > 0 ? locationOfFrame(dictionary, ownerFrame, 'line') : undefined,
		nowAt: isAlive ? programLocation(snapshot, threads.node[owner]) : undefined,
		waiters: rows,
		threads: sumOf(rows, ({threads: count}) => count),
		waitingNow: sumOf(rows, ({isNow, threads: count}) => isNow ? count : 0),
		longestMs: rows[0]?.stuckMs ?? 0,
		longestAtLeast: rows.some(({stuckAtLeast}) => stuckAtLeast),
		waitedMs: sumOf(rows, ({waitedMs}) => waitedMs),
		depth: 0,
		isDeadlocked: isHolderDeadlocked,
	};
}

/** Returns the rows in chains, each below the row whose lock its holder waits for. Iterates, as chains may be long. */
function inChains(snapshot: Snapshot, rows: readonly BlockerRow[], scope: Scope, query: Query): BlockerRow[] {
	const sorted = sortRows(rows, blockerColumns, query.sort);
	const indexOfKey = new Map(sorted.map(({key}, index) => [key, index]));
	const parents = sorted.map(({holder}) => indexOfKey.get(waitedForBy(snapshot, holder) ?? '') ?? -1);
	const children = sorted.map((): number[] => []);
	for (const [index, parent] of parents.entries()) {
		children[parent]?.push(index);
	}

	// Every row is below a root or below a member of a cycle.
	const roots = [...parents.keys()].filter(index => parents[index] < 0);
	const lastFirst = [...roots, ...cyclesIn(parents).flat()].sort((one, other) => other - one);
	const pending = lastFirst.map((index): readonly [index: number, depth: number] => [index, 0]);
	const depths = new Map<number, number>();
	for (let next = pending.pop(); next; next = pending.pop()) {
		const [index, depth] = next;
		if (!depths.has(index)) {
			depths.set(index, depth);
			pending.push(...children[index].toReversed().map(child => [child, depth + 1] as const));
		}
	}

	return matchingOf([...depths].map(([index, depth]) => ({...sorted[index], depth})), scope);
}

/** Returns the rows that the filter keeps, and those above them in their chains. */
function matchingOf(rows: readonly BlockerRow[], {filter}: Scope): BlockerRow[] {
	const kept: BlockerRow[] = [];
	let above = 0;
	for (const row of rows.toReversed()) {
		// Going up, the first row less deep than the last one kept is the one above it.
		const isAbove = row.depth < above;
		if (isAbove || isShown(filter, filterFields, row)) {
			kept.push(row);
			above = row.depth;
		}
	}

	return kept.reverse();
}

function waitedForBy(snapshot: Snapshot, thread: number): string | undefined {
	const {threads} = snapshot;
	return thread >= 0 && isContendingNow(snapshot, thread)
		? keyOf(snapshot, {kind: threads.lockKind[thread], lockClass: threads.lockClass[thread], owner: threads.lockOwner[thread]})
		: undefined;
}

const filterFields: FilterFields<BlockerRow> = {
	text({holderName, lockClass, waiters, tookAt, nowAt}) {
		const locations = [tookAt, nowAt, ...waiters.map(({at}) => at)].filter(location => location !== undefined);
		return [holderName, lockClass, ...waiters.map(({name}) => name), ...locations.map(location => locationName(location))].join('\n');
	},
	threads: row => row.threads, blocked: row => row.waitingNow, stuckS: row => row.longestMs / 1000,
};
