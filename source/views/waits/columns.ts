import type {Location} from '../../query/types/query.js';
import {figure, locationColumn, text, type Column} from '../../query/columns/column.js';
import {formatStuck, formats} from '../../query/columns/format.js';

/** A row of the Waits view: threads that wait for the same in the newest sample. */
export type WaitRow = {
	readonly key: string;
	readonly kind: string;
	readonly peer: string;
	/** How many threads wait, and the keys of their records, who waits longest first. */
	readonly threads: number;
	readonly threadKeys: readonly number[];
	/** Their names without the digits, most threads first. */
	readonly names: readonly string[];
	readonly longestMs: number;
	readonly longestAtLeast: boolean;
	/** The program's line where most of them wait. */
	readonly at?: Location;
	/** They all wait for work. */
	readonly isForWork: boolean;
	/**
	Each thread, who waits longest first, with what its wait alone has; virtual threads that are not mounted are
	together, `threads` of them.
	*/
	readonly waiters: ReadonlyArray<{readonly key: number; readonly name: string; readonly nativeId: number; readonly threads: number; readonly stuckMs: number; readonly end: string}>;
};

export const waitColumns: ReadonlyArray<Column<WaitRow>> = [
	figure('threads', row => row.threads, formats.count, {
		heading: 'THR', title: 'threads', width: 4, fromColumns: 0, sortFigures: ['self', 'ticks'],
		description: 'threads that wait for it now',
		sortBy: [row => row.threads, row => row.longestMs],
	}),
	figure('longest', row => row.longestMs, formats.duration, {
		heading: 'LONGEST', title: 'longest wait', width: 7, fromColumns: 0, sortFigures: ['total', 'total-ticks', 'cpu'],
		description: 'how long the longest of them has waited; >= since before the first sample',
		value: row => row.longestMs > 0 ? formatStuck({stuckMs: row.longestMs, stuckAtLeast: row.longestAtLeast}) : '',
	}),
	text('kind', row => row.kind, {
		heading: 'KIND', title: 'kind', width: 10, fromColumns: 0,
		description: 'what they do: read, write, connect, accept or select in a system call; wait for a monitor, a lock, a queue, a class initialiser...',
	}),
	text('peer', row => row.peer, {
		heading: 'WAITS FOR', title: 'what for', width: 30, fromColumns: 0, sortFigures: ['name'],
		description: 'whom or what for: the address of a server, a file, a child process, a lock and its holder; blank where the kind says all',
	}),
	locationColumn('at', row => row.at, {
		heading: 'AT', title: 'where they wait', width: 0, fromColumns: 72,
		description: 'the program\'s line where most of them wait',
	}),
	text('names', row => row.names.join(', '), {
		heading: 'THREADS', title: 'names', width: 30, fromColumns: 120,
		description: 'names of the threads without their digits', file: row => row.names.join('; '), role: () => 'dim',
	}),
];
