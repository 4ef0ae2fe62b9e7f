import {expect, test} from 'vitest';
import {StopBudget} from '../../source/sampler/budget.js';
import {seeded} from '../helpers/random.js';

type Taken = {atMs: number; stoppedMs: number; intervalMs: number};

/** Samples for so long, at costs that depend on the time. */
function simulate(percent: number, requestedMs: number, forMs: number, costMs: (atMs: number) => number): Taken[] {
	const budget = new StopBudget(percent);
	const taken: Taken[] = [];
	for (let atMs = 0; atMs < forMs;) {
		const stoppedMs = costMs(atMs);
		budget.record(atMs, stoppedMs);
		const intervalMs = budget.intervalMs(requestedMs);
		taken.push({atMs, stoppedMs, intervalMs});
		atMs += intervalMs;
	}

	return taken;
}

/** Percent of the time from `fromMs` to `toMs` that the target was stopped. */
function stoppedPercent(taken: Taken[], fromMs: number, toMs: number): number {
	const within = taken.filter(({atMs}) => atMs >= fromMs && atMs < toMs);
	return within.reduce((sum, {stoppedMs}) => sum + stoppedMs, 0) / (toMs - fromMs) * 100;
}

test('cheap samples come as often as asked for', () => {
	expect(new Set(simulate(2, 200, 60_000, () => 3).map(({intervalMs}) => intervalMs))).toEqual(new Set([200]));
});

test.each([[2, 200, 5], [2, 20, 0.6], [1, 100, 40], [10, 50, 20], [0.5, 200, 25], [2, 200, 300]])(
	'%d percent, every %d ms, a sample costs %d ms: below the budget, not far below, steady',
	(percent, requestedMs, costMs) => {
		const taken = simulate(percent, requestedMs, 300_000, () => costMs);
		const share = stoppedPercent(taken, 60_000, 300_000);
		expect(share).toBeLessThanOrEqual(percent);
		expect(share).toBeGreaterThan(0.75 * percent);
		const settled = taken.filter(({atMs}) => atMs > 60_000).map(({intervalMs}) => intervalMs);
		expect(Math.max(...settled) / Math.min(...settled)).toBeLessThan(1.05);
	},
);

test('the first samples come fast', () => {
	const taken = simulate(2, 200, 20_000, () => 5);
	expect(taken.slice(0, 5).map(({intervalMs}) => intervalMs)).toEqual([200, 200, 200, 200, 200]);
	expect(taken.at(-1)!.intervalMs).toBeGreaterThan(250);
});

test('a dear first sample does not leave the screen empty', () => {
	const taken = simulate(2, 200, 20_000, atMs => atMs === 0 ? 211 : 3);
	expect(taken[0].intervalMs).toBe(2110);
	expect(taken[1].intervalMs).toBe(200);
	expect(taken.filter(({atMs}) => atMs < 10_000).length).toBeGreaterThan(30);
});

test('dear samples from the start stop a tenth of the first ones\' time at most, then the budget holds', () => {
	const taken = simulate(2, 200, 300_000, () => 300);
	expect(taken.slice(0, 4).map(({intervalMs}) => intervalMs)).toEqual([3000, 3000, 3000, 3000]);
	expect(stoppedPercent(taken, 15_000, 300_000)).toBeLessThan(2.1);
});

test.each([1, 2, 3])('costs that vary twentyfold keep below the budget over every half minute, and the interval does not jump about (seed %i)', seed => {
	const random = seeded(seed);
	const taken = simulate(2, 100, 600_000, () => 2 + (38 * (random() ** 6)));
	for (let fromMs = 10_000; fromMs < 560_000; fromMs += 10_000) {
		expect(stoppedPercent(taken, fromMs, fromMs + 30_000)).toBeLessThan(2.2);
	}

	expect(stoppedPercent(taken, 0, 600_000)).toBeLessThanOrEqual(2);
	expect(stoppedPercent(taken, 0, 600_000)).toBeGreaterThan(1.2);
	const steps = taken.slice(1).map(({intervalMs}, index) => Math.abs(Math.log(intervalMs / taken[index].intervalMs))).sort((a, b) => a - b);
	expect(steps[Math.floor(steps.length * 0.9)]).toBeLessThan(Math.log(1.5));
});

