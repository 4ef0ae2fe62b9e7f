import {expect, test} from 'vitest';
import fc from 'fast-check';
import {safe} from '../../source/util/printable.js';
import {refusalNotes} from '../../source/commands/trace-texts.js';
import {reportFormats} from '../../source/exports/formats/format-registry.js';
import {bucketCount, bucketStartNs, percentileNs} from '../../source/model/histogram.js';
import {parseReport, parametersOf} from '../../source/model/report-bytes.js';
import type {TraceReport} from '../../source/model/trace-report.js';
import {UserError} from '../../source/runtime/errors.js';
import {loadResult} from '../../source/tracing/agent-session.js';
import {LiveReports} from '../../source/tracing/live-reports.js';
import {threadTrees, titleOf, traceMethods} from '../../source/views/traces/traced-methods.js';
import {traceColumns, queryTraces} from '../../source/views/traces/trace-rows.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {serviceSnapshots} from '../exports/snapshots.js';
import {picture} from '../helpers/picture.js';
import {report} from '../helpers/reports.js';
import {sourceOf} from '../helpers/session-screen.js';
import {noTarget} from '../helpers/jvm.js';

test('any bytes are a report that can be read to its end, or are refused', () => {
	fc.assert(
		fc.property(fc.uint8Array({maxLength: 200, max: 4}), bytes => {
			try {
				const {slowest, byThread} = parseReport(Uint8Array.of(4, 2, ...bytes));
				expect([...slowest.map(({actions}) => actions), ...byThread.map(({paths}) => paths)].every(read =>
					Array.isArray(read))).toBe(true);
			} catch (error) {
				expect(error).toBeInstanceOf(RangeError);
			}
		}),
		{numRuns: 1000},
	);
	expect(() => parseReport(Uint8Array.of(1, 2))).toThrow('unknown report format');
	// As many nodes as there may be, without their bytes.
	expect(() => parseReport(Uint8Array.of(4, 2, ...Array.from({length: 15}, () => 0), 0xE8, 0xFB, 0x03)))
		.toThrow('truncated data');
});

test('rows of a tree are the calls by the ways that led to them, open but for what calls itself', () => {
	const rowsOf = (query: Partial<Query>) =>
		queryTraces({...picture('main | R | a.B.c:1'), traces: report}, undefined, {
			...defaultQuery,
			sort: {column: 'cumulative', reverse: false},
			...query,
		})
			.rows.map(row =>
				`${' '.repeat(row.tree!.level)}${row.isOpen ? '-' : (row.tree!.hasChildren ? '+' : ' ')}${titleOf(row)} ${row.calls}`);

	expect(rowsOf({tracesBy: 'tree'})).toEqual(['-a.B.outer 4', '  a.B.in<&>ner 10', '  a.B.outer 1']);
	expect(rowsOf({tracesBy: 'tree', sort: {column: 'cumulative', reverse: true}})).toEqual([
		'-a.B.outer 4',
		'  a.B.outer 1',
		'  a.B.in<&>ner 10',
	]);
	expect(rowsOf({tracesBy: 'tree', tree: {opened: new Map([['t-1', 'closed']])}})).toEqual(['+a.B.outer 4']);
	expect(rowsOf({tracesBy: 'tree', filter: 'ner'})).toEqual(['-a.B.outer 4', '  a.B.in<&>ner 10']);
});

test('what a thread had called before a window is part of what ended threads called when it has ended', () => {
	const [first, ended] = report.byThread;
	const then = {
		...report,
		elapsedNs: 1e9,
		byThread: [{...first, paths: first.paths.slice(0, 1)}, {
			number: 5,
			name: safe`gone`,
			paths: ended.paths.map(path => ({...path, calls: 4})),
		}],
	};
	const trees = threadTrees(report, then).map(({name, calls, rows}) => ({
		name,
		calls,
		inner: rows[0].children.map(row => row.calls),
	}));
	expect(trees).toEqual([{name: first.name, calls: 1, inner: [1]}, {name: ended.name, calls: 6, inner: [6]}]);
});

test('a row says what of its calls is not known exactly', () => {
	const [method] = traceMethods({
		...report,
		methods: [{...report.methods[0], oneIn: 64, isReleased: true}, report.methods[1]],
	}, undefined);
	const {value} = traceColumns.find(({id}) => id === 'method')!;
	const error = Math.ceil(method.errorPercent!);
	const name = value(method, {room: 40, fullNames: false, measure: 'cpu', overMs: 0});
	expect(name).toBe(`a.B.outer [1 in 64 +/-${error}%, released]`);
	expect(refusalNotes({...report, methods: [method]})).toEqual([
		expect.stringMatching(/only some of the calls .*: a\.B\.outer$/),
		expect.stringMatching(/no longer traced: a\.B\.outer$/),
	]);
});

