import {describe, expect, test} from 'vitest';
import {unattributed} from '../../source/model/frame.js';
import {stateCode} from '../../source/model/thread-state.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {safe} from '../../source/util/printable.js';
import {locationName} from '../../source/query/counters/location.js';
import {queryLines, querySummaryLines} from '../../source/views/lines/lines.js';
import {queryStackHistogram} from '../../source/views/stacks/stacks.js';
import {queryTree} from '../../source/views/tree/tree.js';
import {queryFlame} from '../../source/views/flame/flame.js';
import {viewOf} from '../../source/views/view-registry.js';
import {queryLineDetail} from '../../source/query/detail.js';
import {shareError} from '../../source/query/counters/share.js';
import {queryFor} from '../../source/exports/common/export-format.js';
import {exportFormats} from '../../source/exports/formats/format-registry.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {parseCsv, textOf} from '../exports/parse.js';

/** Two threads that allocate at two lines, the second below the first; and one of which more is known than it has. */
function session() {
	const builder = new SnapshotBuilder();
	const [fast, slow] = [builder.addThread({key: 1, name: safe`fast`}), builder.addThread({key: 2, name: safe`slow`})];
	const run = builder.addFrame('a.Main', 'run', 'Main.java', 1);
	const copy = builder.addFrame('a.Main', 'copy', 'Main.java', 5);
	const [atRun, atCopy] = [builder.addStack([run]), builder.addStack([copy, run])];
	const unknown = builder.addStack([builder.addFrame(unattributed.className, unattributed.method, '', -1)]);
	builder.count(fast, atRun, stateCode.RUNNABLE, 1, 1e9);
	const allocate = () => {
		builder.countEvent(fast, atRun, 'alloc', 1e6);
		builder.countEvent(fast, atCopy, 'alloc', 6e6);
		builder.countEvent(fast, unknown, 'alloc', 2e6);
		builder.countEvent(slow, atCopy, 'alloc', 2e6);
		builder.countEvent(slow, unknown, 'alloc', -1e6);
	};

	const build = (seconds: number) =>
		builder.build({session: {durationMs: seconds * 1000, eventsMs: seconds * 500, samples: 50 * seconds}});
	const before = build(1);
	allocate();
	const first = build(3);
	allocate();
	allocate();
	return {before, first, last: build(7)};
}

const bytesByLine = (...window: Parameters<typeof queryLines>) =>
	Object.fromEntries(queryLines(...window).rows.map(row =>
		[locationName(row), [row.events('alloc'), row.totalAllocatedBytes]]));

/** A thread that makes exceptions of two classes and starts threads at a line, and one whose line is not known. */
function throwing() {
	const builder = new SnapshotBuilder();
	const thread = builder.addThread({key: 1, name: safe`thrower`});
	const run = builder.addFrame('a.Main', 'run', 'Main.java', 1);
	const [first, second] = ['a.NotFound', 'a.Rejected'].map(name => builder.addFrame(name, '<init>', '', -1));
	const unknown = builder.addStack([builder.addFrame(unattributed.className, unattributed.method, '', -1)]);
	builder.count(thread, builder.addStack([run]), stateCode.RUNNABLE, 1, 1e9);
	builder.countEvent(thread, builder.addStack([first, run]), 'exceptions', 8);
	builder.countEvent(thread, builder.addStack([second, run]), 'exceptions', 4);
	builder.countEvent(thread, unknown, 'exceptions', 1);
	builder.countEvent(thread, builder.addStack([run]), 'starts', 40);
	return builder.build({session: {durationMs: 4000, eventsMs: 2000, samples: 100}});
}

