import {joined, safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {alignedTo} from '../../query/counters/aligned.js';
import {lockKinds} from '../../model/sample.js';
import {rowsInWindow} from '../../model/rows-in-window.js';
import {contentionColumns} from '../../model/schema.js';
import type {Snapshot} from '../../model/snapshot.js';
import {threadStates, type ThreadState} from '../../model/thread-state.js';
import {sortRows} from '../../query/columns/sort.js';
import {isKnownLocation, locationName, locationOfFrame} from '../../query/counters/location.js';
import {membersOf, unseenVirtualThreads} from '../../query/counters/thread-table.js';
import {isCounted, scopeOf, type Scope} from '../../query/counters/scope.js';
import {tickMs} from '../../query/counters/share.js';
import {passesFilter, type FilterFields} from '../../query/filter/filter.js';
import type {Query, Location} from '../../query/types/query.js';
import {
	isStuckLonger,
	stuckMs,
	isContendingNow,
	isContention,
	missingWaits,
	programLocation,
} from '../../query/locks/newest-sample.js';
import {cyclesIn, deadlocksOf} from '../../query/locks/deadlocks.js';
import {figureColumn, locationColumn, textColumn, type Column} from '../../query/columns/column.js';
import {formatStuck, formats} from '../../query/columns/format.js';
import {initializerText, lockName} from '../../query/columns/names.js';
import type {ViewResult} from '../common/view.js';

/** A thread that waits for a lock now, or did in the window. */
export type Waiter = {
	readonly key: number;
	readonly name: Printable;
	readonly nativeId: number;
	/** May be more than one for virtual threads. */
	readonly threadCount: number;
	/** Whether it waits in the newest sample. */
	readonly isNow: boolean;
	/** How long it has waited. */
	readonly stuckMs: number;
	/** `stuckMs` is a lower bound: it already waited before the first sample. */
	readonly stuckAtLeast: boolean;
	/** The program's line that asks for the lock. */
	readonly at?: Location;
	/** Its waiting time in the window, by samples. */
	readonly waitedMs: number;
};

/** A row of the Blockers view: the locks of one class that a thread holds, and the threads that this blocks. */
export type BlockerRow = {
	readonly key: string;
	readonly kind: Printable;
	readonly lockClass: Printable;
	/** Index of the holder in the snapshot's thread table, -1 if unknown; its name is then empty. */
	readonly holder: number;
	readonly holderName: Printable;
	/** Number of holders for which no thread waits any more, if they are folded into this row; else 0. */
	readonly earlierHolders: number;
	/** Number of read holds now, the first of which is the holder's; 0 if not held for reading, or if unknown. */
	readonly readers: number;
	readonly holderState?: ThreadState;
	/** The program's line where the holder took the lock; undefined if unknown. */
	readonly tookAt?: Location;
	/** The program's line where the holder is now; undefined if unknown, or if the holder has ended. */
	readonly nowAt?: Location;
	/** The threads that wait now, the longest first, then those that waited in the window. */
	readonly waiters: readonly Waiter[];
	/** Number of threads in `waiters`. */
	readonly waiterCount: number;
	/** How many of them wait now. */
	readonly waitingNow: number;
	/** The longest wait of those that wait now. */
	readonly longestMs: number;
	/** `longestMs` is a lower bound: that wait began before the first sample. */
	readonly longestAtLeast: boolean;
	/** Waiting time of all threads in the window, by samples. */
	readonly waitedMs: number;
	/** 0 for a root; else one more than the depth of the row for whose lock this row's holder waits. */
	readonly depth: number;
	readonly isDeadlocked: boolean;
};

export const blockerColumns: ReadonlyArray<Column<BlockerRow>> = [
	figureColumn('waiting', row => row.waitingNow, formats.count, {
		heading: 'WAIT', title: 'waiters', width: 4, fromColumns: 0, sortKeys: ['self'],
		description: 'threads that wait for the lock now',
		role: row => row.waitingNow > 0 ? 'blocked' : undefined,
		// Deadlocks come first.
		sortBy: [row => Number(row.isDeadlocked), row => row.waitingNow, row => row.longestMs, row => row.waitedMs],
	}),
	figureColumn('longest', row => row.longestMs, formats.duration, {
		heading: 'LONGEST', title: 'longest wait', width: 7, fromColumns: 64,
		description: 'how long the longest of them has waited; >= since before the first sample',
		value: row => row.longestMs > 0 ? formatStuck({stuckMs: row.longestMs, stuckAtLeast: row.longestAtLeast}) : safe``,
	}),
	figureColumn('waited', row => row.waitedMs, formats.duration, {
		heading: 'WAITED', title: 'waiting time', width: 6, fromColumns: 50, sortKeys: ['total'],
		description: 'waiting time of all threads in the window together, by samples',
		isBlank: row => row.waitedMs <= 0,
	}),
	textColumn('holder', row => row.holderName, {
		heading: 'HELD BY',
		title: 'holder',
		width: 20,
		fromColumns: 0,
		sortKeys: ['name'],
		description:
			'the thread that holds it, indented below the row for whose lock it waits itself; ? unknown; for a lock that is held for reading, the number of readers and the first one',
		value: row => safe`${safe`  `.repeat(Math.min(row.depth, maxIndent))}${row.isDeadlocked ? '!' : ''}${
			holderText(row)
		}`,
		role: row => row.isDeadlocked ? 'error' : undefined,
	}),
	textColumn('lock', row => row.lockClass, {
		heading: 'LOCK', title: 'lock', width: 14, fromColumns: 72,
		description: 'class of the lock, of a monitor\'s object, or of what is being initialized',
		value: row => row.kind === 'class-init' ? initializerText(row.lockClass) : lockName(row.lockClass) || row.kind,
	}),
	locationColumn('took', row => row.tookAt, {
		heading: 'TOOK IT AT', title: 'where it was taken', width: 32, fromColumns: 120,
		description: 'the line where the holder took the lock, where that is known (monitors)',
	}),
	locationColumn('now', row => row.nowAt, {
		heading: 'HOLDER IS AT', title: 'where the holder is', width: 0, fromColumns: 0,
		description: 'the program\'s line at which the holder is now',
	}),
	locationColumn('waiters-at', row => row.waiters[0]?.at, {
		heading: 'WAITERS ARE AT', title: 'where they wait', width: 32, fromColumns: 160,
		description: 'the program\'s line at which the one that waits longest asks for the lock',
	}),
];

/**
Returns who holds a lock: `worker-3`, or `3 readers, first: worker-3` if held for reading, or `?` if unknown, or
`3 earlier ones`.
*/
export function holderText({holder, holderName, readers, earlierHolders}: BlockerRow): Printable {
	if (earlierHolders > 0) {
		return safe`${earlierHolders} earlier ones`;
	}

	const count = readers === 1 ? safe`1 reader` : safe`${readers} readers`;
	return readers === 0
		? (holder < 0 ? safe`?` : holderName)
		: (holder < 0 ? count : safe`${count}, first: ${holderName}`);
}

const maxIndent = 5;

/** Returns who blocks whom, now and in the window. Indented below a row: the locks that its waiters hold. */
export function queryBlockers(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<BlockerRow> {
	const scope = scopeOf(snapshot, query);
	const deadlocked = new Set(deadlocksOf(snapshot).flat().map(({thread}) => thread));
	const single = sumsOf(snapshot, since, scope).map(sum => rowOf(snapshot, sum, deadlocked.has(sum.owner)));
	const rows = query.foldPools ? foldEarlier(single) : single;
	const unobserved = unseenVirtualThreads(snapshot);
	const caption = unobserved && safe`Not every blocker is known: ${unobserved}.`;
	return {
		rows: inChains(snapshot, rows, scope, query),
		allRows: rows.length,
		caption,
		missing: missingWaits(snapshot),
	};
}

/** Names of holders that a row has at most. */
const maxHolderNames = 20;

/** Folds the holders of locks of one class for which no thread waits any more into one row. */
function foldEarlier(rows: readonly BlockerRow[]): BlockerRow[] {
	const groups = new Map<string, BlockerRow[]>();
	for (const row of rows) {
		const isEarlier = row.waitingNow === 0 && !row.isDeadlocked;
		getOrCreate(groups, isEarlier ? `earlier ${row.kind} ${row.lockClass}` : row.key, () => []).push(row);
	}

	return Array.from(groups, ([key, group]) => {
		const [first, second] = group;
		return second
			? {
				...first,
				key,
				holder: -1,
				holderName: joined(group.slice(0, maxHolderNames).map(({holderName}) => holderName), safe`, `),
				earlierHolders: group.length,
				readers: 0,
				holderState: undefined,
				tookAt: undefined,
				nowAt: undefined,
				waiters: mergedWaiters(group),
				waiterCount: sumOf(mergedWaiters(group), ({threadCount}) => threadCount),
				waitedMs: sumOf(group, ({waitedMs}) => waitedMs),
			}
			: first;
	});
}

/** Returns the waiters of rows that wait no more, each once, those that waited longest first. */
function mergedWaiters(rows: readonly BlockerRow[]): readonly Waiter[] {
	const merged = new Map<number, Waiter>();
	for (const waiter of rows.flatMap(({waiters}) => waiters)) {
		merged.set(waiter.key, {...waiter, waitedMs: waiter.waitedMs + (merged.get(waiter.key)?.waitedMs ?? 0)});
	}

	return [...merged.values()].sort((a, b) => b.waitedMs - a.waitedMs || a.key - b.key);
}

/** A thread's waits for a row's locks; `node`: its stack at the last of them. */
type WaiterSums = {ticks: number; node: number; isNow: boolean};

/** The waits for the locks of one class and holder: what a row is made of. */
type LockSums = {
	readonly key: string; readonly kind: number; readonly lockClass: number; readonly owner: number;
	/** The frame where the owner took the lock, 0 if unknown; that of the newest sample if a thread waits now. */
	ownerFrame: number;
	readers: number;
	readonly waiters: Map<number, WaiterSums>;
	/** Milliseconds that a tick represents. */
	readonly tickMs: number;
};

function sumsOf(snapshot: Snapshot, since: Snapshot | undefined, scope: Pick<Scope, 'threads'>): LockSums[] {
	const {threads, contention, dictionary} = snapshot;
	const sums = new Map<string, LockSums>();
	const waitOf = (
		thread: number,
		{readers = 0, ...lock}: {kind: number; lockClass: number; owner: number; ownerFrame: number; readers?: number},
	): WaiterSums => {
		const key = keyOf(snapshot, lock);
		const sum = getOrCreate<string, LockSums>(sums, key, () => ({
			...lock, key, readers: 0, waiters: new Map(), tickMs: tickMs(snapshot, since),
		}));
		sum.ownerFrame = lock.ownerFrame || sum.ownerFrame;
		sum.readers = Math.max(readers, sum.readers);
		return getOrCreate<number, WaiterSums>(sum.waiters, thread, () => ({ticks: 0, node: 0, isNow: false}));
	};

	const isWanted = (index: number) =>
		isCounted(scope, contention.thread[index])
		&& isContention(
			contention.lockKind[index],
			dictionary.strings[contention.lockClass[index]],
			contention.owner[index],
		);
	const window = rowsInWindow(contentionColumns, contention, alignedTo(snapshot, since)?.contention, isWanted);
	for (let index = 0; index < window.count; index++) {
		const waiter = waitOf(window.thread[index], {
			kind: window.lockKind[index],
			owner: window.owner[index],
			lockClass: window.lockClass[index],
			ownerFrame: window.ownerFrame[index],
		});
		waiter.ticks += window.ticks[index];
		waiter.node = window.node[index];
	}

	for (let thread = 0; thread < threads.count; thread++) {
		if (isCounted(scope, thread) && isContendingNow(snapshot, thread)) {
			const waiter = waitOf(thread, {
				kind: threads.lockKind[thread],
				owner: threads.lockOwner[thread],
				lockClass: threads.lockClass[thread],
				ownerFrame: threads.lockOwnerFrame[thread],
				readers: threads.lockReaders[thread],
			});
			waiter.isNow = true;
			waiter.node = threads.node[thread];
		}
	}

	return [...sums.values()];
}

function keyOf(
	{threads, dictionary}: Snapshot,
	{kind, lockClass, owner}: {readonly kind: number; readonly lockClass: number; readonly owner: number},
): string {
	return `${owner < 0 ? '?' : threads.key[owner]} ${lockKinds[kind]} ${dictionary.strings[lockClass]}`;
}

function rowOf(
	snapshot: Snapshot,
	{key, kind, lockClass, owner, ownerFrame, readers, waiters, tickMs}: LockSums,
	isDeadlocked: boolean,
): BlockerRow {
	const {threads, dictionary} = snapshot;
	const isAlive = owner >= 0 && threads.alive[owner] === 1;
	const now = isAlive ? programLocation(snapshot, threads.node[owner]) : undefined;
	const rows = Array.from(waiters, ([thread, {ticks, node, isNow}]): Waiter => ({
		key: threads.key[thread],
		name: threads.name[thread],
		nativeId: threads.nativeId[thread],
		threadCount: membersOf(threads, thread),
		isNow,
		stuckMs: isNow ? stuckMs(snapshot, thread) : 0,
		stuckAtLeast: isNow && isStuckLonger(snapshot, thread),
		at: programLocation(snapshot, node),
		waitedMs: ticks * tickMs,
	})).sort((a, b) =>
		Number(b.isNow) - Number(a.isNow) || b.stuckMs - a.stuckMs || b.waitedMs - a.waitedMs || a.key - b.key);
	return {
		key,
		kind: safe`${lockKinds[kind]}`,
		lockClass: dictionary.strings[lockClass],
		holder: owner,
		holderName: owner < 0 ? safe`` : threads.name[owner],
		earlierHolders: 0,
		readers,
		holderState: isAlive ? threadStates[threads.state[owner]] : undefined,
		tookAt: ownerFrame > 0 ? locationOfFrame(dictionary, ownerFrame, 'line') : undefined,
		nowAt: now && isKnownLocation(now) ? now : undefined,
		waiters: rows,
		waiterCount: sumOf(rows, ({threadCount}) => threadCount),
		waitingNow: sumOf(rows, ({isNow, threadCount}) => isNow ? threadCount : 0),
		longestMs: rows[0]?.stuckMs ?? 0,
		longestAtLeast: rows.some(({stuckAtLeast}) => stuckAtLeast),
		waitedMs: sumOf(rows, ({waitedMs}) => waitedMs),
		depth: 0,
		isDeadlocked,
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

	return matchingChains([...depths].map(([index, depth]) => ({...sorted[index], depth})), scope);
}

/** Returns the rows that the filter keeps, and those above them in their chains. */
function matchingChains(rows: readonly BlockerRow[], {filter}: Scope): BlockerRow[] {
	const kept: BlockerRow[] = [];
	let keptDepth = 0;
	for (const row of rows.toReversed()) {
		// Going up, the first row less deep than the last one kept is its parent.
		if (row.depth < keptDepth || passesFilter(filter, filterFields, row)) {
			kept.push(row);
			keptDepth = row.depth;
		}
	}

	return kept.reverse();
}

/** Returns the key of the row for whose lock a thread waits now; undefined if it waits for none. */
function waitedForBy(snapshot: Snapshot, thread: number): string | undefined {
	const {threads} = snapshot;
	return thread >= 0 && isContendingNow(snapshot, thread)
		? keyOf(snapshot, {
			kind: threads.lockKind[thread],
			lockClass: threads.lockClass[thread],
			owner: threads.lockOwner[thread],
		})
		: undefined;
}

const filterFields: FilterFields<BlockerRow> = {
	text({holderName, lockClass, waiters, tookAt, nowAt}) {
		const locations = [tookAt, nowAt, ...waiters.map(({at}) => at)].filter(location => location !== undefined);
		return [
			holderName,
			lockClass,
			...waiters.map(({name}) => name),
			...locations.map(location => locationName(location)),
		].join('\n');
	},
	threads: row => row.waiterCount,
	blocked: row => row.waitingNow,
	stuckS: row => row.longestMs / 1000,
};
