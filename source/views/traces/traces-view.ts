import {joined, safe, type Printable} from '../../util/printable.js';
import type {Snapshot} from '../../model/snapshot.js';
import {threadGroups} from '../../model/trace-report.js';
import {noDetail} from '../../query/detail.js';
import {exactMsOf, formatCount, formatNs, formatRate} from '../../query/columns/format.js';
import {csvOf, rowsAsJson} from '../common/file-fields.js';
import {cyclingKey, keyOrOption, openingKeys} from '../common/opening-keys.js';
import type {View, AnnotatedFrame} from '../common/view.js';
import {traceColumns, queryTraces, callsOf} from './trace-rows.js';
import {
	isThinned, longestFirst, tracedMethodName, titleOf, traceMethods, type CallFigures, type TraceRow,
} from './traced-methods.js';

const maxTraces = 5;
const maxIndent = 40;
const groups = ['method', 'tree', 'thread'] as const;
const groupTitles = {method: 'by method', tree: 'tree of calls', thread: 'tree by thread'} as const;

export const tracesView: View<TraceRow> = {
	id: 'traces',
	title: 'Traces',
	columns: traceColumns,
	sort: {column: safe`cumulative`, reverse: false},
	keys: [
		cyclingKey(
			'traced methods, the tree of their calls, or such a tree for each thread',
			groups,
			({tracesBy = 'method'}) => tracesBy,
			tracesBy => ({change: {tracesBy}, message: groupTitles[tracesBy]}),
		),
		...openingKeys,
	],
	about:
		'Traced methods: how often each was called, how long its calls took, and how many ended with an exception; l shows the tree of their calls, and that of each thread. Nothing is sampled: an agent in the JVM counts every call. M on a row of any view adds its method.',
	hints: () => [
		{key: 'enter', title: 'its slowest traces', short: 'traces'},
		{key: 'l', title: 'tree, threads', short: 'tree'},
		{key: 'M', title: 'trace more', short: 'trace'},
	],
	query: queryTraces,
	isDim: row => row.calls === 0,
	remark: ({tracesBy = 'method'}) => tracesBy === 'method' ? safe`` : safe`${groupTitles[tracesBy]}`,
	emptyText({allRows, pending = []}, query) {
		const key = keyOrOption(
			query,
			safe`M on a row of another view traces its method`,
			safe`tprof-top trace traces methods`,
		);
		const text = pending.length === 0
			? safe`no method is traced; ${key}`
			: safe`waiting for a class that matches ${joined(pending, safe` or `)}; it is traced once it is loaded`;
		return allRows === 0 ? text : undefined;
	},
	detail: (snapshot, _baseline, _query, _key, row) => ({
		...noDetail,
		fullStacks: row ? slowestWith(snapshot, row) : [],
	}),
	titleLines: row => [
		{text: titleOf(row), role: 'title'},
		{
			text: safe`${formatCount(row.calls)} calls, ${formatRate(row.callsPerS)} a second; ${
				formatCount(row.exceptions)
			} ended with an exception`,
		},
		isThinned(row) ? {text: thinnedSentence(row)} : undefined,
		row.isReleased ? {text: safe`it exceeded --max-overhead and is no longer traced`} : undefined,
		{text: safe`${joined(callTimes(row), safe`, `)}, own ${formatNs(row.ownNs)}`},
	],
	locationOf: ({className, method}) => className === '' ? undefined : {className, method, file: safe``, line: -1},
	files: {
		csv: csvOf(traceColumns, {
			method: 'method',
			calls: 'calls',
			exceptions: row => row.exceptions,
			calls_per_s: 'calls-per-s',
			exceptions_per_s: 'exceptions',
			mean_ms: 'mean',
			p50_ms: 'p50',
			p99_ms: 'p99',
			max_ms: 'most',
			cumulative_ms: 'cumulative',
			own_ms: 'own',
		}),
		json: ({traces}, since, _query, top) =>
			rowsAsJson(traces ? traceMethods(traces, since?.traces).sort(longestFirst).slice(0, top) : [], traceJson),
	},
};

/** Returns a method's row for JSON. */
export function traceJson(row: TraceRow) {
	return {
		method: tracedMethodName(row),
		parameters: row.parameters,
		...callFiguresAsJson(row),
		...(isThinned(row) ? {oneIn: row.oneIn, errorPercent: row.errorPercent} : {}),
		...(row.isReleased ? {released: true} : {}),
	};
}

/** Returns the known figures of calls for JSON. */
export function callFiguresAsJson(row: CallFigures) {
	const times = {
		cumulativeMs: row.cumulativeNs,
		ownMs: row.ownNs,
		meanMs: row.meanNs,
		p50Ms: row.p50Ns,
		p99Ms: row.p99Ns,
		maxMs: row.mostNs,
	};
	const known = Object.entries(times).filter(([, ns]) => !Number.isNaN(ns));
	return {
		calls: row.calls,
		exceptions: row.exceptions,
		...Object.fromEntries(known.map(([name, ns]) => [name, exactMsOf(ns)])),
	};
}

function callTimes({meanNs, p50Ns, p99Ns, mostNs, cumulativeNs}: TraceRow): Printable[] {
	return ([
		['mean', meanNs],
		['median', p50Ns],
		['99 % within', p99Ns],
		['longest', mostNs],
		['cumulative', cumulativeNs],
	] as const)
		.filter(([, ns]) => !Number.isNaN(ns))
		.map(([what, ns]) => safe`${what} ${formatNs(ns)}`);
}

/** Returns the slowest traces kept whole that contain the row's method and, in a tree by thread, are of its thread. */
function slowestWith({traces}: Snapshot, {id, thread}: TraceRow) {
	const isThread = thread !== undefined && !(threadGroups as readonly string[]).includes(thread);
	return (traces?.slowest ?? [])
		.filter(trace =>
			(id < 0 || trace.actions.some(({method}) => method === id)) && (!isThread || trace.thread === thread))
		.slice(0, maxTraces)
		.map(trace => ({
			title: safe`SLOW TRACE (began, time, own): ${formatNs(trace.durationNs)} in ${trace.thread}, ${trace.key}`,
			frames: callsOf(trace).map(({method, depth, atNs, cumulativeNs, ownNs, isException}): AnnotatedFrame => ({
				className: traces!.methods[method].className,
				method: traces!.methods[method].method,
				file: safe``,
				line: -1,
				before: safe`${joined([atNs, cumulativeNs, ownNs].map(ns => formatNs(ns).padStart(7)), safe` `)}  ${
					safe` `.repeat(Math.min(depth, maxIndent))
				}`,
				behind: isException ? safe` (exception)` : safe``,
			})),
		}));
}

/** Says that only some calls are measured, and what that means for the times. */
function thinnedSentence({oneIn = 1, errorPercent, cumulativeNs}: TraceRow): Printable {
	return joined([
		safe`called so often that only one call in ${oneIn} is measured`,
		...(errorPercent === undefined ? [] : [safe`times are estimates, +/-${Math.ceil(errorPercent)} %`]),
		...(Number.isNaN(cumulativeNs) ? [safe`its cumulative time is unknown, as it is recursive`] : []),
	], safe`; `);
}
