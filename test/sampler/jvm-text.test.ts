import {spawn} from 'node:child_process';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {openVitals} from '../../source/jvm/counters/vitals.js';
import {isNewestOrAskedFor, jdks, type JavaProcess} from '../helpers/jvm.js';
import {picture} from '../helpers/picture.js';
import {targetOf} from '../helpers/target.js';
import {until} from '../helpers/until.js';
import {closedAfterTest, javaForTest, keepFirstCpuBusy, onFirstCpu} from '../helpers/for-test.js';
import {samplerForTest} from '../helpers/sampling.js';
import {jvmFinding} from '../../source/query/summary/findings.js';

/** Samples a JVM until what is said of it matches. */
async function sampleUntil(java: JavaProcess, said: RegExp): Promise<void> {
	const sampler = await samplerForTest(java);
	await until(() => {
		const snapshot = sampler.read();
		return snapshot !== undefined && said.test(jvmFinding(snapshot, undefined)?.text ?? '');
	});
}

describe.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test('compilers that use much of the CPU are worth a sentence', async () => {
		const java = await javaForTest('CompilesOften', {jdk, jvmArgs: ['-Xcomp'], under: []});
		await sampleUntil(java, /^(?:The JIT compiler uses \d+% CPU, the program \d+%: its code is still being compiled|C\d compiles \S+: \d+% of the CPU time)\.$/);
	});

	test.each(isNewestOrAskedFor(jdk.release) ? [jdk.release] : [])('collections that wait for a CPU are not what the program suffers from', async () => {
		// All share a CPU, and others go before the JVM.
		const java = await javaForTest('Garbage', {jdk, jvmArgs: ['-Xmn8m', '-XX:+UseParallelGC', '-XX:ParallelGCThreads=4'], under: onFirstCpu});
		const target = await targetOf(java);
		keepFirstCpuBusy(3);
		spawn('renice', ['-n', '19', '-p', String(java.pid)]);
		const reader = closedAfterTest(openVitals(target));
		let vitals = reader.read();
		for (let found = 0; found < 3; found += Number((vitals.gcPercent ?? 0) >= 50)) {
			await sleep(500);
			vitals = reader.read();
			expect([vitals, jvmFinding(picture('main\nR1\nwork:1'), undefined, vitals)]).toEqual([vitals, undefined]);
		}
	});
});
