import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {JvmStacks} from '../../source/model/jvm-stacks.js';
import {threadFlag} from '../../source/model/sample.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCode} from '../../source/model/thread-state.js';
import {locationKey, locationName} from '../../source/query/counters/location.js';
import {queryStacks} from '../../source/query/stack-rows.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {queryLines, querySummaryLines} from '../../source/views/lines/lines.js';
import {linesView} from '../../source/views/lines/lines-view.js';
import {queryTree} from '../../source/views/tree/tree.js';
import {Picture, picture} from '../helpers/picture.js';

/** A picture of a program, beside which the JVM worked for this many milliseconds at its own stacks. */
function beside(
	program: string,
	work: (stacks: JvmStacks) => ReadonlyArray<readonly [frames: readonly number[], ms: number]>,
): Snapshot {
	const drawing = new Picture().draw(program);
	for (const [frames, ms] of work(new JvmStacks(drawing.builder))) {
		drawing.builder.count(
			drawing.thread('G1 Conc#0'),
			drawing.builder.addStack(frames),
			stateCode.RUNNABLE,
			0,
			ms * 1e6,
		);
	}

	return drawing.set('G1 Conc#0', {flags: threadFlag.vmInternal}).build();
}

const deflating
	= 'com.acme.Main.main:3 | java.util.zip.Deflater.deflate:5 | java.util.zip.Deflater.deflateBytes:native';
const snapshot = beside(`
	main | R10 | ${deflating}
	main | R60 | ${deflating} | libzip.so.deflate_fast:code
	main | R10 | ${deflating} | libzip.so.deflate_fast:code | [kernel].madvise:code
`, stacks => [[stacks.ofThread(safe`G1 Conc#0`), 20]]);

/** Lines with their shares, in percent. */
const lines = (query: Partial<Query>, of = snapshot) =>
	queryLines(of, undefined, {...defaultQuery, ...query}).rows.filter(row => row.selfPercent > 0).map(row =>
		`${Number(row.selfPercent.toFixed(1))} ${locationName(row)}`);
const tree = (query: Partial<Query>, of = snapshot) =>
	queryTree(of, undefined, {
		...defaultQuery,
		sort: {column: 'total', reverse: false},
		tree: {isAllOpen: true},
		...query,
	}).rows.map(row => `${'.'.repeat(row.level)}${locationName(row)}`);

test('CPU time in native code counts for the Java line that called it, or by itself; collectors by themselves', () => {
	expect(lines({})).toEqual(['80 java.util.zip.Deflater.deflate:5', '20 [gc] G1 Conc']);
	expect(lines({native: true})).toEqual([
		'60 libzip.so!deflate_fast',
		'20 [gc] G1 Conc',
		'10 java.util.zip.Deflater.deflate:5',
		'10 [kernel] madvise',
	]);
	expect(lines({ownFirst: true, native: true})).toEqual(['80 com.acme.Main.main:3', '20 [gc] G1 Conc']);
	expect(lines({javaOnly: true})).toEqual(['100 java.util.zip.Deflater.deflate:5']);
	expect(lines({by: 'class'})).toEqual(['80 java.util.zip.Deflater', '20 [gc]']);
});

test('less than 1 % of the JVM\'s own work counts for the row above, and the sum stays', () => {
	const whole = beside('all | R882 | Main.main:1', stacks => [
		[stacks.ofCompilation('C2', 'Big.big'), 50],
		[stacks.ofCompilation('C2', 'Small.one'), 9],
		[stacks.ofCompilation('C2', 'Small.two'), 9],
		[stacks.ofCompilation('C1', 'tier 3 Small.three'), 5],
		[stacks.ofThread(safe`C1 CompilerThread0`), 1],
		[stacks.ofThread(safe`G1 Conc#0`), 40],
		[stacks.ofThread(safe`VM Thread`), 4],
	]);
	expect(lines({}, whole)).toEqual([
		'88.2 Main.main:1',
		'5 [jit] C2 Big.big',
		'4 [gc] G1 Conc',
		'1.8 [jit] C2',
		'0.6 [jit]',
		'0.4 [vm]',
	]);
	expect(lines({filter: 'jit'}, whole)).toEqual(['5 [jit] C2 Big.big', '1.8 [jit] C2', '0.6 [jit]']);
	expect(tree({}, whole)).toEqual([
		'Main.main:1',
		'[jit]',
		'.[jit] C2',
		'..[jit] C2 Big.big',
		'[gc]',
		'.[gc] G1 Conc',
		'[vm]',
	]);
});

