import {expect, test} from 'vitest';
import {CpuBudget, ownCpu} from '../../source/sampler/cpu-budget.js';

/** What a tool uses at a second of its life, milliseconds: for each sample, and a second beside them. */
type Costs = {readonly sampleMs: number; readonly otherMs: number};

const requestedMs = 20;

/** Runs a tool with these costs and gives its samples and its share of a core, second by second. */
function play(budget: CpuBudget, seconds: number, costs: (second: number) => Costs): {rates: number[]; percents: number[]} {
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
			budget.record(nowMs, intervalMs, () => used);
		}

		rates.push(samples);
		percents.push(Math.round((processMs - before) / 10));
	}

	return {rates, percents};
}

test.each<[what: string, percent: number, costs: (second: number) => Costs, samples: string]>([
	['cheap samples come as requested', 5, () => ({sampleMs: 0.5, otherMs: 10}), '50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50'],
	['compiling costs no samples: code that becomes ten times as fast in eight seconds', 5, second => ({sampleMs: Math.max(0.4, 4 - (second * 0.45)), otherMs: second < 4 ? 100 : 10}), '50 14 12 14 17 40 46 49 50 50 30 31 45 50 50 50 50 50 50 50 50 50 50 50'],
	['samples that get dearer or cheaper change the rate within seconds, without overshooting', 5, second => ({sampleMs: second >= 12 && second < 26 ? 2 : 0.5, otherMs: 10}), '50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 21 20 20 20 20 20 20 20 20 20 20 20 20 20 49 50 50 50 50 50 50 50 50'],
	['a second of work now and then costs no samples', 5, second => ({sampleMs: second % 10 === 5 ? 5 : 0.5, otherMs: second % 10 === 7 ? 900 : 10}), '50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50'],
	['what the screen uses leaves samples a quarter of the budget', 5, second => ({sampleMs: 0.5, otherMs: second < 10 ? 10 : 400}), '50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 50 26 25 25 25 25 25 25 25 25 25 25'],
	['samples come once a second at least, however dear', 5, () => ({sampleMs: 500, otherMs: 10}), '50 2 1 1 1 1 1 1 1 1 1 1 1 1'],
	['with 100 percent there is no limit', 100, () => ({sampleMs: 19, otherMs: 900}), '50 50 50 50 50'],
])('samples second by second: %s', (_, percent, costs, samples) => {
	const expected = samples.split(' ').map(Number);
	expect(play(new CpuBudget(percent), expected.length, costs).rates).toEqual(expected);
});

test('the first ten seconds may use 15 percent, later seconds the share, whichever is more', () => {
	const costs = () => ({sampleMs: 4, otherMs: 10});
	expect(play(new CpuBudget(5), 20, costs).percents.join(' ')).toBe('21 15 15 15 15 15 15 15 15 15 8 5 5 5 5 5 5 5 5 5');
	expect(play(new CpuBudget(18), 20, costs).percents.join(' ')).toBe('21 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18 18');
});

test('a pause is left out', () => {
	const budget = new CpuBudget(5);
	budget.record(0, 20, () => ({samplerMs: 0, processMs: 0}));
	budget.record(1000, 20, () => ({samplerMs: 25, processMs: 35}));
	budget.restart();
	budget.record(11_000, 20, () => ({samplerMs: 5000, processMs: 9000}));
	budget.record(12_000, 20, () => ({samplerMs: 5025, processMs: 9035}));
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
