import {expect, test, describe} from 'vitest';
import {traceTree, type TraceTreeRow} from '../../source/views/traces/traced-methods.js';
import {beside, javaForTest, sharedJava} from '../helpers/for-test.js';
import {type JavaProcess, jdk, jdks, sayTo, targetOf} from '../helpers/jvm.js';
import {traced} from '../helpers/tracing.js';
import {until, untilAsync} from '../helpers/until.js';

async function loadedBy(java: JavaProcess): Promise<number> {
	return Number(/^loaded (\d+)$/m.exec(await sayTo(java, 'how many'))![1]);
}

test.concurrent.for(jdks())(
	'JDK $release: of a class that hundreds of class loaders have, some copies are traced, that of the class path among them, and the program has room for all',
	beside(async jdk => {
		const java = await javaForTest('ManyLoaders', {jdk, jvmArgs: ['-Xmx384m', '-XX:MaxMetaspaceSize=40m'], under: []});
		const loadMore = async () => {
			const enough = await loadedBy(java) + 500;
			await untilAsync(async () => await loadedBy(java) > enough);
		};

		await loadMore();
		const report = await traced(await targetOf(java), {
			patterns: ['ManyLoaders$Script#<init>', 'ManyLoaders$Loader#<init>', 'ManyLoaders$Failed#call'],
		}, loadMore);
		expect(report.refused).toEqual([
			{
				name: 'ManyLoaders$Failed',
				reason: 'its static initialiser has failed: the JVM does not let it be changed',
			},
			{name: 'ManyLoaders$Script', reason: 'more than 20 class loaders have it; in the others it is not followed'},
		]);
		expect(report.survey.unmatched).toEqual([]);
		expect(report.survey).toMatchObject({classes: 3, methods: 3});
		expect([report.wovenClasses, report.wovenMethods]).toEqual([2, 2]);
		expect(report.traces).toBeGreaterThan(100);
		expect(report.byThread.find(({name}) => name === 'main')?.paths.length).toBe(1);
		await loadMore();
		expect(java.output()).not.toContain('failed');
	}),
);

test.concurrent(
	'reports are whole while classes are loaded whose methods are traced from their first call',
	beside(async () => {
		const java = await javaForTest('NewClasses', {jdk: jdk(), jvmArgs: ['-Xmx384m'], under: []});
		const report = await traced(await targetOf(java), {
			patterns: ['NewClasses$Step*#run'],
			reportIntervalMs: 50,
			keep: 100,
		}, async session => {
			// Each is read, and throws if it names a method that it does not have.
			await until(() => session.read()!.methods.length > 1000);
		});
		expect(report.traces).toBeGreaterThan(100);
	}),
);

const count = 400;

/** Calls and exceptions of each row of the tree, sorted by name. */
function treeOf(rows: readonly TraceTreeRow[], indent = ''): string[] {
	return rows
		.map(row => [
			`${indent}${row.className.replace(/^\w+\$?/, '')}${
				row.method === '<init>' ? '' : `.${row.method}`
			}(${row.parameters}) ${row.calls} ${row.exceptions}`,
			...treeOf(row.children, `${indent} `),
		])
		.sort((a, b) => a[0] < b[0] ? -1 : 1)
		.flat();
}

describe.each(jdks())('JDK $release: constructors whose super(...) or this(...) throws', jdk => {
	const shared = sharedJava('FailingConstructors', {jdk, jvmArgs: ['-Xmx384m'], under: []});
	const tracedAt = async (...patterns: readonly string[]) =>
		traced(shared.target, {patterns}, async () => sayTo(shared.java, String(count)));

	test('have ended when the next call begins, though nothing else on the stack is traced', async () => {
		const report = await tracedAt(
			'FailingConstructors$Derived#<init>',
			'FailingConstructors$Special#<init>',
			'FailingConstructors#step',
			'FailingConstructors$Prepared#prepare',
		);
		const made = (count * 3) + 1;
		// Three more in super(...) of Nested: it is not traced, so they are by themselves, as the steps there.
		const failed = (count * 1.5) + 1 + 3;
		expect(treeOf(traceTree(report, undefined))).toEqual([
			'.step() '.concat(`${(count * 4) + 3} 0`),
			`Derived(int) ${made + 3} ${failed}`,
			`Special(int) ${count} ${count / 2}`,
			` Prepared.prepare() ${count} 0`,
		]);
		expect(report).toMatchObject({traces: (count * 4) + 3 + made + 3 + count, activeCount: 0, lostCalls: 0});
		expect(report.slowest.every(({actions}) => actions.length <= 4)).toBe(true);
	});

	test('end with what they called, and hang where they were called', async () => {
		const report = await tracedAt('FailingConstructors*#<init>', 'FailingConstructors#step');
		const half = count / 2;
		const nested = (indent: string, exceptions: number) =>
			[
				`Nested(int) 1 ${exceptions}`,
				' Nesting(int) 1 0',
				'  .step() 1 0',
				'  Derived(int) 1 1',
				'   Base(int) 1 1',
				'  Failing(int) 1 1',
			].map(row => indent + row);
		expect(treeOf(traceTree(report, undefined))).toEqual([
			`.step() ${count * 4} 0`,
			`Derived(int) ${count + 1} ${half + 1}`,
			` Base(int) ${count + 1} ${half + 1}`,
			`Further(int) ${count} ${half}`,
			` Derived(int) ${count} ${half}`,
			`  Base(int) ${count} ${half}`,
			`Further(int, long) ${count} ${half}`,
			` Further(int) ${count} ${half}`,
			`  Derived(int) ${count} ${half}`,
			`   Base(int) ${count} ${half}`,
			...nested('', 0),
			...nested('  ', 0),
			...nested('    ', 1),
			'      Nested(int) 1 0',
			'       Nesting(int) 1 0',
			`Special(int) ${count} ${half}`,
			` Prepared(int) ${count} ${half}`,
		]);
		expect(report).toMatchObject({activeCount: 0, lostCalls: 0});
	});
});
