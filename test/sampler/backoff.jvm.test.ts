import {performance} from 'node:perf_hooks';
import {expect, test} from 'vitest';
import {safe, type Printable} from '../../source/util/printable.js';
import type {TimerId} from '../../source/engines/common/engine.js';
import {memoryEngine} from '../../source/engines/memory/memory-engine.js';
import {JavaThread} from '../../source/engines/memory/threads/java-thread.js';
import {emptyBlock} from '../../source/engines/memory/hotspot/thread-block.js';
import {Sample} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import {Backoff, SamplingClock, ticksBefore} from '../../source/sampler/clock.js';
import {type TableImage} from '../../source/table/table-reader.js';
import type {JavaProcess} from '../helpers/jvm.js';
import {schedstatOf} from '../helpers/proc.js';
import {seeded} from '../helpers/random.js';
import {sum} from '../helpers/sum.js';
import {until} from '../helpers/until.js';
import {countedIn, sampleHere} from '../helpers/sampling.js';
import {javaForTest} from '../helpers/for-test.js';
import {SteadyThreads} from '../../source/engines/memory/threads/steady-threads.js';

const intervalMs = 20;

test('samples are taken more rarely while nothing changes, and at the full rate after the first change', () => {
	const backoff = new Backoff();
	expect([false, true, true, true, true, false, true, false].map(isUnchanged =>
		backoff.next(isUnchanged, intervalMs))).toEqual([1, 2, 4, 4, 4, 1, 2, 1]);
});

// Records have no room for longer; what is put off is not noticed on the screen.
test.each([
	...[[200, 4], [90, 3], [67, 2], [40, 1], [0, 1]].map(([nextWithinMs, most]) =>
		[intervalMs, nextWithinMs, intervalMs, most, false] as const),
	...[[10, 4], [20, 4], [25, 3], [33, 2], [50, 1], [1000, 1]].map(([interval, most]) =>
		[interval, Infinity, interval, most, false] as const),
	...[20, 40, 200].map(interval => [interval, Infinity, intervalMs, 4, false] as const),
	...[[10, 20], [20, 20], [50, 9], [100, 4], [1000, 1]].map(([interval, most]) =>
		[interval, Infinity, interval, most, true] as const),
	[intervalMs, 200, intervalMs, 9, true] as const,
	// Where the budget lengthens the interval, what comes after a long rest is not seen later still.
	...[[30, 15], [200, 4], [1000, 4]].map(([interval, most]) => [interval, Infinity, intervalMs, most, true] as const),
])(
	'at an interval of %d ms, with room for %d ms, where %d ms were requested, a sample covers %d intervals at most (after a long rest: %s)',
	(interval, nextWithinMs, requestedMs, most, isAtRest) => {
		const backoff = new Backoff();
		expect(Math.max(...Array.from({length: 70}, () =>
			backoff.next(true, interval, {nextWithinMs, requestedMs, isAtRest})))).toBe(most);
	},
);

test('a sample covers more only once sixty in a row were taken at rest', () => {
	const backoff = new Backoff();
	const next = (times: number, isAtRest: boolean) =>
		Array.from({length: times}, () => backoff.next(true, intervalMs, {isAtRest})).at(-1);
	expect([next(60, true), next(1, true), next(1, false), next(60, true), next(1, true)]).toEqual([4, 20, 4, 4, 20]);
	expect([backoff.next(false, intervalMs, {isAtRest: true}), next(60, true), next(1, true)]).toEqual([1, 4, 20]);
});

/** Factor by which a thread that works and then rests is overrepresented; and the numbers of samples and intervals. */
function simulate(workMs: number, restMs: number): {factor: number; taken: number; samples: number} {
	const random = seeded(workMs + restMs);
	const clock = new SamplingClock(0, random);
	const backoff = new Backoff();
	const sample = new Sample();
	const thread = new JavaThread(0x10_00, emptyBlock(), 1);
	thread.row.index = sample.addThread(1, 1, safe`works`);
	const steadyThreads = new SteadyThreads();
	let [nowMs, beginMs, wasRunning, running, samples, taken] = [0, restMs, false, 0, 0, 0];
	for (; taken < 300_000; taken++) {
		const beforeMs = nowMs;
		nowMs += clock.waitMs(nowMs);
		let usedMs = 0;
		for (; beginMs + workMs <= nowMs; beginMs += workMs + (restMs * (0.5 + random()))) {
			usedMs += Math.max(0, beginMs + workMs - Math.max(beginMs, beforeMs));
		}

		const isRunning = beginMs <= nowMs;
		usedMs += isRunning ? nowMs - Math.max(beginMs, beforeMs) : 0;
		sample.state[thread.row.index] = isRunning ? stateCode.RUNNABLE : stateCode.WAITING;
		// Half of what it needs a CPU for it waits for one.
		thread.cpu.setUsed(usedMs * 500_000);
		thread.cpu.runDelayNs = usedMs * 500_000;
		steadyThreads.update([thread], sample, nowMs);
		const before = ticksBefore(clock.repeats, clock.repeats, steadyThreads.sinceChangeNs, intervalMs);
		const now = clock.repeats - before;
		running += (wasRunning ? before : 0) + (isRunning ? now : 0);
		wasRunning = isRunning;
		samples += before + now;
		clock.end(
			nowMs,
			intervalMs,
			backoff.next(
				(usedMs === 0 || steadyThreads.isSteady(thread)) && !steadyThreads.hasSteadyThreadStopped(nowMs),
				intervalMs,
				{isAtRest: usedMs < 2},
			),
		);
	}

	// The mean rate is the one asked for.
	expect(nowMs / samples / intervalMs).toBeCloseTo(1, 2);
	return {factor: running * (workMs + restMs) / (samples * workMs), taken, samples};
}