describe('as the unit of figures', () => {
	const ofBytes: Query = {...defaultQuery, unit: 'alloc', tree: {isAllOpen: true}};
	const ofExceptions: Query = {...ofBytes, unit: 'exceptions'};
	const {first, last, before} = session();
	const tree = (snapshot: Snapshot, query: Query, since?: Snapshot) =>
		queryTree(snapshot, since, query).rows.map(row => [
			locationName(row), Math.round(row.totalPercent), Math.round(row.selfPercent), row.totalCpuNs,
		]);

	test('Tree and Flame have bytes by stack, of a window too', () => {
		const expected = (times: number) => [
			['a.Main.run:1', 90, 10, times * 9e6],
			['a.Main.copy:5', 80, 80, times * 8e6],
			['(unattributed)', 10, 10, times * 1e6],
		];
		expect(tree(first, {...ofBytes, sort: {column: 'total', reverse: false}})).toEqual(expected(1));
		expect(tree(last, {...ofBytes, sort: {column: 'total', reverse: false}}, first)).toEqual(expected(2));
		const boxes = queryFlame(first, undefined, ofBytes).rows.map(row => [locationName(row), row.part]);
		expect(Object.fromEntries(boxes)).toEqual({'a.Main.run:1': 0.9, 'a.Main.copy:5': 0.8, '(unattributed)': 0.1});
		expect(tree(before, ofBytes)).toEqual([]);
	});

	test('stacks of exceptions begin with the class; lines are those that made them', () => {
		const snapshot = throwing();
		expect(queryStackHistogram(snapshot, undefined, ofExceptions).rows.map(row =>
			[row.frames.map(frame => locationName(frame)).join(' < '), row.selfCpuNs])).toEqual([
			['a.NotFound.<init> < a.Main.run:1', 8], ['a.Rejected.<init> < a.Main.run:1', 4], ['(unattributed)', 1],
		]);
		const [row] = queryLines(snapshot, undefined, ofExceptions).rows;
		expect([locationName(row), row.selfCpuNs, row.totalCpuNs]).toEqual(['a.Main.run:1', 12, 12]);
		const detail = queryLineDetail(snapshot, undefined, ofExceptions, row.key);
		expect(detail.stacks.map(({cpuNs, frames}) => [locationName(frames[0]), cpuNs]))
			.toEqual([['a.NotFound.<init>', 8], ['a.Rejected.<init>', 4]]);
	});

	test('a share\'s error is that of the events behind it', () => {
		const builder = new SnapshotBuilder();
		const thread = builder.addThread({key: 1, name: safe`main`});
		const [often, seldom] = ['often', 'seldom'].map(name => builder.addStack([builder.addFrame('a.B', name, '', 1)]));
		for (let event = 0; event < 64; event++) {
			builder.countEvent(thread, often, 'alloc', 1e6);
			builder.countEvent(thread, often, 'exceptions', 1);
		}

		for (let event = 0; event < 36; event++) {
			builder.countEvent(thread, seldom, 'alloc', 1e6);
			builder.countEvent(thread, seldom, 'exceptions', 1);
		}

		const {lines} = JSON.parse(textOf('json', builder.build())) as {readonly lines: ReadonlyArray<{method: string}>};
		const error = Number(shareError(64, 100).toFixed(2));
		expect(lines.find(({method}) => method === 'often')).toMatchObject({
			allocPercent: 64, allocErrorPercent: error, exceptionsPercent: 64, exceptionsErrorPercent: error,
		});
		for (const query of [ofBytes, ofExceptions]) {
			const [row] = queryLines(builder.build(), undefined, query).rows;
			expect([row.selfPercent, row.errorPercent]).toEqual([64, expect.closeTo(shareError(64, 100), 6)]);
			expect(row.selfFigure.of).toBe(query.unit === 'alloc' ? 'the bytes allocated' : 'the exceptions');
		}
	});

	test('reports say so, and figures of CPU time stay those of CPU time', () => {
		const report = textOf('text', first, {query: ofBytes, width: 200});
		expect(report).toMatch(/^ *BYTE% .*BYTES.*LINE/m);
		expect(report).toMatch(/^ *80\.0 .* a\.Main\.copy:5/m);
		expect(report).not.toMatch(/^ *BYTE% .*(?:TICKS|CPU ms|STATE)/m);
		expect(textOf('text', first, {query: ofBytes, view: viewOf('tree')})).toMatch(/^ *80\.0 +80\.0 .*a\.Main\.copy:5/m);
		expect(queryThreads(first, undefined, ofBytes).rows.map(row => row.cpuNs)).toEqual([1e9, 0]);
		expect(queryFor(exportFormats.find(({id}) => id === 'json')!, ofBytes).unit).toBe('core');
	});
});

