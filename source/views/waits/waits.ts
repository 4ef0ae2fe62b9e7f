import type {Snapshot} from '../../model/snapshot.js';
import {joined, poolName, safe, type Printable} from '../../util/printable.js';
import {sortRows} from '../../query/columns/sort.js';
import {locationName} from '../../query/counters/location.js';
import {membersOf, isOfJvm} from '../../query/counters/thread-table.js';
import {countedThreads, scopeOf} from '../../query/counters/scope.js';
import {filtered, type FilterFields} from '../../query/filter/filter.js';
import {mostOf} from '../../util/sum.js';
import {waitsForWorkNow, isHeldUpNow, missingWaits, programLocation, stuckMs} from '../../query/locks/newest-sample.js';
import {groupWaits, waitOf, waitText, type WaitGroup} from '../../query/locks/wait-of.js';
import type {OwnCodeRule} from '../../query/counters/waiting-stacks.js';
import type {Location, Query} from '../../query/types/query.js';
import {figureColumn, locationColumn, textColumn, type Column} from '../../query/columns/column.js';
import {formatStuck, formats} from '../../query/columns/format.js';
import type {ViewResult} from '../common/view.js';

/** A row of the Waits view: threads that wait for the same thing in the same way in the newest sample. */
export type WaitRow = Pick<WaitGroup, 'kind' | 'peer' | 'longestMs' | 'longestAtLeast'> & {
	readonly key: string;
	readonly threadCount: number;
	/** Keys of their rows in the table, the longest wait first. */
	readonly threadKeys: readonly number[];
	/**
	Pool names (`worker-*`), the one with most threads first; the full name if the table has only one row of them.
	*/
	readonly names: readonly Printable[];
	/** The program's line where most of them wait. */
	readonly at?: Location;
	/** No thread waits for a lock that another one holds; each is the JVM's own or waits for its next task. */
	readonly isForWork: boolean;
	/** Rows of the table, the longest wait first; `threadCount`: threads in a row; `clientSide`: see `Wait`. */
	readonly waiters: ReadonlyArray<
		{
			readonly name: Printable;
			readonly nativeId: number;
			readonly threadCount: number;
			readonly stuckMs: number;
			readonly clientSide: Printable;
		}
	>;
};

export const waitColumns: ReadonlyArray<Column<WaitRow>> = [
	figureColumn('threads', row => row.threadCount, formats.count, {
		heading: 'THR', title: 'threads', width: 4, fromColumns: 0, sortKeys: ['self'],
		description: 'threads that wait for it now',
		sortBy: [row => row.threadCount, row => row.longestMs],
	}),
	figureColumn('longest', row => row.longestMs, formats.duration, {
		heading: 'LONGEST', title: 'longest wait', width: 7, fromColumns: 0, sortKeys: ['total'],
		description: 'how long the longest of them has waited; >= since before the first sample',
		value: row => row.longestMs > 0 ? formatStuck({stuckMs: row.longestMs, stuckAtLeast: row.longestAtLeast}) : safe``,
	}),
	textColumn('kind', row => row.kind, {
		heading: 'KIND',
		title: 'kind',
		width: 10,
		fromColumns: 0,
		description:
			'what they do: read, write, connect, accept or select in a system call; wait for a monitor, a lock, a queue, a class initializer...',
	}),
	textColumn('peer', row => row.peer, {
		heading: 'WAITS FOR',
		title: 'what for',
		width: 30,
		fromColumns: 0,
		sortKeys: ['name'],
		description:
			'whom or what for: the address of a server, a file, a child process, a lock and its holder; blank where the kind says all',
	}),
	locationColumn('at', row => row.at, {
		heading: 'AT', title: 'where they wait', width: 0, fromColumns: 72,
		description: 'the program\'s line where most of them wait',
	}),
	textColumn('names', row => joined(row.names, safe`, `), {
		heading: 'THREADS',
		title: 'names',
		width: 30,
		fromColumns: 120,
		description: 'names of the threads, with * for numbers if there are several',
		exportValue: row => row.names.join('; '),
		role: () => 'dim',
	}),
];

/** What threads wait for in the newest sample; by default without rows whose threads all wait for work. */
export function queryWaits(snapshot: Snapshot, _since: Snapshot | undefined, query: Query): ViewResult<WaitRow> {
	const scope = scopeOf(snapshot, query);
	const rows = groupWaits(snapshot, countedThreads(snapshot, scope), query).map(group =>
		rowOf(snapshot, group, query));
	const matching = filtered(rows, scope.filter, filterFields);
	const visible = query.showsWaitsForWork ? matching : matching.filter(row => !row.isForWork);
	return {
		rows: sortRows(visible, waitColumns, query.sort),
		allRows: rows.length,
		hiddenRows: matching.length - visible.length,
		missing: missingWaits(snapshot),
	};
}

function rowOf(snapshot: Snapshot, group: WaitGroup, rule: OwnCodeRule): WaitRow {
	const {threads} = snapshot;
	const locations = new Map<string, Location>();
	const [byLocation, byName] = [new Map<string, number>(), new Map<Printable, number>()];
	for (const thread of group.threads) {
		const members = membersOf(threads, thread);
		const location = programLocation(snapshot, threads.node[thread]);
		if (location) {
			const name = locationName(location);
			locations.set(name, location);
			byLocation.set(name, members + (byLocation.get(name) ?? 0));
		}

		const name = group.threads.length === 1 ? threads.name[thread] : poolName(threads.name[thread]);
		byName.set(name, members + (byName.get(name) ?? 0));
	}

	const [most] = mostOf(byLocation) ?? [];
	return {
		key: waitText(group),
		kind: group.kind,
		peer: group.peer,
		threadCount: group.count,
		threadKeys: group.threads.map(thread => threads.key[thread]),
		names: [...byName].sort(([, a], [, b]) => b - a).map(([name]) => name),
		longestMs: group.longestMs,
		longestAtLeast: group.longestAtLeast,
		at: most === undefined ? undefined : locations.get(most),
		isForWork: group.threads.every(thread =>
			waitsForWorkNow(snapshot, thread, rule)
			|| (isOfJvm(threads.flags[thread], threads.name[thread]) && !isHeldUpNow(snapshot, thread, rule))),
		waiters: group.threads.map(thread => ({
			name: threads.name[thread],
			nativeId: threads.nativeId[thread],
			threadCount: membersOf(threads, thread),
			stuckMs: stuckMs(snapshot, thread),
			clientSide: waitOf(snapshot, thread, rule)?.clientSide ?? safe``,
		})),
	};
}

const filterFields: FilterFields<WaitRow> = {
	text: ({kind, peer, at, waiters}) =>
		[waitText({kind, peer}), at ? locationName(at) : '', ...waiters.map(({name}) => name)].join('\n'),
	threads: row => row.threadCount,
	stuckS: row => row.longestMs / 1000,
};
