import {readdirSync} from 'node:fs';
import {setTimeout as sleep} from 'node:timers/promises';
import {expect, test} from 'vitest';
import type {EngineSession, TimerId} from '../../../source/engines/common/engine.js';
import {memoryEngine} from '../../../source/engines/memory/memory-engine.js';
import {Sample} from '../../../source/model/sample.js';
import {schedstatOf} from '../../helpers/proc.js';
import {sum} from '../../helpers/sum.js';
import {rawTarget} from '../../helpers/jvm.js';
import {closedAfterTest, javaForTest} from '../../helpers/for-test.js';
import {Names, Observer} from '../observe.js';

const samples = 60;
const intervalMs = 25;

/** CPU nanoseconds by Linux thread id. */
type CpuTimes = Map<number, number>;

function cpuNs(pid: number): CpuTimes {
	const found: CpuTimes = new Map();
	for (const name of readdirSync(`/proc/${pid}/task`)) {
		try {
			found.set(Number(name), schedstatOf(pid, Number(name)).cpuNs);
		} catch {
			// It has just ended.
		}
	}

	return found;
}

/** A sample for which all threads are asked, with what the kernel counted just before and just after. */
async function bracketed(
	session: EngineSession,
	sample: Sample,
	pid: number,
): Promise<{readonly before: CpuTimes; readonly after: CpuTimes}> {
	const before = cpuNs(pid);
	expect(await session.sample(sample, true)).toMatchObject({ok: true});
	return {before, after: cpuNs(pid)};
}

/** Threads that rest are asked for their CPU time in turn, which must not lose any of it. */
test.each([
	['200 threads, in short bursts', 'ManyThreads', ['200', '20'], 'stop'],
	['threads that come and go', 'ThreadPerTask', ['2', '1'], 'perf'],
] as const)(
	'the CPU time of all samples is what the kernel counted: %s (%s %j, %s)',
	async (_, program, args, timer: TimerId) => {
		const java = await javaForTest(program, {args: [...args]});
		const session = closedAfterTest(await memoryEngine.open(rawTarget(java.pid), {depth: 50, timer}, new Names()));
		const sample = new Sample();
		// VM-internal threads are listed from the second sample on.
		for (let count = 0; count < 2; count++) {
			await session.sample(sample, true);
			await sleep(600);
		}

		const first = await bracketed(session, sample, java.pid);
		const sums: CpuTimes = new Map([...sample.nativeId.subarray(0, sample.count)].map(id => [id, 0]));
		let filled = 0;
		const add = () => {
			for (let row = 0; row < sample.count; row++) {
				const id = sample.nativeId[row];
				sums.set(id, (sums.get(id) ?? 0) + sample.cpuNs[row]);
				filled += sample.isSame[row] === 0 ? 1 : 0;
			}
		};

		for (let count = 0; count < samples; count++) {
			await sleep(intervalMs);
			expect(await session.sample(sample)).toMatchObject({ok: true});
			add();
		}

		const last = await bracketed(session, sample, java.pid);
		add();
		// Threads that were there all the time. Each reading of ours lies between two of the test's, so there is no
		// room for tolerance.
		const ids = [...sums.keys()].filter(id => first.before.has(id) && last.after.has(id));
		expect(ids.length).toBeGreaterThan(5);
		const wrong = ids.map(id => ({
			id,
			counted: sums.get(id)!,
			least: last.before.get(id)! - first.after.get(id)!,
			most: last.after.get(id)! - first.before.get(id)!,
		})).filter(({counted, least, most}) => !(counted >= least && counted <= most));
		expect(wrong).toEqual([]);
		expect(sum(ids.map(id => sums.get(id)!))).toBeGreaterThan(1e6);
		expect(filled).toBeLessThan(samples * sample.count);
	},
);

test('what is recorded of threads that rest for most of the time is not lost with them, with events on CPUs and on threads', async () => {
	const java = await javaForTest('SeldomBursts', {args: ['8']});
	const timers = await Promise.all([false, true].map(async threadEvents => {
		const observer = await Observer.open(java.pid, {depth: 50, timer: 'perf', threadEvents});
		return {threadEvents, observer, tids: new Set<number>(), usedNs: 0, recordedNs: 0};
	}));
	const take = async (isCounted: boolean) => {
		await sleep(15);
		for (const timer of timers) {
			const threads = await timer.observer.observe();
			for (
				const {nativeId, cpuNs, credits} of isCounted
					? threads.filter(({name}) => name.startsWith('seldom-'))
					: []
			) {
				timer.tids.add(nativeId);
				timer.usedNs += cpuNs;
				timer.recordedNs += sum(credits.map(credit => credit.cpuNs));
			}
		}
	};

	// The first burst of each thread tells that it is to have an event.
	for (let count = 0; count < 60; count++) {
		await take(false);
	}

	// A period of each thread may be out, and a little of where the count begins. On CPUs each timeslice has a record
	// more or less: five standard deviations of that.
	const timeslices = (tids: Iterable<number>) => sum([...tids].map(tid => schedstatOf(java.pid, tid).timeslices));
	const mostOutNs = ({threadEvents, tids}: typeof timers[number]) =>
		threadEvents ? 100e6 : 20e6 + (5 * 10e6 * Math.sqrt(timeslices(tids) / 4));
	const isOut = () => timers.some(timer => Math.abs(timer.usedNs - timer.recordedNs) >= mostOutNs(timer));
	const isEnough = () => timers[0].usedNs > 700e6 && (timers[0].usedNs > 1.4e9 || !isOut());
	while (!isEnough()) {
		await take(true);
	}

	expect(isOut(), timers.map(({usedNs, recordedNs}) => `${usedNs} ns used, ${recordedNs} recorded`).join('; '))
		.toBe(false);
});
