import {readFileSync} from 'node:fs';
import {performance} from 'node:perf_hooks';
import {describe, expect, test} from 'vitest';
import {memoryEngine} from '../../source/engines/memory/engine.js';
import {JavaThread} from '../../source/engines/memory/threads/java-thread.js';
import {runsOn, Steadiness} from '../../source/engines/memory/threads/steadiness.js';
import {emptyBlock} from '../../source/engines/memory/threads/thread-block.js';
import {Sample} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import {SamplingClock} from '../../source/sampler/clock.js';
import {SamplingLoop} from '../../source/sampler/loop.js';
import {Rests, sharesOf} from '../../source/sampler/rests.js';
import {createTable} from '../../source/table/layout.js';
import {TableReader, type TableImage} from '../../source/table/reader.js';
import {TableWriter} from '../../source/table/writer.js';
import {startJava} from '../helpers/jvm.js';
import {seeded} from '../helpers/random.js';
import {targetOf} from '../helpers/target.js';
import {until} from '../helpers/until.js';

const intervalMs = 20;

describe('Rests', () => {
	test('looks come more rarely while nothing changes, and at the full rate from the first on that finds otherwise', () => {
		const rests = new Rests();
		expect([false, true, true, true, true, false, true, false].map(isCalm => rests.next(isCalm, intervalMs))).toEqual([1, 2, 4, 4, 4, 1, 2, 1]);
	});

	test.each([[200, 4], [90, 3], [67, 2], [40, 1], [0, 1]])('nor more rarely than once in %d ms where records have no room for longer: %d at the most', (withinMs, most) => {
		const rests = new Rests();
		expect(Math.max(...Array.from({length: 10}, () => rests.next(true, intervalMs, withinMs)))).toBe(most);
	});

	test.each([[10, 4], [20, 4], [25, 3], [33, 2], [50, 1], [1000, 1]])('at an interval of %d ms they are put off to %d of them at the most, which is not noticed on the screen', (interval, most) => {
		const rests = new Rests();
		expect(Math.max(...Array.from({length: 10}, () => rests.next(true, interval)))).toBe(most);
	});
});

/** A Java thread that awaits to be found at work, or not. */
function threadAt(row: number): JavaThread {
	return Object.assign(new JavaThread(0x10_00, emptyBlock(), 1), {row});
}

/** By which factor too many samples meet a thread at work that works for so long, then rests; and the looks they took. */
function simulate(workMs: number, restMs: number): {factor: number; looks: number; samples: number} {
	const random = seeded(workMs + restMs);
	const clock = new SamplingClock(0, random);
	const rests = new Rests();
	const sample = new Sample();
	const thread = threadAt(sample.addThread(1, 1, 'works'));
	const steadiness = new Steadiness();
	let [nowMs, beginMs, wasRunning, running, samples, looks] = [0, restMs, false, 0, 0, 0];
	for (; looks < 300_000; looks++) {
		const beforeMs = nowMs;
		nowMs += clock.waitMs(nowMs);
		let usedMs = 0;
		for (; beginMs + workMs <= nowMs; beginMs += workMs + (restMs * (0.5 + random()))) {
			usedMs += Math.max(0, beginMs + workMs - Math.max(beginMs, beforeMs));
		}

		const isRunning = beginMs <= nowMs;
		usedMs += isRunning ? nowMs - Math.max(beginMs, beforeMs) : 0;
		sample.state[thread.row] = isRunning ? stateCode.RUNNABLE : stateCode.WAITING;
		// Half of what it needs a CPU for it waits for one.
		thread.cpuNs = usedMs * 500_000;
		thread.waitNs = usedMs * 500_000;
		steadiness.look([thread], sample, nowMs);
		const {before, now} = sharesOf(clock.slots, steadiness.changedNs, intervalMs);
		running += (wasRunning ? before : 0) + (isRunning ? now : 0);
		wasRunning = isRunning;
		samples += before + now;
		clock.end(nowMs, intervalMs, rests.next((usedMs === 0 || runsOn(thread)) && !steadiness.isBroken(nowMs), intervalMs));
	}

	// The mean rate is the one asked for.
	expect(nowMs / samples / intervalMs).toBeCloseTo(1, 2);
	return {factor: running * (workMs + restMs) / (samples * workMs), looks, samples};
}

test.each([[2000, 5], [4000, 20], [3000, 37], [5000, 70], [2500, 250]])('a thread that works for %d ms and then waits for %d is met at work as often as it should be', (workMs, restMs) => {
	const {factor, looks, samples} = simulate(workMs, restMs);
	// And in its wait, which is a small part of the whole.
	const restPart = restMs / (workMs + restMs);
	expect((1 - (factor * (1 - restPart))) / restPart).toBeGreaterThan(0.95);
	expect((1 - (factor * (1 - restPart))) / restPart).toBeLessThan(1.05);
	expect(looks).toBeLessThan(samples * 0.8);
});

test.each([[5, 300], [20, 1000], [37, 500], [70, 400], [250, 700]])('work of %d ms after a rest of %d ms is met as often as it should be, wherever it begins between two looks', (workMs, restMs) => {
	const {factor, looks, samples} = simulate(workMs, restMs);
	expect(factor).toBeGreaterThan(0.95);
	expect(factor).toBeLessThan(1.05);
	expect(looks).toBeLessThan(samples * 0.8);
});

function threadNamed({threads}: TableImage, name: string) {
	const record = threads.name.indexOf(name);
	return {record, nativeId: threads.nativeId[record], cpuNs: threads.cpuNs[record]};
}

