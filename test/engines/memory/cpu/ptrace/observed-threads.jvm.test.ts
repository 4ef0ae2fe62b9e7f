import process from 'node:process';
import {expect, test} from 'vitest';
import {ObservedThreads} from '../../../../../source/engines/memory/cpu/ptrace/observed-threads.js';
import {type RunningStacks} from '../../../../../source/engines/memory/cpu/ptrace/running-stacks.js';
import {JavaThread} from '../../../../../source/engines/memory/threads/java-thread.js';
import {type LiveThreads} from '../../../../../source/engines/memory/threads/live-threads.js';
import {emptyBlock} from '../../../../../source/engines/memory/hotspot/thread-block.js';
import {Backoff, SamplingClock} from '../../../../../source/sampler/clock.js';
import {seeded} from '../../../../helpers/random.js';

const intervalMs = 20;
/** From when on the kernel's clocks show what a thread has used that has not left its CPU yet. */
const tickMs = 4;
const livelyMs = 500;

/**
How often samples find a thread at each of a job's three equal steps, between random rests; and their mean distance.
*/
function play(
	stepMs: number,
	restMs: number,
	seed: number,
): {readonly found: readonly number[]; readonly intervalsPerSample: number} {
	const random = seeded(seed);
	const thread = new JavaThread(0x10_00, emptyBlock(), 1);
	thread.stack.setWalked({frames: Int32Array.of(1), end: 'root', carrierStart: -1, isHeapMissing: false});
	const observed = new ObservedThreads(
		process.pid,
		{possiblyRunning: () => thread.cpu.isActive ? [thread] : []} as unknown as LiveThreads,
		{} as RunningStacks,
	);
	const clock = new SamplingClock(0, random);
	const rests = new Backoff();
	const found = [0, 0, 0];
	let [nowMs, beginMs, usedUntilMs, samples, intervals, isUnchanged] = [0, restMs, 0, 0, 0, false];
	for (; samples < 100_000; samples++) {
		nowMs += clock.waitMs(nowMs);
		intervals += clock.repeats;
		const beforeMs = usedUntilMs;
		for (; beginMs + (3 * stepMs) <= nowMs; beginMs += (3 * stepMs) - (restMs * Math.log(1 - random()))) {
			usedUntilMs = beginMs + (3 * stepMs);
		}

		if (nowMs - beginMs >= tickMs) {
			usedUntilMs = nowMs;
		}

		if (nowMs >= beginMs) {
			found[Math.floor((nowMs - beginMs) / stepMs)]++;
		}

		thread.cpu.dueMs = nowMs - usedUntilMs < livelyMs ? 0 : nowMs + livelyMs;
		isUnchanged = usedUntilMs === beforeMs && !observed.hasWorkingThreads();
		clock.end(nowMs, intervalMs, rests.next(isUnchanged, intervalMs));
	}

	return {found, intervalsPerSample: intervals / samples};
}

test.each([[5, 30], [2, 12], [5, 80], [9, 50]])(
	'three steps of %d ms, then a rest of %d ms in the mean: each is found as often as the others',
	(stepMs, restMs) => {
		const {found} = play(stepMs, restMs, stepMs + restMs);
		const whole = found.reduce((sum, times) => sum + times, 0);
		// Four standard deviations of a share of a third.
		const chance = 4 * Math.sqrt(2 / 9 / whole);
		for (const times of found) {
			expect(Math.abs((times / whole) - (1 / 3))).toBeLessThan(chance);
		}
	},
);

test('samples are skipped if work is rare', () => {
	expect(play(5, 10_000, 1).intervalsPerSample).toBeGreaterThan(3);
	expect(play(5, 30, 1).intervalsPerSample).toBeLessThan(1.01);
});
