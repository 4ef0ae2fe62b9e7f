import {expect, test} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import {threadRunDelayNs} from '../../source/query/counters/threads.js';
import {schedstatOf, threadsNamed} from '../helpers/proc.js';
import {isNewestOrAskedFor, jdks} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {javaForTest, keepFirstCpuBusy, onFirstCpu} from '../helpers/for-test.js';
import {samplerForTest} from '../helpers/sampling.js';

const busyIn = ({threads}: Snapshot) => threads.name.indexOf('busy-one');

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))('JDK $release: what a thread waits for a CPU is what the kernel says, with both engines', async jdk => {
	const java = await javaForTest('CpuAndSleep', {jdk, under: onFirstCpu});
	keepFirstCpuBusy(4);
	const [busy] = threadsNamed(java.pid, /^busy-one$/);
	const kernelDelayNs = () => schedstatOf(java.pid, busy).delayNs;
	await Promise.all(['memory', 'attach'].map(async engine => {
		const sampler = await samplerForTest(java, {engine, intervalMs: 50});
		const first = await until(() => {
			const snapshot = sampler.read();
			return snapshot && busyIn(snapshot) >= 0 && snapshot;
		});
		const kernelFirst = kernelDelayNs();
		await until(() => kernelDelayNs() - kernelFirst >= 6e9);
		const kernelNs = kernelDelayNs() - kernelFirst;
		const last = await until(() => {
			const snapshot = sampler.read();
			return snapshot && snapshot.session.samples > first.session.samples && snapshot;
		});
		// What it waits for at either end may not count: a turn takes some tens of milliseconds, on a busy machine tenths.
		expect(Math.abs(threadRunDelayNs(last, first, busyIn(last)) - kernelNs), engine).toBeLessThan(1.5e9);
	}));
});
