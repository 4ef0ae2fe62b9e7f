import {expect, test} from 'vitest';
import {SamplingClock} from '../../source/sampler/clock.js';
import {seeded} from '../helpers/random.js';

/** When samples began on simulated time: each takes `tookMs(n)`, each timer is `timerLateMs` late. */
function simulate(clock: SamplingClock, intervalMs: number, samples: number, tookMs: (sample: number) => number = () => 0, timerLateMs = 0): number[] {
	let nowMs = 0;
	const begun: number[] = [];
	for (let sample = 0; sample < samples; sample++) {
		const waitMs = clock.waitMs(nowMs);
		nowMs += waitMs > 0 ? waitMs + timerLateMs : 0;
		clock.begin(nowMs, intervalMs);
		begun.push(nowMs);
		nowMs += tookMs(sample);
		clock.end(nowMs, intervalMs);
	}

	return begun;
}

test('the first sample is due at once; the next half to one and a half intervals later', () => {
	const begun = simulate(new SamplingClock(0, seeded(1)), 100, 2000);
	expect(begun[0]).toBe(0);
	const gaps = begun.slice(1).map((at, index) => at - begun[index]);
	expect(Math.min(...gaps)).toBeGreaterThanOrEqual(50);
	expect(Math.max(...gaps)).toBeLessThan(150);
});

test('late timers and slow samples do not lower the rate', () => {
	const clock = new SamplingClock(0, seeded(2));
	const begun = simulate(clock, 100, 10_001, () => 30, 2);
	expect(begun.at(-1)! / 10_000).toBeGreaterThan(99);
	expect(begun.at(-1)! / 10_000).toBeLessThan(101);
	expect(clock.late).toBe(0);
});

test.each([100, 50, 200, 33.3])('a program that repeats itself every %d ms is met at every phase alike', periodMs => {
	const begun = simulate(new SamplingClock(0, seeded(3)), 100, 10_000);
	const phases = Array.from({length: 10}, () => 0);
	for (const at of begun) {
		phases[Math.floor((at % periodMs) / periodMs * 10)]++;
	}

	// 1,000 each: five standard deviations and some for samples that follow one another.
	expect(Math.min(...phases)).toBeGreaterThan(800);
	expect(Math.max(...phases)).toBeLessThan(1200);
});

test('what cannot be kept is late, once for each deadline, and is not made up for', () => {
	const clock = new SamplingClock(0, () => 0.5);
	const begun = simulate(clock, 100, 6, sample => sample === 1 ? 1030 : 0);
	// Deadlines 200 to 1,000 passed during the second sample; the one of 1,100 is late by 30 ms.
	expect(begun).toEqual([0, 100, 1130, 1200, 1300, 1400]);
	expect(clock.late).toBe(10);
});
