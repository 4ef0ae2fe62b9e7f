import {describe, expect, test} from 'vitest';
import {traceTree, type TraceTreeRow} from '../../source/views/traces/methods.js';
import {jdks} from '../helpers/jvm.js';
import {sayTo} from '../helpers/say.js';
import {sharedJava} from '../helpers/for-test.js';
import {traced} from '../helpers/traced.js';

const count = 400;

/** Calls and exceptions of each row of the tree, sorted by name. */
function treeOf(rows: readonly TraceTreeRow[], indent = ''): string[] {
	return rows
		.map(row => [`${indent}${row.className.replace(/^\w+\$?/, '')}${row.method === '<init>' ? '' : `.${row.method}`}(${row.parameters}) ${row.calls} ${row.exceptions}`, ...treeOf(row.children, `${indent} `)])
		.sort((a, b) => a[0] < b[0] ? -1 : 1)
		.flat();
}

describe.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i: constructors whose super(...) or this(...) throws', (_, jdk) => {
	const shared = sharedJava('FailingConstructors', {jdk, jvmArgs: ['-Xmx64m']});
	const tracedAt = async (...patterns: readonly string[]) => traced(shared.target, {patterns}, async () => sayTo(shared.java, String(count)));

	test('have ended when the next call begins, though nothing else on the stack is traced', async () => {
		const report = await tracedAt('FailingConstructors$Derived#<init>', 'FailingConstructors$Special#<init>', 'FailingConstructors#step', 'FailingConstructors$Prepared#prepare');
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
			'Nested(int) 1 0',
			' Nesting(int) 1 0',
			'  .step() 1 0',
			'  Derived(int) 1 1',
			'   Base(int) 1 1',
			'  Failing(int) 1 1',
			'  Nested(int) 1 0',
			'   Nesting(int) 1 0',
			'    .step() 1 0',
			'    Derived(int) 1 1',
			'     Base(int) 1 1',
			'    Failing(int) 1 1',
			'    Nested(int) 1 1',
			'     Nesting(int) 1 0',
			'      .step() 1 0',
			'      Derived(int) 1 1',
			'       Base(int) 1 1',
			'      Failing(int) 1 1',
			'      Nested(int) 1 0',
			'       Nesting(int) 1 0',
			`Special(int) ${count} ${half}`,
			` Prepared(int) ${count} ${half}`,
		]);
		expect(report).toMatchObject({activeCount: 0, lostCalls: 0});
	});

	test('in which others fail and are caught go on', async () => {
		const report = await tracedAt('FailingConstructors$Nested#<init>', 'FailingConstructors$Failing#<init>', 'FailingConstructors$Derived#<init>', 'FailingConstructors#step');
		expect(treeOf(traceTree(report, undefined))).toEqual([
			`.step() ${count * 4} 0`,
			`Derived(int) ${(count * 3) + 1} ${(count * 1.5) + 1}`,
			'Nested(int) 1 0',
			' .step() 1 0',
			' Derived(int) 1 1',
			' Failing(int) 1 1',
			' Nested(int) 1 0',
			'  .step() 1 0',
			'  Derived(int) 1 1',
			'  Failing(int) 1 1',
			'  Nested(int) 1 1',
			'   .step() 1 0',
			'   Derived(int) 1 1',
			'   Failing(int) 1 1',
			'   Nested(int) 1 0',
		]);
		expect(report).toMatchObject({activeCount: 0, lostCalls: 0});
	});
});
