import {fixed, poolName, printable, safe} from '../../util/printable.js';
import {queryThreadDetail} from '../../query/detail.js';
import {decimals, formatCount, formatMs, msOf, plural, stuckInWords} from '../../query/columns/format.js';
import {shortName} from '../../query/columns/names.js';
import {locationName} from '../../query/counters/location.js';
import {waitText, fullWaitText} from '../../query/locks/wait-of.js';
import {csvOf, csvFieldsOfStates} from '../common/file-fields.js';
import {cyclingKey, keyOrOption} from '../common/opening-keys.js';
import type {View} from '../common/view.js';
import {queryThreads} from './threads.js';
import {kindText, lockText, threadsViewColumns, type ThreadRow} from './columns.js';

/** Least time at a line, and least run delay, that a detail mentions. */
const minStuckMs = 1000;
const minDelayNs = 1e6;

export const threadsView: View<ThreadRow> = {
	id: 'threads',
	title: 'Threads',
	columns: threadsViewColumns,
	sort: {column: safe`cpu`, reverse: false},
	keys: [
		cyclingKey(
			'fold pools into one row, or show every thread',
			[true, false],
			({foldPools = true}) => foldPools,
			foldPools => ({
				change: {foldPools},
				message: foldPools ? 'each pool is one row' : 'each thread is one row',
			}),
		),
	],
	about:
		'Threads by CPU time: what each does now, how long it has been there, and what it waits for. Threads of a pool are one row, and so are virtual threads that began in the same method of the program. Those without work are idle, and not listed: the JVM\'s own, and workers that wait in a queue, a selector or accept with no task on their stack.',
	hints(row, {foldPools = true}) {
		const enter = row.state === 'BLOCKED'
			? {key: 'enter', title: 'who holds the lock', short: 'holder'}
			: {key: 'enter', title: 'its lines and stacks', short: 'lines'};
		const only = {key: 't', title: row.threadCount === 1 ? 'only this thread' : 'only these threads', short: 'only'};
		return row.threadCount > 1 && foldPools && !row.isVirtual
			? [{key: 'l', title: 'each thread', short: 'unfold'}, enter, only]
			: [
				enter,
				only,
				foldPools
					? {key: '/', title: 'filter', short: 'filter'}
					: {key: 'l', title: 'pools as one row', short: 'fold'},
			];
	},
	query: queryThreads,
	isDim: row => row.isWithoutWork,
	remark: ({ownFirst}) => ownFirst ? safe`own code` : safe``,
	emptyText({hiddenRows = 0}, query) {
		const which = safe`${hiddenRows} threads${query.filter === '' ? '' : ' that match the filter'}`;
		const key = keyOrOption(query, safe`i`, safe`--idle`);
		return hiddenRows > 0 ? safe`all ${which} waited for work in this window; ${key} shows them` : undefined;
	},
	detail(snapshot, since, query, _key, row) {
		const detail = queryThreadDetail(snapshot, since, query, row?.threadKeys ?? []);
		// A thread is not listed below itself.
		return detail.threads.length < 2 ? {...detail, threads: []} : detail;
	},
	titleLines(row, width) {
		const now = row.now ? safe` at ${shortName(row.now, Math.max(20, width - 30), false)}` : safe``;
		const state
			= row.shownState
				?? (row.isAlive
					? safe`${plural(row.threadCount, safe`thread`)} in several states`
					: (row.isAlive === false
						? safe`ended`
						: safe`state unknown: the profile is of another tool`));
		const kind = kindText(row);
		const stuck = row.stuckMs >= minStuckMs ? safe` for ${stuckInWords(row)}` : safe``;
		return [
			{text: row.name, role: 'title'},
			{
				text: safe`${fixed(row.cpuPercent, 1)}% CPU, ${formatMs(row.cpuNs)} ms, ${formatCount(row.ticks)} ticks${
					row.runDelayNs >= minDelayNs ? safe`, waited ${formatMs(row.runDelayNs)} ms for a CPU` : ''
				}${row.nativeId > 0 ? safe`, tid ${row.nativeId}` : ''}`,
			},
			{text: safe`${state}${now}${stuck}`},
			kind === ''
				? undefined
				: {
					text: row.isVirtual
						? safe`virtual: ${formatCount(row.threadCount)} now, ${formatCount(row.mounted)} of them mounted`
						: kind,
				},
			row.waitsFor && {text: safe`waits for ${lockText(row.waitsFor, Math.max(20, width - 10))}`, role: 'error'},
			row.wait && !row.waitsFor?.ownerName
				? {text: safe`waits: ${row.threadKeys.length === 1 ? fullWaitText(row.wait) : waitText(row.wait)}`}
				: undefined,
		];
	},
	files: {
		csv: csvOf(threadsViewColumns, {
			name: 'name',
			tid: 'tid',
			threads: 'threads',
			cpu_percent: row => decimals(row.cpuPercent, 2),
			cpu_ms: 'cpu-ms',
			ticks: 'ticks',
			...csvFieldsOfStates,
			state: 'state',
			now_at: 'now',
			stuck_ms: 'stuck',
			lock: row => row.waitsFor?.className ?? '',
			owner: 'holder',
			kind: 'kind',
			carrier: row => row.carrierName ?? '',
			mounted: 'mounted',
			wait: row => row.wait?.kind ?? '',
			peer: row => row.wait?.peer ?? '',
			run_delay_ms: row => msOf(row.runDelayNs),
		}),
	},
	keyOfThread: String,
	isAbout({id, figures}, {name, now, own}) {
		if (id === 'pinned') {
			return [now, own].some(location => location && locationName(location) === figures.at);
		}

		const named = {threads: figures.name, pool: figures.pool, jvm: figures.thread}[id];
		return named !== undefined && poolName(name) === poolName(printable(String(named)));
	},
	locationOf: ({now, top}) => top ?? now,
	threadsOf: ({threadKeys, name}) => ({keys: threadKeys, label: name}),
};
