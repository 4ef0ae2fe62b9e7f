import {expect, test} from 'vitest';
import {kernelClass, nativeCodeLine, nativeLine} from '../../source/model/frame.js';
import {JvmStacks} from '../../source/model/jvm-stacks.js';
import {threadFlag} from '../../source/model/sample.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {stateCode} from '../../source/model/thread-state.js';
import {locationName} from '../../source/query/counters/location.js';
import {queryStacks} from '../../source/query/stacks.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {queryTree} from '../../source/views/tree/tree.js';
import {picture} from '../helpers/picture.js';

const builder = new SnapshotBuilder();
const stacks = new JvmStacks(builder);
const main = [
	builder.addFrame('java.util.zip.Deflater', 'deflateBytes', '', nativeLine), builder.addFrame('java.util.zip.Deflater', 'deflate', 'Deflater.java', 5), builder.addFrame('com.acme.Main', 'main', 'Main.java', 3),
];
const library = builder.addFrame('libzip.so', 'deflate_fast', '/jdk/lib/libzip.so', nativeCodeLine);
const kernel = builder.addFrame(kernelClass, 'madvise', kernelClass, nativeCodeLine);
const {RUNNABLE} = stateCode;
const worker = builder.addThread({key: 1, name: 'main'});
builder.count(worker, builder.addStack(main), RUNNABLE, 10, 10e6);
builder.count(worker, builder.addStack([library, ...main]), RUNNABLE, 0, 60e6);
builder.count(worker, builder.addStack([kernel, library, ...main]), RUNNABLE, 0, 10e6);
const collector = builder.addThread({key: -2, name: 'G1 Conc#0', flags: threadFlag.vmInternal});
builder.count(collector, builder.addStack(stacks.ofThread('G1 Conc#0')), RUNNABLE, 0, 20e6);
const snapshot = builder.build({session: {durationMs: 1000}});

function lines(query: Partial<Query>): string[] {
	return queryLines(snapshot, undefined, {...defaultQuery, ...query}).rows.filter(row => row.selfPercent > 0).map(row => `${Math.round(row.selfPercent)} ${locationName(row)}`);
}

test('CPU time in native code counts for the Java line that called it, or by itself; collectors by themselves', () => {
	expect(lines({})).toEqual(['80 java.util.zip.Deflater.deflate:5', '20 [gc] G1 Conc']);
	expect(lines({native: true})).toEqual(['60 libzip.so!deflate_fast', '20 [gc] G1 Conc', '10 java.util.zip.Deflater.deflate:5', '10 [kernel] madvise']);
	expect(lines({ownFirst: true, native: true})).toEqual(['80 com.acme.Main.main:3', '20 [gc] G1 Conc']);
	expect(lines({javaOnly: true})).toEqual(['100 java.util.zip.Deflater.deflate:5']);
	expect(lines({by: 'class'})).toEqual(['80 java.util.zip.Deflater', '20 [gc]']);
});

test('less than 1 % of the JVM\'s own work counts for the row above, and the sum stays', () => {
	const whole = new SnapshotBuilder();
	const jvm = new JvmStacks(whole);
	const thread = whole.addThread({key: 1, name: 'all'});
	const use = (frames: readonly number[], ms: number) => {
		whole.count(thread, whole.addStack([...frames]), RUNNABLE, 0, ms * 1e6);
	};

	use([whole.addFrame('Main', 'main', '', 1)], 882);
	use(jvm.ofCompilation('C2', 'Big.big'), 50);
	use(jvm.ofCompilation('C2', 'Small.one'), 9);
	use(jvm.ofCompilation('C2', 'Small.two'), 9);
	use(jvm.ofCompilation('C1', 'tier 3 Small.three'), 5);
	use(jvm.ofThread('C1 CompilerThread0'), 1);
	use(jvm.ofThread('G1 Conc#0'), 40);
	use(jvm.ofThread('VM Thread'), 4);
	const built = whole.build({session: {durationMs: 1000}});
	const rows = (query: Partial<Query>) => queryLines(built, undefined, {...defaultQuery, ...query}).rows.filter(row => row.selfCpuNs > 0).map(row => `${row.selfCpuNs / 1e6} ${locationName(row)}`);
	expect(rows({})).toEqual(['882 Main.main:1', '50 [jit] C2 Big.big', '40 [gc] G1 Conc', '18 [jit] C2', '6 [jit]', '4 [vm]']);
	expect(rows({filter: 'jit'})).toEqual(['50 [jit] C2 Big.big', '18 [jit] C2', '6 [jit]']);
	const tree = queryTree(built, undefined, {...defaultQuery, sort: {column: 'total', reverse: false}, tree: {isAllOpen: true}}).rows;
	expect(tree.map(row => `${'.'.repeat(row.level)}${locationName(row)}`)).toEqual(['Main.main:1', '[jit]', '.[jit] C2', '..[jit] C2 Big.big', '[gc]', '.[gc] G1 Conc', '[vm]']);
});

test('folded, nothing tells of native code; by itself it is below its callers', () => {
	const tree = (query: Partial<Query>) => queryTree(snapshot, undefined, {...defaultQuery, sort: {column: 'total', reverse: false}, tree: {isAllOpen: true}, ...query}).rows.map(row => `${'.'.repeat(row.level)}${locationName(row)}`);
	const java = ['com.acme.Main.main:3', '.java.util.zip.Deflater.deflate:5', '..java.util.zip.Deflater.deflateBytes(native)'];
	const collection = ['[gc]', '.[gc] G1 Conc'];
	expect(tree({})).toEqual([...java, ...collection]);
	expect(tree({native: true})).toEqual([...java, '...libzip.so!deflate_fast', '....[kernel] madvise', ...collection]);
	expect(queryLines(snapshot, undefined, {...defaultQuery, sort: {column: 'total', reverse: false}}).rows.map(row => locationName(row)).filter(name => /^lib|kernel/.test(name))).toEqual([]);
	const stackTexts = (query: Partial<Query>) => queryStacks(snapshot, undefined, {...defaultQuery, ...query}).map(({cpuNs, frames, threadCount}) => `${cpuNs / 1e6} ${threadCount}thr ${locationName(frames[0])}`);
	expect(stackTexts({})).toEqual(['80 1thr java.util.zip.Deflater.deflateBytes(native)', '20 1thr [gc] G1 Conc']);
	expect(stackTexts({native: true})).toEqual(['60 1thr libzip.so!deflate_fast', '20 1thr [gc] G1 Conc', '10 1thr java.util.zip.Deflater.deflateBytes(native)', '10 1thr [kernel] madvise']);
});

test('what is recorded beyond what a thread used, and no other thread lacks, is taken off its lines', () => {
	const over = picture(`
		first  | R90 R30 R-20 | Main.hot:1 Main.cold (unattributed).(unattributed)
		second | R10 R5       | Main.hot:1 (unattributed).(unattributed)
	`);
	const rows = queryLines(over, undefined, defaultQuery).rows.filter(row => row.selfCpuNs !== 0).map(row => [row.method, Math.round(row.selfCpuNs / 1e3)]);
	expect(rows).toEqual([['hot', 88_750], ['cold', 26_250]]);
});
