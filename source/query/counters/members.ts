import {sumOf} from '../../model/sum.js';
import type {ThreadTable} from '../../model/snapshot.js';

/** How many threads a record stands for: of virtual threads that are not mounted, those with the same stack are one record. */
export function membersOf({members}: Pick<ThreadTable, 'members'>, thread: number): number {
	return Math.max(1, members[thread]);
}

/** How many threads some records stand for. */
export function membersOfAll(threads: Pick<ThreadTable, 'members'>, records: readonly number[]): number {
	return sumOf(records, record => membersOf(threads, record));
}
