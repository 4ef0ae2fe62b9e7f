import {unknownStack} from '../model/frame.js';
import {defaultQuery} from '../query/defaults.js';
import {queryLineDetail} from '../query/detail.js';
import {formatCount, formatDuration, formatMs} from '../query/columns/format.js';
import {lineColumns} from '../query/columns/line-columns.js';
import {placeKey} from '../query/facts/place.js';
import {queryLines} from '../query/lines.js';
import {shortName} from '../query/columns/names.js';
import {groupings, type LineRow} from '../query/types.js';
import {decimals, msOf, stateColumns} from './record.js';
import type {View} from './view.js';

/** Hot places: lines, methods or classes by their share of CPU time. */
export const linesView: View<LineRow> = {
	id: 'lines',
	title: 'Lines',
	columns: lineColumns,
	sort: defaultQuery.sort,
	keys: [{
		keys: ['l'], shown: 'l', help: 'rows by line, method or class', knownFrom: 'py-spy',
		press(query) {
			const by = groupings[(groupings.indexOf(query.by) + 1) % groupings.length];
			return {change: {by}, said: `rows by ${by}`};
		},
	}],
	about: 'Where CPU time goes, and where threads wait: each line, method or class with its share of the CPU time, what it calls left out (%SELF) or not (%TOT). Rows within their sampling error are dim.',
	hints(row) {
		const only = {key: 't', title: row.threadCount === 1 ? 'only its thread' : 'only its threads', short: 'threads'};
		return row.blockedNow > 0
			? [{key: 'enter', title: 'who holds the lock', short: 'holder'}, only, {key: '/', title: 'filter', short: 'filter'}]
			: [{key: 'enter', title: 'stacks and callers', short: 'stacks'}, {key: 'f', title: 'where its time goes', short: 'focus'}, only];
	},
	query: queryLines,
	// It may be there only by chance.
	isDim: row => row.selfPercent <= row.errorPercent && row.blockedNow === 0,
	remark: ({by}) => by === 'line' ? '' : `by ${by}`,
	emptyText: () => undefined,
	detail: (snapshot, baseline, query, key) => queryLineDetail(snapshot, baseline, query, key),
	titleLines(row, width, tracer) {
		const stuck = row.stuckMs > 0 ? `${row.blockedNow === 1 ? ' for ' : ', longest for '}${row.stuckAtLeast ? '>= ' : ''}${formatDuration(row.stuckMs)}` : '';
		const shares = `${row.selfPercent.toFixed(1)}% +/- ${row.errorPercent.toFixed(1)} self, ${row.totalPercent.toFixed(1)}% total`;
		const figures = `${shares}, ${formatMs(row.selfCpuNs)} ms CPU, ${formatCount(row.selfTicks)} ticks`;
		const isUnknown = row.className === unknownStack.className && row.method === unknownStack.method;
		return [
			{text: shortName(row, width, true), role: 'title'},
			{text: `${row.file === '' ? '' : `${row.file}  `}${figures}`},
			...(isUnknown && tracer ? [{text: `not stopped for reading: ${tracer} is tracing threads of this JVM`, role: 'error'} as const] : []),
			...(row.blockedNow > 0 ? [{text: `${row.blockedNow} ${row.blockedNow === 1 ? 'thread' : 'threads'} blocked here now${stuck}`, role: 'error'} as const] : []),
		];
	},
	files: {
		csv: [
			{id: 'class', description: 'fully qualified class', cell: row => row.className},
			{id: 'method', description: 'method; empty with --by class', cell: row => row.method},
			{id: 'file', description: 'source file, empty if not known', cell: row => row.file},
			{id: 'line', description: 'source line; -1 unknown, -2 native method', cell: row => row.line},
			{id: 'self_percent', description: 'share of CPU time (of ticks where the counted states use none)', cell: row => decimals(row.selfPercent, 2)},
			{id: 'error_percent', description: 'half the width of its 95 % confidence interval, percentage points', cell: row => decimals(row.errorPercent, 2)},
			{id: 'total_percent', description: 'like self_percent, including callees', cell: row => decimals(row.totalPercent, 2)},
			{id: 'self_ticks', description: 'thread samples in the counted states', cell: row => row.selfTicks},
			{id: 'total_ticks', description: 'the same, including callees', cell: row => row.totalTicks},
			{id: 'self_cpu_ms', description: 'CPU time, milliseconds', cell: row => msOf(row.selfCpuNs)},
			{id: 'total_cpu_ms', description: 'the same, including callees', cell: row => msOf(row.totalCpuNs)},
			{id: 'threads', description: 'threads seen there', cell: row => row.threadCount},
			{id: 'blocked_now', description: 'threads that were blocked there at the end', cell: row => row.blockedNow},
			{id: 'stuck_ms', description: 'how long the longest of them had been blocked there, milliseconds', cell: row => Math.round(row.stuckMs)},
			...stateColumns<LineRow>(),
			{id: 'top_threads', description: 'up to three threads with the most CPU time there, separated by "; "', cell: row => row.topThreads.join('; ')},
		],
	},
	keyOfPlace: placeKey,
	placeOf: row => row,
	threadsOf: (_, {threads}) => ({keys: threads.map(({key}) => key), label: threads.length === 1 ? threads[0].name : `${threads.length} threads`}),
};
