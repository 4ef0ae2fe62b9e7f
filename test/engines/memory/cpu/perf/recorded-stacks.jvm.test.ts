import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {CpuRings, targetCpus} from '../../../../../source/engines/memory/cpu/perf/cpu-rings.js';
import {loadPerfCalls} from '../../../../../source/engines/memory/cpu/perf/perf-calls.js';
import {javaForTest} from '../../../../helpers/for-test.js';
import {jdks, isNewestOrAskedFor} from '../../../../helpers/jvm.js';
import {heldThreads, openFiles} from '../../../../helpers/proc.js';
import {ProgramSource} from '../../legal-calls.js';
import {type Credit, Observer, type ObservedThread} from '../../../observe.js';

/** Stacks checked. */
const wanted = 120;

/** At most this part may be wrong or incomplete. */
const tolerance = 0.05;

/** Events on CPUs take more rights than events on threads (kernel.perf_event_paranoid, CAP_PERFMON). */
const rings = CpuRings.open(loadPerfCalls(), process.pid, 1e9);
const clocks = typeof rings === 'string' ? ['threads'] : ['CPUs', 'threads'];
if (typeof rings !== 'string') {
	rings.close();
}

const source = new ProgramSource('KnownCalls');

/** Events that this process has open. */
function openEvents(): number {
	return [...openFiles('self').values()].filter(file => file === 'anon_inode:[perf_event]').length;
}

/** Takes samples until there are enough stacks of these threads with CPU time. */
async function recorded(
	observer: Observer,
	name: string,
	count: number,
	each?: (thread: ObservedThread) => void,
): Promise<Credit[]> {
	const all: Credit[] = [];
	while (all.length < count) {
		await sleep(15);
		const threads = await observer.observe();
		for (const thread of threads.filter(thread => thread.name.startsWith(name))) {
			all.push(...thread.credits);
			each?.(thread);
		}
	}

	return all;
}

describe.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({release, jdk}) => {
	test.each(clocks)(
		'stacks of running threads come with their CPU time, legal and complete, without stopping any: events on %s',
		async clock => {
			const java = await javaForTest('KnownCalls', {jdk, args: ['2'], under: []});
			const observer = await Observer.open(java.pid, {timer: 'perf', threadEvents: clock === 'threads'});
			const {pid} = java;
			let usedNs = 0;
			let standing = 0;
			const credits: Credit[] = [];
			const outNs = () => Math.abs(credits.reduce((sum, {cpuNs}) => sum + cpuNs, 0) - usedNs);
			// A record of each of the two threads may be out, and some before they have events.
			const isOut = () => outNs() >= (0.1 * usedNs) + 60e6;
			// A CPU's clock meets by chance who shares it with others: of eight times as many records a tenth is out by
			// chance less than once in a million times.
			const most = clock === 'CPUs' ? 8 * wanted : wanted;
			const add = (thread: ObservedThread) => {
				usedNs += thread.cpuNs;
				expect(heldThreads(pid).held).toBe(0);
				if (thread.frames.length > 0 && !thread.isIncomplete) {
					standing++;
				}
			};

			do {
				credits.push(...await recorded(observer, 'running-', wanted, add));
			} while (isOut() && credits.length < most);

			expect(isOut(), `${outNs()} of ${usedNs} ns`).toBe(false);
			const problems = credits.map(({frames}) => source.problem(frames)).filter(Boolean);
			expect(problems.length / credits.length, problems.join('\n')).toBeLessThanOrEqual(tolerance);
			expect(new Set(credits.map(({frames}) => frames[0])).size).toBeGreaterThan(5);
			// Current frames come from the newest records.
			expect(standing).toBeGreaterThan(0);
			expect(openEvents())
				.toBeGreaterThanOrEqual(clock === 'threads' ? 2 : targetCpus(loadPerfCalls(), pid).length);
			await observer.session.release();
			expect(openEvents()).toBe(0);
			await recorded(observer, 'running-', 2);
			await observer.close();
			expect(openEvents()).toBe(0);
		},
	);

	test.each(release >= 21 ? clocks : [])(
		'a virtual thread that is still mounted has its records, with its frames in the heap: events on %s',
		async clock => {
			const java = await javaForTest('VirtualThreads', {jdk, args: ['30'], under: []});
			const observer = await Observer.open(java.pid, {timer: 'perf', threadEvents: clock === 'threads'});
			const seen = new Set<string>();
			for (const [name, method] of [['spinning', 'spinDown'], ['resumed', 'parkDown']] as const) {
				const credits = await recorded(observer, name, 5, ({isVirtual, carrier}) => {
					expect(isVirtual).toBe(true);
					seen.add(carrier);
				});
				for (const {frames} of credits) {
					const down = frames.filter(frame => frame.startsWith(`VirtualThreads.${method}:`));
					if (name === 'spinning' || release >= 24) {
						expect(down).toHaveLength(30);
						expect(frames.at(-1)).toMatch(/^jdk\.internal\.vm\.Continuation\.enter:/);
					}
				}
			}

			expect(seen.size).toBe(2);
		},
	);
});

test.each(clocks.filter(clock => clock === 'CPUs'))(
	'threads that ran and ended between two samples: their CPU time counts at their stacks: events on %s',
	async () => {
		const java = await javaForTest('ThreadPerTask', {args: ['2', '1'], under: []});
		const observer = await Observer.open(java.pid, {timer: 'perf'});
		const credits = await recorded(observer, '(ended threads)', 20, ({state, cpuNs, credits, isVmInternal}) => {
			expect([state, isVmInternal]).toEqual(['TERMINATED', false]);
			expect(cpuNs).toBe(credits.reduce((sum, credit) => sum + credit.cpuNs, 0));
		});
		expect(credits.filter(({frames}) => frames.some(frame => frame.startsWith('ThreadPerTask.busy:'))).length)
			.toBeGreaterThan(10);
		await sleep(1000);
		const threads = await observer.observe();
		expect(threads.filter(({name}) => name === '(ended threads)').length).toBeLessThanOrEqual(1);
	},
);

/** Current frames of the worker in samples until it is in a method. */
async function seenUntil(observer: Observer, method: string): Promise<string[]> {
	const seen: string[] = [];
	while (!seen.at(-1)?.startsWith(`FirstThenSecond.${method}:`)) {
		await sleep(10);
		const threads = await observer.observe();
		seen.push(threads.find(({name}) => name === 'worker')?.frames[0] ?? '');
	}

	return seen;
}

test.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))(
	'JDK $release: a thread that has slept is no longer where an earlier record found it',
	async on => {
		const java = await javaForTest('FirstThenSecond', {jdk: on});
		// So that half a second passes until a thread that works has a record.
		const observer = await Observer.open(java.pid, {timer: 'perf', maxOverheadPercent: 0.005});
		await seenUntil(observer, 'first');
		java.child.stdin?.write('\n');
		await java.waitFor(/^second$/m);
		const seen = await seenUntil(observer, 'second');
		expect(seen.filter(frame => frame.startsWith('FirstThenSecond.first:'))).toEqual([]);
	},
);
