import {describe, expect, test} from 'vitest';
import {traceMethods} from '../../source/query/traces/methods.js';
import {TraceSession, type TraceRequest} from '../../source/tracing/session.js';
import {javaForTest} from '../helpers/for-test.js';
import {jdks} from '../helpers/jvm.js';
import {sayTo} from '../helpers/say.js';
import {targetOf} from '../helpers/target.js';

const request: TraceRequest = {
	patterns: [], under: [], leastNs: 0, keep: 5, maxMethods: 2000, maxOverheadPercent: 100, periodMs: 100,
};

/** Patterns as readme and help have them, and those that mean whatever there is. */
const shipped: ReadonlyArray<Partial<TraceRequest>> = [
	{patterns: ['ManyLambdas#round']},
	{patterns: ['ManyLambdas.round']},
	{patterns: ['ManyLambdas*']},
	{patterns: ['ManyLambdas.*']},
	{patterns: ['ManyLambdas$*#*']},
	{patterns: ['*Lambda*#*']},
	{patterns: ['*'], under: ['ManyLambdas#round']},
	{patterns: ['*#<init>', '*#*']},
	{patterns: ['@FunctionalInterface']},
	{patterns: ['ManyLambdas.OnlyLambdas#apply']},
	{patterns: ['java.util.function.*#*']},
	{patterns: ['*Proxy*#*', 'com.sun.proxy.*', 'jdk.proxy1.*', 'jdk.proxy2.*']},
];

describe.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i', (_, jdk) => {
	test('lambdas, method references, proxies and names of other languages go on without an error while anything is traced, and after it', async () => {
		const java = await javaForTest('ManyLambdas', {jdk, jvmArgs: ['-Xmx128m']});
		const target = await targetOf(java);
		const traced = new Map<string, number>();
		for (const change of shipped) {
			const session = await TraceSession.open(target);
			try {
				await session.weave({...request, ...change});
				expect(await sayTo(java, 'check')).toMatch(/^rounds \d+ errors 0$/m);
			} finally {
				for (const {className, calls} of traceMethods((await session.close())!, undefined)) {
					traced.set(className, Math.max(calls, traced.get(className) ?? 0));
				}
			}

			expect(await sayTo(java, 'check')).toMatch(/^rounds \d+ errors 0$/m);
		}

		expect([...traced.keys()].filter(name => name.includes('/'))).toEqual([]);
		for (const name of ['ManyLambdas', 'ManyLambdas$Circle', 'ManyLambdas$_run_closure1', 'ManyLambdas$ManyLambdasKt', 'ManyLambdas$ManyLambdasKt$Companion', 'ManyLambdas$ManyLambdas$$Lambda$1']) {
			expect([name, traced.get(name)]).toEqual([name, expect.any(Number)]);
			expect(traced.get(name)).toBeGreaterThan(0);
		}
	});
});
