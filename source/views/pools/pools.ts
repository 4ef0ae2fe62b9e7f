import type {Snapshot} from '../../model/snapshot.js';
import {poolLimit, unknownFigure, type PoolKind} from '../../model/pool-reading.js';
import {safe, type Printable} from '../../util/printable.js';
import {figureColumn, textColumn, type Column} from '../../query/columns/column.js';
import {
	formatCount, formatDuration, formatMs, formatStuck, formatRate, formats, rounded,
} from '../../query/columns/format.js';
import {sortRows} from '../../query/columns/sort.js';
import {scopeOf} from '../../query/counters/scope.js';
import {isPoolWorker} from '../../query/counters/waiting-stacks.js';
import {filtered, type FilterFields} from '../../query/filter/filter.js';
import {poolStates, type PoolState} from '../../query/pools/pool-state.js';
import type {Query} from '../../query/types/query.js';
import type {ViewResult} from '../common/view.js';

/** A row of the Pools view. */
export type PoolRow = PoolState & {
	readonly key: string;
	readonly name: Printable;
	readonly kind: PoolKind;
	readonly threadKeys: readonly number[];
};

/** What is shown of each kind. */
export const kindTitles: Readonly<Record<PoolKind, Printable>> = {
	executor: safe`executor`,
	scheduled: safe`scheduled`,
	forkjoin: safe`fork/join`,
	carriers: safe`carriers`,
	netty: safe`Netty`,
	hikari: safe`HikariCP`,
};

/** Returns the newest figure of a row; `unknownFigure` if it is too old. */
function figure({reading, isOld}: PoolRow, name: 'size' | 'limit' | 'active' | 'queued' | 'queueBound'): number {
	return isOld ? unknownFigure : reading[name];
}

/** Returns a figure in CSV: empty if it is unknown. */
function field(value: number | undefined): number | string {
	return value === undefined || value === unknownFigure ? '' : rounded(value);
}

function active(row: PoolRow): number {
	return figure(row, 'active');
}

function queued(row: PoolRow): number {
	return figure(row, 'queued');
}

/** Returns a figure and, if there is one, its limit. */
function ofLimit(value: number, limit: number): Printable {
	const text = value === unknownFigure ? safe`?` : formatCount(value);
	return limit === unknownFigure ? text : safe`${text}/${formatCount(limit)}`;
}

function waitText({wait, isOld}: PoolRow): Printable {
	if (!wait || isOld) {
		return safe``;
	}

	return wait.isAtMost
		? safe`<${shortMs(wait.ms)}`
		: (wait.ms < 10 && wait.errorMs < 10
			? safe`${formatMs(wait.ms * 1e6)} ±${shortMs(wait.errorMs)}`
			: safe`${shortMs(wait.ms)} ±${shortMs(wait.errorMs)}`);
}

function shortMs(ms: number): Printable {
	return ms < 10 ? safe`${formatMs(ms * 1e6)}ms` : formatDuration(ms);
}

export function isFull({fullMs, isOld}: PoolState): boolean {
	return fullMs > 0 && !isOld;
}

/** Says how long a pool has been full: 42s, or >=42s. */
function fullText({fullMs, isFullLonger}: PoolState): Printable {
	return formatStuck({stuckMs: fullMs, stuckAtLeast: isFullLonger});
}