test('times have an error if only some calls were timed; how long a method that calls itself was open is not known then', () => {
	const calls = (count: readonly number[], parent = [-1, 0]): TraceReport => ({
		...report,
		methods: [{...report.methods[0], oneIn: 64}, report.methods[1]],
		nodes: {
			...report.nodes,
			count: parent.length,
			parent: Int32Array.from(parent),
			method: Int32Array.from(parent, () => 0),
			// Of 1 and of 2 microseconds.
			durations: {
				start: Int32Array.of(0, 0, 2, 2),
				bucket: Uint16Array.of(200, 220),
				count: Float64Array.from(count),
			},
		},
	});
	const rowOf = (of: TraceReport) => traceMethods(of, undefined)[0];
	const once = rowOf(calls([32_000, 32_000]));
	// 1,000 followed, the standard deviation is a third of the mean: 1.96 * sqrt(4 / 3 / 1000) / 3.
	expect(once.errorPercent).toBeCloseTo(2.4, 1);
	expect(once.cumulativeNs).toBeGreaterThan(0);
	expect(rowOf(calls([64_000, 0])).errorPercent).toBeCloseTo(0, 3);
	expect(rowOf(calls([64, 64])).errorPercent).toBeGreaterThan(50);
	expect(rowOf(calls([32_000, 32_000], [-1, 0, 1])).cumulativeNs).toBeNaN();
	expect(rowOf({...calls([32_000, 32_000], [-1, 0, 1]), methods: report.methods}).cumulativeNs).toBeGreaterThan(0);
});

test('calls whose end had no room end with their trace, for the browser', () => {
	const [trace] = report.slowest;
	const cut = {...trace, droppedActions: 2, actions: trace.actions.slice(0, 2)};
	expect(chromeEvents([cut]).slice(2).map(({ph, name, ts, dur}) => [ph, name, ts, dur])).toEqual([
		['X', 'a.B.outer', 0, 2000], ['X', 'a.B.in<&>ner', 500, 1500],
	]);
});

test('calls of a thread contain or follow each other for the browser, to the nanosecond', () => {
	const [trace] = report.slowest;
	const {actions: [outer, inner]} = trace;
	// Calls some nanoseconds apart; the second begins before the first ends, the last is of another thread of that
	// name.
	const starts = Array.from({length: 50}, (_, depth) => ({...inner, atNs: (depth + 1) * 7}));
	const ends = starts.map(({atNs}) => ({...inner, kind: 'END' as const, atNs: 2_000_000 - atNs})).toReversed();
	const deep = {
		...trace, startedAtMs: 1_790_000_000_123.5, durationNs: 2_000_000,
		actions: [{...outer, atNs: 0}, ...starts, ...ends, {...outer, kind: 'END' as const, atNs: 2_000_000}],
	};
	const later = [1, 3].map(ms => ({...deep, startedAtMs: deep.startedAtMs + ms}));
	const calls = chromeEvents([deep, ...later, deep]).filter(({ph}) => ph === 'X');
	expect(calls).toHaveLength(4 * 51);
	const ns = (us: number) => Math.round(us * 1000);
	for (const tid of new Set(calls.map(call => call.tid))) {
		const open: number[] = [];
		let beganNs = 0;
		for (const {ts, dur} of calls.filter(call => call.tid === tid)) {
			expect(ns(ts)).toBeGreaterThanOrEqual(beganNs);
			beganNs = ns(ts);
			while (open.length > 0 && open.at(-1)! <= beganNs) {
				open.pop();
			}

			expect(ns(ts) + ns(dur)).toBeLessThanOrEqual(open.at(-1) ?? Infinity);
			open.push(ns(ts) + ns(dur));
		}
	}

	const [first] = calls;
	expect(calls.slice(0, 51).map(({ts}) => ns(ts - first.ts))).toEqual([0, ...starts.map(({atNs}) => atNs)]);
});

type ChromeEvent = {
	readonly ph: string;
	readonly name: string;
	readonly tid: number;
	readonly ts: number;
	readonly dur: number;
};

/** The trace events of the slowest traces. */
function chromeEvents(slowest: TraceReport['slowest']): ChromeEvent[] {
	const {traces} = reportFormats('traces').find(({id}) => id === 'chrome')!;
	const text = String(traces.write(noTarget.facts, {...report, slowest}, {version: '1', notes: []}));
	return (JSON.parse(text) as {traceEvents: ChromeEvent[]}).traceEvents;
}

