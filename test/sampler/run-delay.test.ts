import {readFileSync, readdirSync} from 'node:fs';
import {describe, expect, test} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import {threadRunDelayNs} from '../../source/query/counters/cpu-time.js';
import {jdks} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {javaForTest, keepFirstCpuBusy} from '../helpers/for-test.js';
import {samplerForTest} from '../helpers/sampling.js';

/** What the busy thread of CpuAndSleep has waited for a CPU, by the kernel, since it began. */
function kernelDelayNs(pid: number, tid: number): number {
	return Number(readFileSync(`/proc/${pid}/task/${tid}/schedstat`, 'latin1').split(' ', 2)[1]);
}

const busyIn = ({threads}: Snapshot) => threads.name.indexOf('busy-one');

describe.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test.each(['memory', 'attach'])('what a thread waits for a CPU is what the kernel says (%s)', async engine => {
		const java = await javaForTest('CpuAndSleep', {jdk, under: ['taskset', '-c', '0']});
		keepFirstCpuBusy(4);
		const tid = readdirSync(`/proc/${java.pid}/task`).map(Number).find(id => readFileSync(`/proc/${java.pid}/task/${id}/comm`, 'latin1').trim() === 'busy-one')!;
		const sampler = await samplerForTest(java, {engine, intervalMs: 50});
		const first = await until(() => {
			const snapshot = sampler.read();
			return snapshot && busyIn(snapshot) >= 0 && snapshot;
		});
		const kernelFirst = kernelDelayNs(java.pid, tid);
		await until(() => kernelDelayNs(java.pid, tid) - kernelFirst >= 6e9);
		const kernelNs = kernelDelayNs(java.pid, tid) - kernelFirst;
		const last = await until(() => {
			const snapshot = sampler.read();
			return snapshot && snapshot.session.samples > first.session.samples && snapshot;
		});
		// What it waits for at either end may not count: a turn takes some tens of milliseconds, on a busy machine tenths.
		expect(Math.abs(threadRunDelayNs(last, first, busyIn(last)) - kernelNs)).toBeLessThan(1.5e9);
	});
});
