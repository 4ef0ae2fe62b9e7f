import {queryThreadDetail} from '../query/detail.js';
import {formatCount, formatDuration, formatMs} from '../query/columns/format.js';
import {shortName} from '../query/columns/names.js';
import {lockText, threadColumns} from '../query/columns/thread-columns.js';
import {queryThreads} from '../query/threads.js';
import type {ThreadRow} from '../query/types.js';
import type {View} from './view.js';

/** A thread that is somewhere for less says nothing by it. */
const leastStuckMs = 1000;

/** Threads, or pools of them, by their CPU time: what they do now and whom they wait for. */
export const threadsView: View<ThreadRow> = {
	id: 'threads',
	title: 'Threads',
	columns: threadColumns,
	sort: {column: 'cpu', reverse: false},
	keys: [{
		keys: ['l'], shown: 'l', help: 'fold pools into one row, or show every thread',
		press(query) {
			const foldPools = !(query.foldPools ?? true);
			return {change: {foldPools}, said: foldPools ? 'each pool is one row' : 'each thread is one row'};
		},
	}],
	query: queryThreads,
	// It did nothing and is not held up.
	isDim: row => row.cpuNs === 0 && row.state !== 'BLOCKED',
	remark: () => '',
	emptyText: ({idleRows = 0}, {filter}) => idleRows > 0 ? `all ${idleRows} threads${filter === '' ? '' : ' that match the filter'} were idle in this window; i shows them` : undefined,
	detail(snapshot, baseline, query, _key, row) {
		const detail = queryThreadDetail(snapshot, baseline, query, row?.threadKeys ?? []);
		// A thread is not listed below itself.
		return detail.threads.length < 2 ? {...detail, threads: []} : detail;
	},
	titleLines(row, width) {
		const now = row.now ? ` at ${shortName(row.now, Math.max(20, width - 30), false)}` : '';
		const state = row.state ?? (row.alive ? `${row.threadKeys.length} threads in several states` : 'ended');
		const stuck = row.stuckMs >= leastStuckMs ? ` for ${row.stuckAtLeast ? '>= ' : ''}${formatDuration(row.stuckMs)}` : '';
		return [
			{text: row.name, role: 'title', isWrapped: true},
			{text: `${row.cpuPercent.toFixed(1)}% CPU, ${formatMs(row.cpuNs)} ms, ${formatCount(row.ticks)} ticks${row.nativeId > 0 ? `, tid ${row.nativeId}` : ''}`},
			{text: `${state}${now}${stuck}`},
			...(row.waitsFor ? [{text: `waits for ${lockText(row.waitsFor, Math.max(20, width - 10))}`, role: 'error', isWrapped: true} as const] : []),
		];
	},
	threadsOf: ({threadKeys, name}) => ({keys: threadKeys, label: name}),
};
