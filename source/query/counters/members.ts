import {sumOf} from '../../model/sum.js';
import type {ThreadTable} from '../../model/snapshot.js';

/** Returns the number of threads in a record: unmounted virtual threads with the same stack share one. */
export function membersOf({members}: Pick<ThreadTable, 'members'>, thread: number): number {
	return Math.max(1, members[thread]);
}

export function membersOfAll(threads: Pick<ThreadTable, 'members'>, records: readonly number[]): number {
	return sumOf(records, record => membersOf(threads, record));
}
