import {expect, test} from 'vitest';
import {StopBudget} from '../../source/sampler/stop-budget.js';
import {seeded} from '../helpers/random.js';

type Taken = {atMs: number; stoppedMs: number; intervalMs: number};

/** Samples for so long, at costs that depend on the time. */
function simulate(percent: number, requestedMs: number, forMs: number, costMs: (atMs: number) => number): Taken[] {
	const budget = new StopBudget(percent);
	const taken: Taken[] = [];
	for (let atMs = 0; atMs < forMs;) {
		const stoppedMs = costMs(atMs);
		budget.addSample(atMs, stoppedMs);
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

test('a dear first sample does not leave the screen empty', () => {
	const taken = simulate(2, 200, 20_000, atMs => atMs === 0 ? 211 : 3);
	expect(taken[0].intervalMs).toBe(2110);
	expect(taken[1].intervalMs).toBe(200);
	expect(taken.filter(({atMs}) => atMs < 10_000).length).toBeGreaterThan(30);
});

test.each([1, 2, 3])(
	'costs that vary twentyfold keep below the budget over every half minute, and the interval does not jump about (seed %i)',
	seed => {
		const random = seeded(seed);
		const taken = simulate(2, 100, 600_000, () => 2 + (38 * (random() ** 6)));
		for (let fromMs = 10_000; fromMs < 560_000; fromMs += 10_000) {
			expect(stoppedPercent(taken, fromMs, fromMs + 30_000)).toBeLessThan(2.2);
		}

		expect(stoppedPercent(taken, 0, 600_000)).toBeLessThanOrEqual(2);
		expect(stoppedPercent(taken, 0, 600_000)).toBeGreaterThan(1.2);
		const steps = taken.slice(1).map(({intervalMs}, index) =>
			Math.abs(Math.log(intervalMs / taken[index].intervalMs))).sort((a, b) => a - b);
		expect(steps[Math.floor(steps.length * 0.9)]).toBeLessThan(Math.log(1.5));
	},
);

test('one very dear sample, as in a long collection, does not blind us for long, and is paid for in the end', () => {
	const taken = simulate(2, 200, 300_000, atMs => atMs >= 20_000 && atMs < 20_200 ? 4000 : 1);
	const after = taken.filter(({atMs}) => atMs >= 20_200);
	expect(after[0].atMs).toBeLessThanOrEqual(30_200);
	expect(after[1].atMs - after[0].atMs).toBeLessThan(1000);
	expect(stoppedPercent(taken, 0, 300_000)).toBeLessThan(2);
	expect(after.at(-1)!.intervalMs).toBe(200);
});

// A host with more to do than it has CPUs: what a sample costs is how long our thread waits for one of them.
test.each([
	['always', 1, () => 60],
	['always, and dearer', 2, () => 275],
	['half of the time', 3, (random: () => number) => random() < 0.5 ? 275 : 0.05],
	['now and then', 4, (random: () => number) => random() < 0.05 ? 964 : 0.05],
	['more or less', 5, (random: () => number) => 300 * (random() ** 3)],
	['always, for long', 6, () => 1800],
])(
	'where our thread waits for a CPU, %s, every two minutes from the first sample on cost no more than the budget and one sample',
	(_, seed, costOf) => {
		const random = seeded(seed);
		const taken = simulate(2, 20, 900_000, () => costOf(random));
		for (let fromMs = 0; fromMs < 780_000; fromMs += 1000) {
			const within = taken.filter(({atMs}) => atMs >= fromMs && atMs < fromMs + 120_000);
			expect(stoppedPercent(taken, fromMs, fromMs + 120_000), `${fromMs}`)
				.toBeLessThanOrEqual(2 + (Math.max(...within.map(({stoppedMs}) => stoppedMs)) / 1200));
		}

		for (let fromMs = 0; fromMs < 840_000; fromMs += 1000) {
			expect(stoppedPercent(taken, fromMs, fromMs + 60_000), `${fromMs}`).toBeLessThan(4);
		}
	},
);