test.each(['perf', 'stop'] as const)('timer %s: a JVM in which nothing runs is looked at a few times a second, most looks find that nobody has run, and it has all its samples and CPU time; one that begins to work is seen at once', async timer => {
	const java = await startJava('ParkedAndEcho', {args: ['10'], jvmArgs: ['-XX:+UseSerialGC', '-Xshare:auto']});
	const buffer = createTable();
	const writer = new TableWriter(buffer);
	const countAgain = writer.countAgain.bind(writer);
	const session = await memoryEngine.open(await targetOf(java), {depth: 10, timer}, writer);
	const looks: Array<{readonly beganMs: number; slots: number; readonly isAtRest: boolean; readonly isRepeated: boolean}> = [];
	Object.assign(writer, {
		countAgain(...[atMs, figures, times]: Parameters<typeof countAgain>) {
			looks.at(-1)!.slots = times;
			return countAgain(atMs, figures, times);
		},
	});
	const loop = new SamplingLoop({
		session: {
			...session, close: async () => session.close(), letGo: async () => session.letGo(),
			async sample(into, isAfterGap, slots = 1) {
				const beganMs = performance.now();
				const outcome = await session.sample(into, isAfterGap, slots);
				looks.push({
					beganMs, slots, isAtRest: outcome.ok && outcome.calm === 'rest', isRepeated: false,
				});
				return outcome;
			},
			isStill() {
				const beganMs = performance.now();
				const isRepeated = session.isStill!();
				if (isRepeated) {
					looks.push({
						beganMs, slots: Number.NaN, isAtRest: true, isRepeated,
					});
				}

				return isRepeated;
			},
		}, writer, intervalMs, maxOverheadPercent: 100, report: () => undefined,
	});
	const running = loop.run();
	try {
		await until(() => looks.slice(-5).filter(({slots, isRepeated}) => slots === 4 && isRepeated).length === 5);
		const reader = new TableReader(buffer);
		const image = reader.read(1000)!;
		const {figures} = image;
		const main = threadNamed(image, 'main');
		const ticksOf = (counts: (thread: number) => boolean) => image.facts.ticks.reduce((sum, ticks, fact) => sum + (counts(image.facts.thread[fact]) ? ticks : 0), 0);
		expect(ticksOf(() => true)).toBe(figures.threadSamples);
		expect(ticksOf(thread => thread === main.record)).toBe(figures.samples);
		const kernelNs = () => Number(readFileSync(`/proc/${java.pid}/task/${main.nativeId}/schedstat`, 'latin1').split(' ', 1)[0]);
		const mainKernelNs = kernelNs();
		expect(figures.samples).toBe(looks.reduce((sum, {slots}) => sum + slots, 0));
		expect(figures.threadSamples).toBeGreaterThan(10 * figures.samples);
		const before = looks.length;
		java.child.stdin?.write('hello\n');
		await java.waitFor(/^echo hello$/m);
		const ranMs = performance.now();
		await until(() => looks.some(({beganMs}) => beganMs > ranMs));
		const first = looks.findIndex(({isAtRest}, index) => index >= before && !isAtRest);
		expect(first).toBeGreaterThanOrEqual(before);
		expect(first).toBeLessThanOrEqual(looks.findIndex(({beganMs}) => beganMs > ranMs));
		await until(() => looks.length > first + 1);
		expect(looks[first + 1].slots).toBe(1);
		await until(() => {
			const usedNs = kernelNs() - mainKernelNs;
			return usedNs > 0 && threadNamed(reader.read(1000)!, 'main').cpuNs - main.cpuNs === usedNs;
		});
		// It comes to rest again.
		await until(() => looks.at(-1)!.isRepeated);
	} finally {
		loop.stop();
		await running;
		await session.close();
		await java.stop();
	}
});

test('of threads that run on and on, one look counts for four samples', async () => {
	const java = await startJava('BusyAndParked', {args: ['12', '5', '2'], jvmArgs: ['-XX:+UseSerialGC', '-Xshare:auto']});
	const buffer = createTable();
	const writer = new TableWriter(buffer);
	const session = await memoryEngine.open(await targetOf(java), {depth: 10, timer: 'perf'}, writer);
	const slots: number[] = [];
	const loop = new SamplingLoop({
		session: {
			close: async () => session.close(),
			letGo: async () => session.letGo(),
			async sample(into, isAfterGap, times = 1) {
				slots.push(times);
				return session.sample(into, isAfterGap, times);
			},
		}, writer, intervalMs, maxOverheadPercent: 100, report: () => undefined,
	});
	const running = loop.run();
	try {
		await until(() => slots.slice(-3).filter(times => times === 4).length === 3);
		const reader = new TableReader(buffer);
		const before = reader.read(1000)!;
		const lookedBefore = slots.length;
		await until(() => slots.length > lookedBefore + 12);
		const image = reader.read(1000)!;
		const {samples} = image.figures;
		expect(samples - before.figures.samples).toBeGreaterThan(2 * (slots.length - lookedBefore));
		for (const name of ['busy-0', 'busy-1']) {
			const {record} = threadNamed(image, name);
			const ticks = ({facts}: TableImage) => facts.ticks.reduce((sum, count, fact) => sum + (facts.thread[fact] === record ? count : 0), 0);
			expect(ticks(image)).toBe(samples);
		}
	} finally {
		loop.stop();
		await running;
		await session.close();
		await java.stop();
	}
});