describe('exceptions and starts of threads', () => {
	test('count at the line that made them, not at the frame of their class, and by thread', () => {
		const snapshot = throwing();
		const query = {...defaultQuery, sort: {column: 'exceptions', reverse: false}};
		expect(queryLines(snapshot, undefined, query).rows.map(row =>
			[locationName(row), row.events('exceptions'), row.eventsPerS('exceptions'), row.eventsPerS('starts')]))
			.toEqual([['a.Main.run:1', 12, 6, 20], ['(unattributed)', 1, 0.5, 0]]);
		expect(queryThreads(snapshot, undefined, defaultQuery).rows.map(({events, eventsPerS}) =>
			[events.exceptions, eventsPerS.exceptions, eventsPerS.starts]))
			.toEqual([[13, 6.5, 20]]);
		const {lines: [line], threads: [row]} = JSON.parse(textOf('json', snapshot)) as Record<string, object[]>;
		for (const each of [line, row]) {
			expect(each).toHaveProperty('starts', 40);
		}

		expect(parseCsv(textOf('csv', snapshot)).map(({starts}) => starts)).toEqual(['40', '0']);
	});
});

describe('bytes allocated', () => {
	test('count at the line and with what it calls; more than a thread has is taken from what has no line', () => {
		const {first, last} = session();
		const expected = {
			'a.Main.run:1': [1e6, 9e6],
			'a.Main.copy:5': [8e6, 8e6],
			'(unattributed)': [1e6, 1e6],
		};
		expect(bytesByLine(first, undefined, defaultQuery)).toEqual(expected);
		expect(bytesByLine(last, first, defaultQuery))
			.toEqual(Object.fromEntries(Object.entries(expected).map(([line, bytes]) =>
				[line, bytes.map(each => 2 * each)])));
	});

	test('show lines that use no CPU time', () => {
		const {first} = session();
		const query = {...defaultQuery, summary: {showsWaits: false}};
		expect(querySummaryLines(first, undefined, query).rows.map(row => locationName(row)).sort())
			.toEqual(['(unattributed)', 'a.Main.copy:5', 'a.Main.run:1']);
	});

	test('are a rate over the time in which they were recorded', () => {
		const {first, last} = session();
		const [top] = queryLines(last, first, {...defaultQuery, sort: {column: 'alloc', reverse: false}}).rows;
		expect([locationName(top), top.eventsPerS('alloc')]).toEqual(['a.Main.copy:5', 8e6]);
	});

	test('of a thread are what the thread itself counts', () => {
		const {first, last} = session();
		const threads = queryThreads(last, first, {...defaultQuery, showsWaitsForWork: true}).rows;
		expect(threads.map(({name, events, eventsPerS}) => [name, events.alloc, eventsPerS.alloc]))
			.toEqual([['fast', 18e6, 9e6], ['slow', 2e6, 1e6]]);
	});

	test('of some threads, and by method', () => {
		const {first} = session();
		expect(bytesByLine(first, undefined, {...defaultQuery, by: 'method', filter: 'thread:slow'}))
			.toEqual({'a.Main.copy': [1e6, 1e6], 'a.Main.run': [0, 1e6]});
	});

	test('are in files, and only if there are some', () => {
		const {before, first} = session();
		const document = (snapshot: Snapshot) =>
			JSON.parse(textOf('json', snapshot)) as {
				readonly eventsMs: number;
				readonly lines: readonly object[];
				readonly threads: readonly object[];
			};
		const known = document(first);
		expect(known.eventsMs).toBe(1500);
		expect(known.lines[0]).toMatchObject({method: 'run', allocBytes: 1e6, totalAllocBytes: 9e6});
		expect(known.threads[0]).toMatchObject({name: 'fast', allocBytes: 9e6});
		expect(JSON.stringify(document(before))).not.toContain('llocBytes');
		const rows = parseCsv(textOf('csv', first));
		expect(rows.map(row => row.alloc_bytes).sort()).toEqual(['1000000', '1000000', '8000000']);
	});
});
