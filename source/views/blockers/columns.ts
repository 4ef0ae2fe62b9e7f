import type {ThreadState} from '../../model/thread-state.js';
import type {Location} from '../../query/types/query.js';
import {figure, locationColumn, text, type Column} from '../../query/columns/column.js';
import {formatStuck, formats} from '../../query/columns/format.js';
import {initialisedText, lockName} from '../../query/columns/names.js';

/** A thread that waits for a lock now, or did in the window. */
export type Waiter = {
	readonly key: number;
	readonly name: string;
	readonly nativeId: number;
	/** How many they are, if it stands for virtual threads. */
	readonly threads: number;
	/** It waits in the newest sample: for how long, at least so long where it did before the first sample. */
	readonly isNow: boolean;
	readonly stuckMs: number;
	readonly stuckAtLeast: boolean;
	/** The program's line that asks for the lock; and for how long it waited in the window, by samples. */
	readonly at?: Location;
	readonly waitedMs: number;
};

/** A row of the Blockers view: the locks of a class that a thread holds, and whom that holds up. */
export type BlockerRow = {
	readonly key: string;
	readonly kind: string;
	readonly lockClass: string;
	/** Index of the holder in the snapshot's thread table, -1 where it is not known, and its name then empty. */
	readonly holder: number;
	readonly holderName: string;
	/** How often it is held for reading now, the holder the first of those that do; 0 if it is not, or that is not known. */
	readonly readers: number;
	readonly holderState?: ThreadState;
	/** Where the holder took it, and where it is now (the program's line): not known, or no longer alive. */
	readonly tookAt?: Location;
	readonly nowAt?: Location;
	/** Who waits now, the longest first, then who did in the window. */
	readonly waiters: readonly Waiter[];
	/** How many threads these are, and how many of them wait now. */
	readonly threads: number;
	readonly waitingNow: number;
	/** The longest of those that wait now has so far. */
	readonly longestMs: number;
	readonly longestAtLeast: boolean;
	/** Waiting time of all threads in the window, by samples. */
	readonly waitedMs: number;
	/** 0; more for a lock whose holder waits for the one of the row above that has one less. */
	readonly depth: number;
	readonly isDeadlocked: boolean;
};

export const blockerColumns: ReadonlyArray<Column<BlockerRow>> = [
	figure('waiting', row => row.waitingNow, formats.count, {
		heading: 'WAIT', title: 'waiters', width: 4, fromColumns: 0, sortFigures: ['self', 'ticks'],
		description: 'threads that wait for the lock now',
		role: row => row.waitingNow > 0 ? 'blocked' : undefined,
		// What cannot end by itself comes first.
		sortBy: [row => Number(row.isDeadlocked), row => row.waitingNow, row => row.longestMs, row => row.waitedMs],
	}),
	figure('longest', row => row.longestMs, formats.duration, {
		heading: 'LONGEST', title: 'longest wait', width: 7, fromColumns: 64,
		description: 'how long the longest of them has waited; >= since before the first sample',
		value: row => row.longestMs > 0 ? formatStuck({stuckMs: row.longestMs, stuckAtLeast: row.longestAtLeast}) : '',
	}),
	figure('waited', row => row.waitedMs, formats.duration, {
		heading: 'WAITED', title: 'waiting time', width: 6, fromColumns: 50, sortFigures: ['total', 'total-ticks', 'cpu'],
		description: 'waiting time of all threads in the window together, by samples',
		isBlank: row => row.waitedMs <= 0,
	}),
	text('holder', row => row.holderName, {
		heading: 'HELD BY', title: 'holder', width: 20, fromColumns: 0, sortFigures: ['name'],
		description: 'the thread that holds it; further in, threads that wait for the one above and hold others up themselves; ? not known; of a lock that is held for reading how often, and the first of its readers',
		value: row => `${'  '.repeat(Math.min(row.depth, maxIndent))}${row.isDeadlocked ? '!' : ''}${holderText(row)}`,
		role: row => row.isDeadlocked ? 'error' : undefined,
	}),
	text('lock', row => row.lockClass, {
		heading: 'LOCK', title: 'lock', width: 14, fromColumns: 72,
		description: 'class of the lock, of a monitor\'s object, or of what is being initialised',
		value: row => row.kind === 'class-init' ? initialisedText(row.lockClass) : lockName(row.lockClass) || row.kind,
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

/** Who holds a lock: `worker-3`, `3 readers, first: worker-3` where it is held for reading, `?` where that is not known. */
export function holderText({holder, holderName, readers}: BlockerRow): string {
	const count = readers === 1 ? '1 reader' : `${readers} readers`;
	return readers === 0 ? (holder < 0 ? '?' : holderName) : (holder < 0 ? count : `${count}, first: ${holderName}`);
}

/** Levels of a chain that are drawn; deeper ones stand as deep as the last. */
const maxIndent = 5;
