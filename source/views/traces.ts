import type {Snapshot} from '../model/snapshot.js';
import type {WholeTrace} from '../model/traces/report.js';
import {formatCount} from '../query/columns/format.js';
import {formatNs, formatRate, traceColumns} from '../query/columns/trace-columns.js';
import {
	isThinned, nameOf, titleOf, traceMethods, type TraceRow,
} from '../query/traces/methods.js';
import {queryTraces} from '../query/traces/rows.js';
import type {Place} from '../query/types.js';
import {rounded} from './record.js';
import type {View} from './view.js';

/** Calls of a whole trace that a detail lists. */
const mostCalls = 200;
const mostTraces = 3;

/** Traced methods: how often they were called, how long that took. Known exactly, by an agent in the target. */
export const tracesView: View<TraceRow> = {
	id: 'traces',
	title: 'Traces',
	columns: traceColumns,
	sort: {column: 'cumulative', reverse: false},
	keys: [],
	about: 'Traced methods: how often each was called, how long its calls took, and how many ended by an exception. Nothing is sampled: an agent in the JVM counts every call. M on a row of any view adds its method.',
	hints: () => [
		{key: 'enter', title: 'its slowest traces', short: 'traces'},
		{key: 'M', title: 'trace more', short: 'trace'},
		{key: 'f6', title: 'sort', short: 'sort'},
	],
	query: queryTraces,
	isDim: row => row.calls === 0,
	remark: () => '',
	emptyText: ({allRows}) => allRows === 0 ? 'no method is traced; M on a row of another view traces its method' : undefined,
	detail: (snapshot, _baseline, _query, _key, row) => ({
		threads: [], stacks: [], callers: [], callees: [], holders: [], wholeStacks: row ? slowestWith(snapshot, row) : [],
	}),
	titleLines: row => [
		{text: titleOf(row), role: 'title', isWrapped: true},
		{text: `${formatCount(row.calls)} calls, ${formatRate(row.callsPerS)} a second; ${formatCount(row.exceptions)} ended by an exception`, isWrapped: true},
		...(isThinned(row) ? [{text: `called so often that one call in ${row.oneIn} is followed, and stands for the others`, isWrapped: true as const}] : []),
		...(row.isLetGo ? [{text: 'tracing it cost more than --max-overhead allows: it was let go, and is traced no more', isWrapped: true as const}] : []),
		{text: `mean ${formatNs(row.meanNs)}, median ${formatNs(row.p50Ns)}, 99 % within ${formatNs(row.p99Ns)}, longest ${formatNs(row.mostNs)}; open ${formatNs(row.cumulativeNs)}, own ${formatNs(row.ownNs)}`, isWrapped: true},
	],
	placeOf: ({className, method}) => ({
		className, method, file: '', line: -1,
	}),
	threadsOf: row => ({keys: [], label: titleOf(row)}),
	files: {
		csv: [
			{id: 'method', description: 'package.Class.method, with the parameters where several have the name', cell: row => titleOf(row)},
			{id: 'calls', description: 'calls that ended', cell: row => row.calls},
			{id: 'exceptions', description: 'those of them that ended by an exception', cell: row => row.exceptions},
			{id: 'calls_per_s', description: 'calls a second', cell: row => rounded(row.callsPerS)},
			{id: 'exceptions_per_s', description: 'exceptions a second', cell: row => rounded(row.exceptionsPerS)},
			{id: 'mean_ms', description: 'mean time of a call, milliseconds', cell: row => milliseconds(row.meanNs)},
			{id: 'p50_ms', description: 'half of the calls took no longer', cell: row => milliseconds(row.p50Ns)},
			{id: 'p99_ms', description: '99 of 100 calls took no longer', cell: row => milliseconds(row.p99Ns)},
			{id: 'max_ms', description: 'the longest call', cell: row => milliseconds(row.mostNs)},
			{id: 'cumulative_ms', description: 'time in which it was open, all threads added up', cell: row => milliseconds(row.cumulativeNs)},
			{id: 'own_ms', description: 'the same without traced methods that it called', cell: row => milliseconds(row.ownNs)},
		],
		* json(snapshot, baseline, _query, top) {
			const {traces} = snapshot;
			for (const row of traces ? traceMethods(traces, baseline?.traces).sort((a, b) => b.cumulativeNs - a.cumulativeNs || a.id - b.id).slice(0, top) : []) {
				yield JSON.stringify({
					method: nameOf(row), parameters: row.parameters, calls: row.calls, exceptions: row.exceptions, cumulativeMs: milliseconds(row.cumulativeNs), ownMs: milliseconds(row.ownNs),
					meanMs: milliseconds(row.meanNs), p50Ms: milliseconds(row.p50Ns), p99Ms: milliseconds(row.p99Ns), maxMs: milliseconds(row.mostNs),
				});
			}
		},
	},
};

/** To the nanosecond. */
function milliseconds(ns: number): number {
	return Math.round(ns) / 1e6;
}

/** The slowest traces that were kept whole and have the method in them: their calls in the order in which they began. */
function slowestWith({traces}: Snapshot, {id}: TraceRow) {
	return (traces?.slowest ?? []).filter(({actions}) => actions.some(({method}) => method === id)).slice(0, mostTraces).map(trace => ({
		title: `SLOW TRACE: ${formatNs(trace.durationNs)} in ${trace.thread} (${trace.key}), its calls in their order`,
		frames: callsOf(trace, traces!.methods.map(method => ({
			className: method.className, method: method.method, file: '', line: -1,
		}))),
	}));
}

function callsOf({actions}: WholeTrace, places: readonly Place[]): Place[] {
	return actions.filter(({kind}) => kind === 'START').slice(0, mostCalls).map(({method}) => places[method]);
}