export const poolColumns: ReadonlyArray<Column<PoolRow>> = [
	figureColumn('active', active, formats.count, {
		heading: 'ACTIVE', title: 'active', width: 9, fromColumns: 0, sortKeys: ['self'],
		description:
			'threads with tasks, or connections in use; of how many: of the core size if the queue is unbounded',
		thenBy: [queued],
		value: row => row.isOld ? safe`` : ofLimit(active(row), figure(row, 'limit')),
		exportValue: row => field(active(row)),
		role: row => isFull(row) ? 'hot' : undefined,
	}),
	figureColumn('queued', queued, formats.count, {
		heading: 'QUEUE', title: 'queue', width: 9, fromColumns: 0, sortKeys: ['total'],
		description:
			'tasks in the queue, if scheduled only those that are due, or threads that wait for a connection; its bound',
		thenBy: [active],
		value: row => row.isOld || (queued(row) === 0 && figure(row, 'queueBound') <= 0)
			? safe``
			: ofLimit(queued(row), figure(row, 'queueBound')),
		exportValue: row => field(queued(row)),
		role: row => isFull(row) && queued(row) > 0 ? 'hot' : undefined,
	}),
	figureColumn('full', ({fullMs}) => fullMs, formats.duration, {
		heading: 'FULL', title: 'full for', width: 7, fromColumns: 0,
		description: 'how long all of its threads or connections have been in use; >= since before it was first read',
		value: row => isFull(row) ? fullText(row) : safe``,
	}),
	figureColumn('rate', ({perS = 0}) => perS, formats.perS, {
		heading: 'DONE/s', title: 'completed a second', width: 7, fromColumns: 0,
		description: 'tasks completed a second; of fork/join pools, tasks that a thread took from a queue not its own',
		value: ({perS, isOld}) => perS === undefined || isOld ? safe`` : formatRate(perS),
		exportValue: ({perS}) => field(perS),
	}),
	figureColumn('wait', ({wait}) => wait?.ms ?? 0, formats.ms, {
		heading: 'WAIT', title: 'mean wait', width: 13, fromColumns: 76,
		description:
			'mean wait of tasks in the queue and its error: the queue\'s mean length by the tasks begun (Little\'s law)',
		value: row => waitText(row),
		exportValue: ({wait}) => field(wait?.ms),
	}),
	textColumn('name', ({name}) => name, {
		heading: 'POOL', title: 'pool', width: 0, fromColumns: 0, sortKeys: ['name'],
		description:
			'name of its threads without their numbers, or of the pool of connections; ? marks uncertain figures (ZGC)',
		value: ({name, reading}) => reading.isCertain ? name : safe`${name} ?`,
	}),
	textColumn('kind', ({kind}) => kindTitles[kind], {
		heading: 'KIND', title: 'kind', width: 9, fromColumns: 90,
		description: 'executor (Tomcat\'s too), scheduled, fork/join, carriers of virtual threads, Netty, HikariCP',
		role: () => 'dim',
	}),
	figureColumn('size', row => figure(row, 'size'), formats.count, {
		heading: 'SIZE', title: 'size', width: 5, fromColumns: 100,
		description: 'threads, or connections, that it has now',
		value: row => figure(row, 'size') === unknownFigure ? safe`` : formatCount(figure(row, 'size')),
		exportValue: row => field(figure(row, 'size')),
	}),
];

/** Pools, by default without those of whose threads none is counted. */
export function queryPools(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<PoolRow> {
	const scope = scopeOf(snapshot, query);
	const rows = poolStates(snapshot, since, query).map((state): PoolRow => ({
		...state,
		key: `pool ${state.reading.id}`,
		name: state.reading.name,
		kind: state.reading.kind,
		threadKeys: state.threads.map(thread => snapshot.threads.key[thread]),
	}));
	const counted = rows.filter(({threads, kind}) =>
		kind === 'hikari' || threads.length === 0 || threads.some(thread => !scope.threads || scope.threads[thread] === 1));
	return {
		rows: sortRows(filtered(counted, scope.filter, filterFields), poolColumns, query.sort),
		allRows: rows.length,
		...(rows.length >= poolLimit ? {caption: safe`There may be more: only ${poolLimit} pools are read.`} : {}),
		missing: missingText(snapshot),
	};
}

/** Says why pools are not known; undefined if they are, or if no thread is at work in one. */
function missingText({pools, threads, dictionary}: Snapshot): Printable | undefined {
	if (!pools) {
		return safe`pools are not known here: only the memory engine reads them, once a second`;
	}

	const isWorker = (node: number, thread: number) =>
		thread < threads.count && threads.alive[thread] === 1 && isPoolWorker(dictionary, node, {});
	return pools.length === 0 && threads.node.some((node, thread) => isWorker(node, thread))
		? safe`the pools of these threads cannot be read now: the collector may have moved what leads to them`
		: undefined;
}

const filterFields: FilterFields<PoolRow> = {
	text: ({name, kind}) => `${name}\n${kindTitles[kind]}`,
	threads: ({threads}) => threads.length,
	stuckS: ({fullMs}) => fullMs / 1000,
};
