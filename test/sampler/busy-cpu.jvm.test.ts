import {spawn} from 'node:child_process';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {openVitals} from '../../source/jvm/counters/vitals.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {threadRunDelayNs} from '../../source/query/counters/thread-table.js';
import {jvmFinding} from '../../source/query/summary/findings.js';
import {javaForTest, keepFirstCpuBusy, onFirstCpu, closedAfterTest} from '../helpers/for-test.js';
import {isNewestOrAskedFor, jdks, targetOf} from '../helpers/jvm.js';
import {picture} from '../helpers/picture.js';
import {schedstatOf, threadsNamed} from '../helpers/proc.js';
import {samplerForTest, snapshotOf} from '../helpers/sampling.js';
import {until} from '../helpers/until.js';

const busyIn = ({threads}: Snapshot) => threads.name.indexOf(safe`busy-one`);

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'JDK $release: what a thread waits for a CPU is what the kernel says, with both engines',
	async jdk => {
		const java = await javaForTest('CpuAndSleep', {jdk, under: onFirstCpu});
		keepFirstCpuBusy(4);
		const [busy] = threadsNamed(java.pid, /^busy-one$/);
		const kernelDelayNs = () => schedstatOf(java.pid, busy).delayNs;
		await Promise.all(['memory', 'attach'].map(async engine => {
			const sampler = await samplerForTest(java, {engine, intervalMs: 50});
			const first = await snapshotOf(sampler, snapshot => busyIn(snapshot) >= 0);
			const kernelFirst = kernelDelayNs();
			let [kernelLast, longestTurnNs] = [kernelFirst, 0];
			await until(() => {
				const now = kernelDelayNs();
				longestTurnNs = Math.max(longestTurnNs, now - kernelLast);
				kernelLast = now;
				return now - kernelFirst >= Math.max(4e9, 8 * longestTurnNs);
			});
			const kernelNs = kernelLast - kernelFirst;
			const last = await snapshotOf(sampler, ({session}) => session.samples > first.session.samples);
			// What it waits for at either end may not count, or count too much; the kernel counts a turn at its end.
			expect(Math.abs(threadRunDelayNs(last, first, busyIn(last)) - kernelNs), engine)
				.toBeLessThan(0.3e9 + (2 * longestTurnNs));
		}));
	},
);

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'JDK $release: collections that wait for a CPU are not what the program suffers from',
	async jdk => {
		// All share a CPU, and others go before the JVM.
		const java = await javaForTest('Garbage', {
			jdk,
			jvmArgs: ['-Xmn8m', '-XX:+UseParallelGC', '-XX:ParallelGCThreads=4'],
			under: onFirstCpu,
		});
		const target = await targetOf(java);
		keepFirstCpuBusy(3);
		spawn('renice', ['-n', '19', '-p', String(java.pid)]);
		const reader = closedAfterTest(openVitals(target));
		let vitals = reader.read();
		for (let found = 0; found < 3; found += Number((vitals.gcPercent ?? 0) >= 50)) {
			await sleep(500);
			vitals = reader.read();
			expect([vitals, jvmFinding(picture('main | R1 | work:1'), undefined, vitals)]).toEqual([vitals, undefined]);
		}
	},
);