test('when samples get dear the rate falls at once; when they are cheap again it comes back', () => {
	const taken = simulate(2, 200, 300_000, atMs => atMs > 100_000 && atMs < 150_000 ? 60 : 2);
	const before = taken.filter(({atMs}) => atMs < 100_000);
	const during = taken.filter(({atMs}) => atMs > 100_000 && atMs < 150_000);
	expect(before.at(-1)!.intervalMs).toBe(200);
	expect(during[1].intervalMs).toBeGreaterThan(1000);
	expect(during.at(-1)!.intervalMs).toBeGreaterThan(2500);
	expect(stoppedPercent(taken, 105_000, 150_000)).toBeLessThan(2);
	expect(taken.find(({atMs, intervalMs}) => atMs > 150_000 && intervalMs === 200)!.atMs).toBeLessThan(190_000);
});

test('one very dear sample, as in a long collection, does not blind us for long, and is paid for in the end', () => {
	const taken = simulate(2, 200, 300_000, atMs => atMs >= 20_000 && atMs < 20_200 ? 4000 : 1);
	const after = taken.filter(({atMs}) => atMs >= 20_200);
	expect(after[0].atMs).toBeLessThanOrEqual(30_200);
	expect(after[1].atMs - after[0].atMs).toBeLessThan(1000);
	expect(stoppedPercent(taken, 0, 300_000)).toBeLessThan(2);
	expect(after.at(-1)!.intervalMs).toBe(200);
});

test('when the second one is as dear the debt is paid first', () => {
	const taken = simulate(2, 200, 600_000, atMs => atMs >= 20_000 ? 1500 : 1);
	const after = taken.filter(({atMs}) => atMs >= 20_000);
	expect(after[1].atMs - after[0].atMs).toBe(7500);
	expect(after[2].atMs - after[1].atMs).toBeGreaterThan(60_000);
	expect(stoppedPercent(taken, 100_000, 600_000)).toBeLessThanOrEqual(2);
});

test('one sample that held threads for long, early and at a high rate, is followed by others within seconds', () => {
	const taken = simulate(2, 20, 60_000, atMs => atMs >= 660 && atMs < 680 ? 275 : 0.05);
	expect(taken.find(({atMs}) => atMs >= 680)!.atMs).toBeLessThan(2500);
	expect(taken.filter(({atMs}) => atMs < 10_000).length).toBeGreaterThan(300);
	expect(stoppedPercent(taken, 0, 60_000)).toBeLessThan(1);
});

test.each([[0.5, 1], [0.1, 2], [0.02, 3], [0.005, 4]])('when %d of the samples are very dear, each minute costs little more than the budget, and many of them less', (share, seed) => {
	const random = seeded(seed);
	const taken = simulate(2, 20, 1_800_000, atMs => atMs > 1000 && random() < share ? 275 : 0.05);
	for (let fromMs = 0; fromMs < 1_740_000; fromMs += 5000) {
		expect(stoppedPercent(taken, fromMs, fromMs + 60_000)).toBeLessThan(4);
	}

	expect(stoppedPercent(taken, 60_000, 1_800_000)).toBeLessThan(2);
	// Never blind for long.
	expect(Math.max(...taken.map(({intervalMs}) => intervalMs))).toBeLessThan(70_000);
});

// A host with more to do than it has CPUs: what a sample costs is how long our thread waits for one of them.
test.each([
	['always', 1, () => 60],
	['always, and dearer', 2, () => 275],
	['half of the time', 3, (random: () => number) => random() < 0.5 ? 275 : 0.05],
	['now and then', 4, (random: () => number) => random() < 0.05 ? 964 : 0.05],
	['more or less', 5, (random: () => number) => 300 * (random() ** 3)],
	['always, for long', 6, () => 1800],
])('where our thread waits for a CPU, %s, every two minutes from the first sample on cost no more than the budget and one sample', (_, seed, costOf) => {
	const random = seeded(seed);
	const taken = simulate(2, 20, 900_000, () => costOf(random));
	for (let fromMs = 0; fromMs < 780_000; fromMs += 1000) {
		const within = taken.filter(({atMs}) => atMs >= fromMs && atMs < fromMs + 120_000);
		expect(stoppedPercent(taken, fromMs, fromMs + 120_000), `${fromMs}`).toBeLessThanOrEqual(2 + (Math.max(...within.map(({stoppedMs}) => stoppedMs)) / 1200));
	}

	for (let fromMs = 0; fromMs < 840_000; fromMs += 1000) {
		expect(stoppedPercent(taken, fromMs, fromMs + 60_000), `${fromMs}`).toBeLessThan(4);
	}
});

test('no budget at all leaves the interval alone', () => {
	expect(simulate(100, 50, 5000, () => 45).at(-1)!.intervalMs).toBe(50);
});
