import {unknownFigure} from '../../model/pool-reading.js';
import {safe, type Printable} from '../../util/printable.js';
import {formatCount, plural, rounded, stuckInWords} from '../../query/columns/format.js';
import {locationNameOrEmpty} from '../../query/columns/column.js';
import {queryThreadDetail} from '../../query/detail.js';
import type {Holder} from '../../query/pools/pool-state.js';
import {csvOf, frameOrNull, rowsAsJson} from '../common/file-fields.js';
import type {View} from '../common/view.js';
import {isFull, kindTitles, poolColumns, queryPools, type PoolRow} from './pools.js';

const maxHolders = 12;

export const poolsView: View<PoolRow> = {
	id: 'pools',
	title: 'Pools',
	columns: poolColumns,
	sort: {column: safe`active`, reverse: false},
	keys: [],
	about:
		'Pools of threads and of connections, read once a second in the JVM\'s memory. One without threads is not shown.',
	hints: () => [
		{key: 'enter', title: 'its threads and stacks', short: 'threads'},
		{key: 't', title: 'only these threads', short: 'only'},
		{key: 'tab', title: 'next view', short: 'view'},
	],
	query: queryPools,
	isDim: ({reading}) => reading.active <= 0 && reading.queued <= 0,
	emptyText: ({missing}, query) => missing ?? (query.filter === '' ? safe`no thread belongs to a pool` : undefined),
	detail(snapshot, since, query, _key, row) {
		const keys = [...row?.threadKeys ?? [], ...row?.holders.map(({thread}) => thread) ?? []];
		return {...queryThreadDetail(snapshot, since, {...query, filter: safe``}, keys), waits: []};
	},
	titleLines: row => [
		{text: safe`${row.name} (${kindTitles[row.kind]})`, role: 'title'},
		{text: row.isOld ? safe`Its figures could not be read for a while.` : figuresText(row)},
		...row.holders.slice(0, maxHolders).map(holder => ({text: safe`  ${holderText(holder)}`})),
		row.holders.length > maxHolders ? {text: safe`  ... and ${row.holders.length - maxHolders} more`} : undefined,
	],
	files: {
		csv: csvOf(poolColumns, {
			pool: 'name',
			kind: 'kind',
			size: 'size',
			limit: row => known(row.reading.limit) ?? '',
			active: 'active',
			queued: 'queued',
			queue_bound: row => known(row.reading.queueBound) ?? '',
			completed: row => known(row.reading.completedEver) ?? '',
			completed_per_s: 'rate',
			wait_ms: 'wait',
			wait_error_ms: ({wait}) => wait ? rounded(wait.errorMs) : '',
			wait_at_most: ({wait}) => wait ? Number(wait.isAtMost) : '',
			full_ms: 'full',
			certain: ({reading}) => Number(reading.isCertain),
		}),
		json(snapshot, since, query, top) {
			return rowsAsJson(queryPools(snapshot, since, query).rows.slice(0, top), poolAsJson);
		},
	},
	locationOf: ({holders}) => holders[0]?.at,
	isAbout: ({id, figures}, {name}) => id.startsWith('pool') && (figures.pool === name || figures.pool === `${name}-*`),
	threadsOf: ({threadKeys, name}) => ({keys: threadKeys, label: name}),
};

function known(figure: number): number | undefined {
	return figure === unknownFigure ? undefined : figure;
}

function poolAsJson(row: PoolRow) {
	const {reading, wait, perS, fullMs, holders, name, kind, isOld, threadKeys} = row;
	const newest = (figure: number) => isOld ? null : known(figure) ?? null;
	return {
		pool: name,
		kind,
		size: newest(reading.size),
		limit: newest(reading.limit),
		active: newest(reading.active),
		queued: newest(reading.queued),
		queueBound: newest(reading.queueBound),
		completed: newest(reading.completedEver),
		completedPerS: perS === undefined ? null : rounded(perS),
		waitMs: wait ? rounded(wait.ms) : null,
		waitErrorMs: wait ? rounded(wait.errorMs) : null,
		waitAtMost: wait?.isAtMost ?? false,
		fullMs: isFull(row) ? Math.round(fullMs) : 0,
		fullAtLeast: isFull(row) && row.isFullLonger,
		isCertain: reading.isCertain,
		threads: threadKeys,
		holders: holders.map(({thread, name: holder, heldMs, isHeldLonger, at}) => ({
			thread, name: holder, heldMs: Math.round(heldMs), heldAtLeast: isHeldLonger, at: frameOrNull(at),
		})),
	};
}

/** Says what a pool does now in a sentence. */
function figuresText(row: PoolRow): Printable {
	const {kind, reading: {size, limit, active, queued, queueBound, isCertain}} = row;
	const isOfConnections = kind === 'hikari';
	const ofLimit = limit === unknownFigure ? safe`` : safe` of at most ${formatCount(limit)}`;
	const what = plural(size, isOfConnections ? safe`connection` : safe`thread`);
	const doing = active === unknownFigure
		? safe``
		: safe`, ${formatCount(active)} ${isOfConnections ? 'in use' : 'with a task'}`;
	const bound = queueBound === unknownFigure ? safe`` : safe` of ${formatCount(queueBound)}`;
	const waiting = queued === unknownFigure
		? safe``
		: (isOfConnections
			? safe`; ${plural(queued, safe`thread waits`, safe`threads wait`)} for one`
			: safe`; ${formatCount(queued)}${bound} queued`);
	const full = isFull(row)
		? safe`; full for ${stuckInWords({stuckMs: row.fullMs, stuckAtLeast: row.isFullLonger})}`
		: safe``;
	return safe`${what}${ofLimit}${doing}${waiting}${full}${isCertain ? '' : ' (not certain)'}`;
}

function holderText({name, heldMs, isHeldLonger, at}: Holder): Printable {
	const held = stuckInWords({stuckMs: heldMs, stuckAtLeast: isHeldLonger});
	const who = name === '' ? safe`on no thread's stack` : safe`held by ${name}`;
	return safe`connection ${who} for ${held}${at ? safe`, at ${locationNameOrEmpty(at)}` : ''}`;
}
