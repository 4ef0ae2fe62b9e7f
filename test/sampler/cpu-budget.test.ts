import {expect, test} from 'vitest';
import {CpuBudget} from '../../source/sampler/cpu-budget.js';

/** A tool whose samples cost so much, beside what it uses anyway (milliseconds a second), for so many seconds. */
function play(budget: CpuBudget, {sampleMs, otherMs, seconds, from = 0}: {sampleMs: number; otherMs: number; seconds: number; from?: number}): {share: number; rate: number; longest: number} {
	const requestedMs = 20;
	let cpuMs = 0;
	let samples = 0;
	let [afterMs, cpuAfter] = [0, 0];
	let longest = 0;
	const endMs = (from + seconds) * 1000;
	let nowMs = from * 1000;
	while (nowMs < endMs) {
		const intervalMs = budget.intervalMs(requestedMs);
		nowMs += intervalMs;
		cpuMs += sampleMs + (otherMs * intervalMs / 1000);
		budget.record(nowMs, cpuMs, requestedMs);
		longest = Math.max(longest, intervalMs);
		// The last ten seconds tell where it came to.
		if (nowMs > endMs - 10_000) {
			[afterMs, cpuAfter] = afterMs === 0 ? [nowMs, cpuMs] : [afterMs, cpuAfter];
			samples++;
		}
	}

	return {share: (cpuMs - cpuAfter) / (nowMs - afterMs), rate: 1000 * samples / (nowMs - afterMs), longest};
}

test('where samples cost little, they come as asked for', () => {
	const {rate, longest} = play(new CpuBudget(5), {sampleMs: 0.5, otherMs: 10, seconds: 60});
	expect(longest).toBe(20);
	expect(rate).toBeCloseTo(50, 0);
});

test('costly samples come more seldom, until all that we use fits the budget, and not much more seldom than that', () => {
	const {share, rate} = play(new CpuBudget(5), {sampleMs: 4, otherMs: 10, seconds: 60});
	expect(share).toBeLessThanOrEqual(0.0525);
	// 4 percent are left for samples of 4 ms: 10 a second.
	expect(rate).toBeGreaterThan(7.5);
});

test('when they get cheaper, they come as asked for again', () => {
	const budget = new CpuBudget(5);
	play(budget, {sampleMs: 4, otherMs: 10, seconds: 30});
	budget.restart();
	expect(play(budget, {sampleMs: 0.3, otherMs: 10, seconds: 60, from: 31}).rate).toBeCloseTo(50, 0);
});

test('what the screen uses alone does not make it blind', () => {
	const {rate, longest} = play(new CpuBudget(5), {sampleMs: 0.5, otherMs: 400, seconds: 120});
	expect(longest).toBeLessThanOrEqual(1000);
	expect(rate).toBeGreaterThan(0.9);
});

test('what we use while we start is not held against the samples', () => {
	const {longest} = play(new CpuBudget(5), {sampleMs: 0.5, otherMs: 900, seconds: 4});
	expect(longest).toBe(20);
});

test('with 100 percent there is no limit', () => {
	expect(play(new CpuBudget(100), {sampleMs: 19, otherMs: 900, seconds: 30}).longest).toBe(20);
});