test('on the screen each kind of work is one row with its sum, which opens, unless a filter looks for a part', () => {
	const compiling = beside('all | R40 | Main.main:1', stacks => [
		...['a', 'b', 'c', 'd'].map(method => [stacks.ofCompilation('C2', `Big.${method}`), 10] as const),
		[stacks.ofCompilation('C1', 'tier 3 Big.e'), 10],
		[stacks.ofThread(safe`C1 CompilerThread0`), 5],
		[stacks.ofThread(safe`G1 Conc#0`), 5],
	]);
	const query: Query = {...defaultQuery, summary: {showsWaits: true}};
	const rowsOf = (changes: Partial<Query>) => querySummaryLines(compiling, undefined, {...query, ...changes}).rows
		.map(row => `${row.selfPercent} ${locationName(row)}`);
	expect(rowsOf({})).toEqual(['55 [jit]', '40 Main.main:1', '5 [gc]']);
	expect(rowsOf({summary: {showsWaits: true, isReport: true}})).toEqual(['55 [jit]', '40 Main.main:1', '5 [gc] G1 Conc']);
	expect(rowsOf({filter: 'Big.a'})).toEqual(['10 [jit] C2 Big.a']);
	const [row] = querySummaryLines(compiling, undefined, query).rows;
	const {callees, stacks, threads} = linesView.detail(compiling, undefined, query, row.key, row);
	expect(callees.map(callee => `${callee.cpuNs / 1e6} ${locationName(callee)}`)).toEqual([
		'40 [jit] C2',
		'15 [jit] C1',
	]);
	expect(stacks.map(({cpuNs}) => cpuNs / 1e6)).toEqual([10, 10, 10, 10, 10, 5]);
	expect(threads.map(({cpuNs}) => cpuNs / 1e6)).toEqual([55]);
	// Each part has a figure of its own below that of the whole, however small it is.
	const nameColumn = linesView.columns.find(({id}) => id === 'line')!;
	const room = {measure: 'core', overMs: 1000, fullNames: true, room: 60} as const;
	const textsOf = (from: Query) => querySummaryLines(compiling, undefined, from).rows.map(candidate =>
		`${candidate.selfPercent} ${nameColumn.value(candidate, room)}`);
	const names = (key: string, opening: '+' | '-', from: Query) => {
		const table = querySummaryLines(compiling, undefined, from);
		const index = table.rows.findIndex(candidate => candidate.key === key);
		const pressed = linesView.keys.find(({keys}) => keys.includes(opening))!
			.press(from, {row: table.rows[index], index, rows: table.rows});
		const next = {...from, ...pressed.change};
		return {next, select: pressed.select, texts: textsOf(next)};
	};

	const opened = names(row.key, '+', query);
	expect(opened.texts).toEqual([
		'55 - [jit] 5 methods',
		'10   [jit] C1 tier 3 Big.e',
		'10   [jit] C2 Big.a',
		'10   [jit] C2 Big.b',
		'10   [jit] C2 Big.c',
		'10   [jit] C2 Big.d',
		'5   [jit] C1',
		'40 Main.main:1',
		'5 + [gc] 1 thread',
	]);
	const part = querySummaryLines(compiling, undefined, opened.next).rows[2];
	expect(names(part.key, '-', opened.next).select).toBe(row.key);
	expect(linesView.detail(compiling, undefined, opened.next, part.key, part).threads).toHaveLength(1);
	expect(names(row.key, '-', opened.next).texts).toEqual(['55 + [jit] 5 methods', '40 Main.main:1', '5 + [gc] 1 thread']);
	expect(textsOf({...query, by: 'class'})).toEqual(['55 [jit]', '40 Main', '5 [gc]']);
	// Enter on a compiler opens its methods.
	const each = linesView.detail(compiling, undefined, query, locationKey(callees[0], 'line'), undefined);
	expect(each.callees.map(({method}) => method)).toEqual(['C2 Big.a', 'C2 Big.b', 'C2 Big.c', 'C2 Big.d']);
});

test('folded, nothing tells of native code; by itself it is below its callers', () => {
	const java = [
		'com.acme.Main.main:3',
		'.java.util.zip.Deflater.deflate:5',
		'..java.util.zip.Deflater.deflateBytes(native)',
	];
	const collection = ['[gc]', '.[gc] G1 Conc'];
	expect(tree({})).toEqual([...java, ...collection]);
	expect(tree({native: true})).toEqual([...java, '...libzip.so!deflate_fast', '....[kernel] madvise', ...collection]);
	expect(queryLines(snapshot, undefined, {...defaultQuery, sort: {column: 'total', reverse: false}}).rows.map(row =>
		locationName(row)).filter(name => /^lib|kernel/.test(name))).toEqual([]);
	const stackTexts = (query: Partial<Query>) =>
		queryStacks(snapshot, undefined, {...defaultQuery, ...query}).map(({cpuNs, frames, threadCount}) =>
			`${cpuNs / 1e6} ${threadCount}thr ${locationName(frames[0])}`);
	expect(stackTexts({})).toEqual(['80 1thr java.util.zip.Deflater.deflateBytes(native)', '20 1thr [gc] G1 Conc']);
	expect(stackTexts({native: true})).toEqual([
		'60 1thr libzip.so!deflate_fast',
		'20 1thr [gc] G1 Conc',
		'10 1thr java.util.zip.Deflater.deflateBytes(native)',
		'10 1thr [kernel] madvise',
	]);
});

test('what is recorded beyond what a thread used, and no other thread lacks, is taken off its lines', () => {
	const over = picture(`
		first  | R90 R30 R-20 | Main.hot:1 Main.cold (unattributed).(unattributed)
		second | R10 R5       | Main.hot:1 (unattributed).(unattributed)
	`);
	const withCpu = queryLines(over, undefined, defaultQuery).rows.filter(row => row.selfCpuNs !== 0);
	const rows = withCpu.map(row => [row.method, Math.round(row.selfCpuNs / 1e3)]);
	expect(rows).toEqual([['hot', 88_750], ['cold', 26_250]]);
});

test('nothing is taken off threads that have nothing recorded', () => {
	const over = picture(`
		first  | R0 R-20 | Main.cold (unattributed).(unattributed)
		second | R10 R20 | Main.hot:1 (unattributed).(unattributed)
	`);
	const {rows, wholeCpuNs} = queryLines(over, undefined, defaultQuery);
	expect(wholeCpuNs).toBe(1e7);
	expect(rows.map(row => [row.method, row.selfCpuNs])).toEqual(expect.arrayContaining([['hot', 1e7], ['cold', 0]]));
});