test('percentiles lie in the right bucket, which is 5 % wide at most, and between the shortest and the longest', () => {
	const none = {bucket: new Uint16Array(), count: new Float64Array()};
	expect(percentileNs({buckets: none, leastNs: 0, mostNs: 0}, 0.5)).toBe(0);
	for (let bucket = 1; bucket < bucketCount; bucket++) {
		expect(bucketStartNs(bucket + 1) / bucketStartNs(bucket)).toBeLessThanOrEqual(1.05 + 1e-12);
	}

	const at = (ns: number) =>
		Array.from({length: bucketCount}, (_, bucket) => bucket).findLast(bucket => bucketStartNs(bucket) <= ns)!;
	const durations = {
		buckets: {bucket: Uint16Array.of(at(600), at(800_000)), count: Float64Array.of(99, 1)},
		leastNs: 600,
		mostNs: 801_000,
	};
	expect(percentileNs(durations, 0.5)).toBeGreaterThanOrEqual(600);
	expect(percentileNs(durations, 0.5)).toBeLessThanOrEqual(630);
	expect(percentileNs(durations, 1)).toBe(801_000);
});

test('every format writes; XML and JSON hold hostile names', () => {
	const options = {version: '1', notes: []};
	const written = Object.fromEntries(reportFormats('traces').map(format => [format.id, format.traces.write(noTarget.facts, report, options)]));
	expect(JSON.parse(String(written.json))).toMatchObject({
		methods: [{method: 'a.B.outer', calls: 5}, {method: 'a.B.in<&>ner', parameters: 'int, java.lang.String[]'}],
		slowest: [{key: '1000-1', actions: [{atMs: 0, action: 'START'}, {}, {}, {atMs: 2, action: 'EXCEPTION'}]}],
	});
	expect(String(written.xml))
		.toContain('<trace key="1000-1" thread="t &quot;1&quot;">1000,START,a.B.outer|\n1000,START,a.B.in&lt;&amp;&gt;ner|');
	expect(String(written.csv).split('\r\n')[1]).toMatch(/^a\.B\.outer,5,1,2\.5,0\.5,/);
	expect(JSON.parse(String(written.json))).toMatchObject({
		threads: [{thread: 't "1"', calls: 5, ownMs: 3, tree: [{method: 'a.B.outer', calls: 4, maxMs: 1.1}]}, {
			thread: '(ended threads)',
			calls: 10,
		}],
	});
	expect(String(written.text)).toContain('a.B.outer');
	expect(String(written.text)).toContain('     5  3.00ms  3.00ms  t "1"\n     4  4.00ms  2.50ms    a.B.outer\n');
	const chrome = JSON.parse(String(written.chrome)) as {traceEvents: ChromeEvent[]; otherData: unknown};
	const {traceEvents, otherData} = chrome;
	expect(otherData).toEqual({startedAt: '1970-01-01T00:00:01.000Z'});
	expect(traceEvents.map(({ph, name, ts, dur, tid}) => [ph, name, ts, dur, tid])).toEqual([
		['M', 'process_name', undefined, undefined, 0],
		['M', 'thread_name', undefined, undefined, 1],
		['X', 'a.B.outer', 0, 2000, 1],
		['X', 'a.B.in<&>ner', 500, 200, 1],
	]);
});

test.each([
	[0, '0\n'],
	[0, 'return code: 0\n'],
	[0, 'return code: 100\n', 'cannot read the agent'],
	[0, '102\n', 'did not start'],
	[
		-1,
		'Dynamic agent loading is not enabled. Use -XX:+EnableDynamicAgentLoading to launch target VM.\n',
		'-XX:-EnableDynamicAgentLoading',
	],
	[0, 'Dynamic agent loading is not enabled. ...', '-XX:-EnableDynamicAgentLoading'],
	[0, 'java.lang.module.FindException: Module java.instrument not found\n', 'a runtime without java.instrument'],
	[
		-1,
		'Could not find agent library instrument in absolute path, with error: ...',
		'a runtime without java.instrument',
	],
	[1, 'x\u001B[31m', String.raw`x\x1b`],
])('a JVM says of a load %i %s', (code, text, reason?: string) => {
	expect(loadResult(1, code, text)).toEqual(reason === undefined
		? {ok: true}
		: expect.objectContaining({ok: false, reason: expect.stringContaining(reason) as unknown}));
});

test('descriptors as Java has them', () => {
	expect(parametersOf('(I[Ljava/lang/String;[[JZ)V')).toBe('int, java.lang.String[], long[][], boolean');
	expect(parametersOf('()V')).toBe('');
	expect(parametersOf('nonsense')).toBe('');
});

test('a session that cannot be read any more is ended, and what it said last stays', () => {
	const {whole} = serviceSnapshots();
	let [isGone, closed] = [false, 0];
	const live = new LiveReports((snapshot, {name}: {name: string}) => ({...snapshot, name}), {
		read() {
			if (isGone) {
				throw new UserError('the file is gone');
			}

			isGone = true;
			return {name: 'last'};
		},
		async close() {
			closed++;
		},
	});
	const source = live.source(sourceOf(() => whole));
	const first = source.read();
	expect(source.read()).toBe(first);
	expect(source.status()).toMatchObject({message: 'the file is gone'});
	expect(closed).toBe(1);
});
