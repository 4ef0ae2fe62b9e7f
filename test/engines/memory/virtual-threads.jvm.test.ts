import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {jdks} from '../../helpers/jvm.js';
import {untilAsync} from '../../helpers/until.js';
import {javaForTest} from '../../helpers/for-test.js';
import {dumpOf} from '../attach/dumps.js';
import {Observer, type Row} from '../observe.js';

/** What a moment later is still the same: all but the innermost calls, of `spin`. */
const callers = (frames: readonly string[]) => frames.slice(frames.findIndex(frame => frame.includes('Down')));

describe.each(jdks().filter(({release}) => release >= 21).map(jdk => ({release: jdk.release, jdk})))(
	'JDK $release',
	({jdk}) => {
		test('mounted virtual threads are threads of their own, beside their carriers', async () => {
			const java = await javaForTest('VirtualThreads', {jdk, args: ['30']});
			const observer = await Observer.open(java.pid);
			let threads = await observer.observe();
			// A thread that gets no CPU cannot be stopped; another try then.
			await untilAsync(async () => {
				threads = await observer.observe();
				return threads.filter(({isVirtual}) => isVirtual).length >= 2;
			});

			const spinning = threads.find(({name}) => name === 'spinning')!;
			const resumed = threads.find(({name}) => name === 'resumed')!;
			expect(spinning).toMatchObject({isVirtual: true, state: 'RUNNABLE', isIncomplete: false});
			expect(spinning.frames.filter(frame => frame.startsWith('VirtualThreads.spinDown:'))).toHaveLength(30);
			expect(spinning.frames.at(-1)).toMatch(/^jdk\.internal\.vm\.Continuation\.enter:/);
			expect(resumed).toMatchObject({isVirtual: true, state: 'RUNNABLE'});
			for (const {carrier} of [spinning, resumed]) {
				const thread = threads.find(({name}) => name === carrier)!;
				expect(thread).toMatchObject({state: 'WAITING', cpuNs: 0, isVirtual: false, isIncomplete: false});
				expect(thread.frames[0]).toMatch(/^jdk\.internal\.vm\.Continuation\.run:/);
				expect(thread.frames.at(-1)).toMatch(/^java\.util\.concurrent\.ForkJoinWorkerThread\.run:/);
			}

			if (jdk.release < 24) {
				// What is still in the heap cannot be found there: the part that is sure, and the word that it is a
				// part.
				expect(resumed.isIncomplete).toBe(true);
				expect(resumed.frames.length).toBeGreaterThanOrEqual(2);
				return;
			}

			expect(resumed.isIncomplete).toBe(false);
			expect(resumed.frames.filter(frame => frame.startsWith('VirtualThreads.parkDown:'))).toHaveLength(30);
			const rows = await dumpOf(java);
			for (const own of [spinning, resumed]) {
				const mounted = rows.find(({isVirtual, carrier}) => isVirtual && carrier === own.carrier)!;
				expect(callers(own.frames)).toEqual(callers(mounted.frames));
				const framesOfCarrier = (those: readonly Row[]) => those.find(({name}) => name === own.carrier)!.frames;
				expect(framesOfCarrier(threads)).toEqual(framesOfCarrier(rows));
			}
		});

		test.each(jdk.release < 24 ? [] : ['perf', 'stop'] as const)(
			'frames in the heap that ZGC is moving are whole, or said to be missing: %s',
			async timer => {
				const java = await javaForTest('VirtualThreads', {
					jdk,
					jvmArgs: ['-XX:+UseZGC', '-Xmx256m'],
					args: ['30', 'garbage'],
				});
				const observer = await Observer.open(java.pid, {timer});
				const depths: number[] = [];
				while (depths.length < 100) {
					await sleep(10);
					const threads = await observer.observe();
					for (
						const {frames} of threads.filter(({name, isIncomplete, frames}) =>
							name === 'resumed' && !isIncomplete && frames.length > 0)
					) {
						depths.push(frames.filter(frame => frame.startsWith('VirtualThreads.parkDown:')).length);
					}
				}

				expect(new Set(depths)).toEqual(new Set([30]));
			},
		);
	},
);
