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
	/** Number of threads: may be more than one for virtual threads. */
	readonly threads: number;
	/** Whether it waits in the newest sample, for how long, and whether it already waited before the first sample. */
	readonly isNow: boolean;
	readonly stuckMs: number;
	readonly stuckAtLeast: boolean;
	/** The program's line that asks for the lock; and its waiting time in the window, by samples. */
	readonly at?: Location;
	readonly waitedMs: number;
};

/** A row of the Blockers view: the locks of one class that a thread holds, and the threads that this blocks. */
export type BlockerRow = {
	readonly key: string;
	readonly kind: string;
	readonly lockClass: string;
	/** Index of the holder in the snapshot's thread table, -1 if unknown; its name is then empty. */
	readonly holder: number;
	readonly holderName: string;
	/** Number of read holds now, the holder being the first reader; 0 if not held for reading, or if unknown. */
	readonly readers: number;
	readonly holderState?: ThreadState;
	/** The program's lines where the holder took it and is now; undefined if unknown, the second if it has ended. */
	readonly tookAt?: Location;
	readonly nowAt?: Location;
	/** The threads that wait now, the longest first, then those that waited in the window. */
	readonly waiters: readonly Waiter[];
	/** Numbers of all waiters, and of those that wait now. */
	readonly threads: number;
	readonly waitingNow: number;
	/** The longest wait of those that wait now, and whether it began before the first sample. */
	readonly longestMs: number;
	readonly longestAtLeast: boolean;
	/** Waiting time of all threads in the window, by samples. */
	readonly waitedMs: number;
	/** 0 for a root; else one more than the row above whose lock this row's holder waits for. */
	readonly depth: number;
	readonly isDeadlocked: boolean;
};

export const blockerColumns: ReadonlyArray<Column<BlockerRow>> = [
	figure('waiting', row => row.waitingNow, formats.count, {
		heading: 'WAIT', title: 'waiters', width: 4, fromColumns: 0, sortFigures: ['self', 'ticks'],
		description: 'threads that wait for the lock now',
		role: row => row.waitingNow > 0 ? 'blocked' : undefined,
		// Deadlocks come first.
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
		description: 'the thread that holds it; further in, threads that wait for the one above and block others themselves; ? unknown; of a lock that is held for reading how often, and the first of its readers',
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

/** Returns who holds a lock: `worker-3`, or `3 readers, first: worker-3` if held for reading, or `?` if unknown. */
export function holderText({holder, holderName, readers}: BlockerRow): string {
	const count = readers === 1 ? '1 reader' : `${readers} readers`;
	return readers === 0 ? (holder < 0 ? '?' : holderName) : (holder < 0 ? count : `${count}, first: ${holderName}`);
}

/** Most levels by which a row of a chain is indented. */
const maxIndent = 5;
