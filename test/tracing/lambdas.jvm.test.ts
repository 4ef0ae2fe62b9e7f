import {expect, test} from 'vitest';
import {traceMethods} from '../../source/views/traces/traced-methods.js';
import {type TraceRequest} from '../../source/tracing/trace-session.js';
import {beside, javaForTest} from '../helpers/for-test.js';
import {jdks, sayTo, targetOf} from '../helpers/jvm.js';
import {traced} from '../helpers/tracing.js';

/** Patterns as readme and help have them, and those that match everything. */
const shipped: ReadonlyArray<Partial<TraceRequest>> = [
	{patterns: ['ManyLambdas#round']},
	{patterns: ['ManyLambdas$*#*']},
	{patterns: ['*Lambda*#*']},
	{patterns: ['*'], under: ['ManyLambdas#round']},
	{patterns: ['*#<init>', '*#*']},
	{patterns: ['ManyLambdas.OnlyLambdas#apply']},
	{patterns: ['java.util.function.*#*']},
	{patterns: ['*Proxy*#*', 'com.sun.proxy.*', 'jdk.proxy1.*', 'jdk.proxy2.*']},
];

// They wait for most of their time.
test.concurrent.for(jdks())(
	'JDK $release: lambdas, method references, proxies and names of other languages go on without an error while anything is traced, and after it',
	beside(async jdk => {
		const java = await javaForTest('ManyLambdas', {jdk, jvmArgs: ['-Xmx384m'], under: []});
		const target = await targetOf(java);
		const expectNoErrors = async () => {
			expect(await sayTo(java, 'check')).toMatch(/^rounds \d+ errors 0$/m);
		};

		const most = new Map<string, number>();
		for (const change of shipped) {
			const report = await traced(target, change, expectNoErrors);
			for (const {className, calls} of traceMethods(report, undefined)) {
				most.set(className, Math.max(calls, most.get(className) ?? 0));
			}

			await expectNoErrors();
		}

		expect([...most.keys()].filter(name => name.includes('/'))).toEqual([]);
		const called = [
			'ManyLambdas',
			'ManyLambdas$Circle',
			'ManyLambdas$_run_closure1',
			'ManyLambdas$ManyLambdasKt',
			'ManyLambdas$ManyLambdasKt$Companion',
			'ManyLambdas$ManyLambdas$$Lambda$1',
		];
		expect(called.filter(name => !most.get(name))).toEqual([]);
	}),
);
