import {unknownStack} from '../model/frame.js';
import {defaultQuery} from '../query/defaults.js';
import {queryLineDetail} from '../query/detail.js';
import {formatCount, formatDuration, formatMs} from '../query/columns/format.js';
import {lineColumns} from '../query/columns/line-columns.js';
import {queryLines} from '../query/lines.js';
import {shortName} from '../query/columns/names.js';
import {groupings, type LineRow} from '../query/types.js';
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
	query: queryLines,
	// It may be there by chance alone.
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
			...(isUnknown && tracer ? [{text: `not stopped to be read: ${tracer} traces threads of this JVM`, role: 'error'} as const] : []),
			...(row.blockedNow > 0 ? [{text: `${row.blockedNow} ${row.blockedNow === 1 ? 'thread' : 'threads'} blocked here now${stuck}`, role: 'error'} as const] : []),
		];
	},
	threadsOf: (_, {threads}) => ({keys: threads.map(({key}) => key), label: threads.length === 1 ? threads[0].name : `${threads.length} threads`}),
};