test.each([
	[2000, 5],
	[4000, 20],
	[3000, 37],
	[2500, 250],
	[5, 300],
	[20, 1000],
	[37, 500],
	[250, 700],
	[100, 10_000],
	[1000, 30_000],
])(
	'work of %d ms and a wait of %d ms are each met as often as they should be, wherever they begin between two samples',
	(workMs, restMs) => {
		const {factor, taken, samples} = simulate(workMs, restMs);
		const restPart = restMs / (workMs + restMs);
		const restFactor = (1 - (factor * (1 - restPart))) / restPart;
		expect(Math.abs(factor - 1)).toBeLessThan(0.05);
		expect(Math.abs(restFactor - 1)).toBeLessThan(0.05);
		expect(taken).toBeLessThan(samples * 0.8);
	},
);

function threadNamed({threads}: TableImage, name: Printable) {
	const record = threads.name.indexOf(name);
	return {nativeId: threads.nativeId[record], cpuNs: threads.cpuNs[record]};
}

/** Ticks of a thread, or of all. */
const ticksOf = (image: TableImage, name?: string) =>
	sum(countedIn(image).map(({thread, ticks}) => thread === (name ?? thread) ? ticks : 0));

type Taken = {readonly beganMs: number; readonly repeats: number; readonly isAtRest: boolean};

/** Samples a JVM here, with what there is to say of each sample. */
async function observed(java: JavaProcess, timer: TimerId) {
	const taken: Taken[] = [];
	const {reader} = await sampleHere(java, memoryEngine, {depth: 10, timer}, session => ({
		...session, close: async () => session.close(), release: async () => session.release(),
		async sample(into, isAfterPause, repeats = 1) {
			const beganMs = performance.now();
			const outcome = await session.sample(into, isAfterPause, repeats);
			taken.push({beganMs, repeats, isAtRest: outcome.ok && outcome.isSteady === true});
			return outcome;
		},
	}));
	return {reader, taken};
}

test.each(['perf', 'stop'] as const)(
	'timer %s: a JVM in which nothing runs is sampled a few times a second, and it has all its samples and CPU time; one that begins to work is seen at once',
	async timer => {
		const java = await javaForTest('ParkedAndEcho', {args: ['10'], jvmArgs: ['-XX:+UseSerialGC', '-Xshare:auto']});
		const {reader, taken} = await observed(java, timer);
		const isAtRest = (repeatsThen: number) =>
			taken.length > 5 && taken.slice(-5).every(({repeats, isAtRest}) => repeats >= repeatsThen && isAtRest);
		await until(() => isAtRest(20));
		const image = reader.read(1000)!;
		const {figures} = image;
		const main = threadNamed(image, safe`main`);
		expect(ticksOf(image)).toBe(figures.threadSamples);
		expect(ticksOf(image, 'main')).toBe(figures.sampleTicks);
		const kernelNs = () => schedstatOf(java.pid, main.nativeId).cpuNs;
		const mainKernelNs = kernelNs();
		expect(figures.samples).toBe(sum(taken.map(({repeats}) => repeats)));
		expect(figures.threadSamples).toBeGreaterThan(10 * figures.samples);
		const before = taken.length;
		java.child.stdin?.write('hello\n');
		await java.waitFor(/^echo hello$/m);
		const ranMs = performance.now();
		await until(() => taken.some(({beganMs}) => beganMs > ranMs));
		const first = taken.findIndex(({isAtRest}, index) => index >= before && !isAtRest);
		expect(first).toBeGreaterThanOrEqual(before);
		expect(first).toBeLessThanOrEqual(taken.findIndex(({beganMs}) => beganMs > ranMs));
		await until(() => taken.length > first + 1);
		expect(taken[first + 1].repeats).toBe(1);
		await until(() => {
			const usedNs = kernelNs() - mainKernelNs;
			return usedNs > 0 && threadNamed(reader.read(1000)!, safe`main`).cpuNs - main.cpuNs === usedNs;
		});
		// It comes to rest again.
		await until(() => isAtRest(4));
	},
);

test('one sample of steadily running threads covers four intervals', async () => {
	const java = await javaForTest('BusyAndParked', {
		args: ['12', '5', '2'],
		jvmArgs: ['-XX:+UseSerialGC', '-Xshare:auto'],
	});
	const {reader, taken} = await observed(java, 'perf');
	await until(() => taken.slice(-3).filter(({repeats}) => repeats === 4).length === 3);
	let [before, takenBefore] = [reader.read(1000)!, taken.length];
	// On a busy machine they do not always run steadily.
	await until(() => {
		if (taken.length <= takenBefore + 12) {
			return false;
		}

		const {samples} = reader.read(1000)!.figures;
		if (samples - before.figures.samples > 2 * (taken.length - takenBefore)) {
			return true;
		}

		[before, takenBefore] = [reader.read(1000)!, taken.length];
		return false;
	});
	const image = reader.read(1000)!;
	for (const name of ['busy-0', 'busy-1']) {
		expect(ticksOf(image, name)).toBe(image.figures.sampleTicks);
	}
});
