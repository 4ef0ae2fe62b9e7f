import {expect, test} from 'vitest';
import {CpuBudget, StopBudget, ownCpu} from '../../source/sampler/budget.js';
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

/** What a tool uses at a second of its life, milliseconds: for each sample, and a second beside them. */
type Costs = {readonly sampleMs: number; readonly otherMs: number};

const requestedMs = 20;

/** Runs a tool with these costs and gives its samples and its share of a core, second by second. */
function play(
	budget: CpuBudget,
	seconds: number,
	costs: (second: number) => Costs,
): {rates: number[]; percents: number[]} {
	const [rates, percents]: [number[], number[]] = [[], []];
	let [nowMs, samplerMs, processMs] = [0, 0, 0];
	for (let second = 0; second < seconds; second++) {
		const before = processMs;
		let samples = 0;
		while (nowMs < (second + 1) * 1000) {
			const {sampleMs, otherMs} = costs(second);
			const intervalMs = budget.intervalMs(requestedMs);
			nowMs += intervalMs;
			samplerMs += sampleMs;
			processMs += sampleMs + (otherMs * intervalMs / 1000);
			samples++;
			const used = {samplerMs, processMs};
			budget.measure(nowMs, intervalMs, () => used);
		}

		rates.push(samples);
		percents.push(Math.round((processMs - before) / 10));
	}

	return {rates, percents};
}

test.each<[what: string, percent: number, costs: (second: number) => Costs, samples: string]>([
	[
		'cheap samples come as requested',
		5,
		() => ({sampleMs: 0.5, otherMs: 10}),
		'50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50',
	],
	[
		'compiling costs no samples: code that becomes ten times as fast in eight seconds',
		5,
		second => ({sampleMs: Math.max(0.4, 4 - (second * 0.45)), otherMs: second < 4 ? 100 : 10}),
		'50 14 12 14 17 40 46 49 50 50 30 31 45 50 50 50 50 50 50 50 50 50 50 50',
	],
	[
		'samples that get dearer or cheaper change the rate within seconds, without overshooting',
		5,
		second => ({sampleMs: second >= 12 && second < 26 ? 2 : 0.5, otherMs: 10}),
		'50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 21 20 20 20 20 20 20 20 20 20 20 20 20 20 49 50 50 50 50 50 50 50 50',
	],
	[
		'a second of work now and then costs no samples',
		5,
		second => ({sampleMs: second % 10 === 5 ? 5 : 0.5, otherMs: second % 10 === 7 ? 900 : 10}),
		'50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50',
	],
	[
		'what the screen uses leaves samples a quarter of the budget',
		5,
		second => ({sampleMs: 0.5, otherMs: second < 10 ? 10 : 400}),
		'50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 26 25 25 25 25 25 25 25 25 25 25',
	],
	[
		'samples come once a second at least, however dear',
		5,
		() => ({sampleMs: 500, otherMs: 10}),
		'50 2 1 1 1 1 1 1 1 1 1 1 1 1',
	],
	['with 100 percent there is no limit', 100, () => ({sampleMs: 19, otherMs: 900}), '50 50 50 50 50'],
])('samples second by second: %s', (_, percent, costs, samples) => {
	const expected = samples.split(' ').map(Number);
	expect(play(new CpuBudget(percent), expected.length, costs).rates).toEqual(expected);
});

test('the first ten seconds may use 15 percent, later seconds the share, whichever is more', () => {
	const costs = () => ({sampleMs: 4, otherMs: 10});
	expect(play(new CpuBudget(5), 20, costs).percents.join(' '))
		.toBe('21 15 15 15 15 15 15 15 15 15 8 5 5 5 5 5 5 5 5 5');
	expect(play(new CpuBudget(18), 20, costs).percents.join(' '))
		.toBe('21 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18');
});

test('a pause is left out', () => {
	const budget = new CpuBudget(5);
	budget.measure(0, 20, () => ({samplerMs: 0, processMs: 0}));
	budget.measure(1000, 20, () => ({samplerMs: 25, processMs: 35}));
	budget.skipPause();
	budget.measure(11_000, 20, () => ({samplerMs: 5000, processMs: 9000}));
	budget.measure(12_000, 20, () => ({samplerMs: 5025, processMs: 9035}));
	expect(budget.intervalMs(20)).toBe(20);
});

test('our own CPU time: the calling thread is part of the process', () => {
	const before = ownCpu();
	const endMs = performance.now() + 30;
	while (performance.now() < endMs) {
		// Busy.
	}

	const {samplerMs, processMs} = ownCpu();
	expect(samplerMs).toBeGreaterThan(before.samplerMs);
	expect(processMs).toBeGreaterThan(before.processMs);
});
