import {describe, expect, test} from 'vitest';
import {CpuBudget, ownCpu} from '../../source/sampler/cpu-budget.js';

/**
What a program costs us, milliseconds of CPU time: a sample, a record, a refresh of the screen (one a second is usual),
and a second of our other threads. `records`: a second, as often as usual.
*/
type Prices = Readonly<Record<'sampleMs' | 'recordMs' | 'records' | 'refreshMs' | 'otherMs', number>>;

/** What we do in a second: samples, records, refreshes, and CPU time in percent of a core. */
type Second = Readonly<Record<'samples' | 'records' | 'refreshes' | 'percent', number>>;

const requestedMs = 20;

/** Samples a program for so long; returns what we do in each second. */
function play(budget: CpuBudget, seconds: number, pricesAt: (second: number) => Prices): Second[] {
	const played: Second[] = [];
	let [nowMs, samplerMs, processMs, dueRecords] = [0, 0, 0, 0];
	for (let second = 0; second < seconds; second++) {
		const before = processMs;
		let [samples, taken, refreshes] = [0, 0, 0];
		while (nowMs < (second + 1) * 1000) {
			const {sampleMs, recordMs, records, refreshMs, otherMs} = pricesAt(second);
			const {intervalMs, recordEvery, refreshEvery} = budget.pace;
			nowMs += intervalMs;
			dueRecords += records / recordEvery * intervalMs / 1000;
			const now = Math.floor(dueRecords);
			dueRecords -= now;
			const recordsMs = now * recordMs;
			samplerMs += sampleMs + recordsMs;
			const passed = intervalMs / 1000;
			processMs += sampleMs + recordsMs + (passed * (otherMs + (refreshMs / refreshEvery)));
			refreshes += passed / refreshEvery;
			samples++;
			taken += now;
			const used = {samplerMs, processMs};
			budget.addSample(nowMs, {busyMs: sampleMs + recordsMs, recordsMs, intervalMs}, () => used);
		}

		played.push({samples, records: taken, refreshes, percent: (processMs - before) / 10});
	}

	return played;
}

const meanOf = (seconds: readonly Second[], name: keyof Second) =>
	seconds.reduce((sum, second) => sum + second[name], 0) / seconds.length;

/** The greatest mean of any minute after the first. */
function worstMinute(seconds: readonly Second[]): number {
	const starts = Array.from({length: Math.max(1, seconds.length - 119)}, (_, index) => 60 + index);
	return Math.max(...starts.map(start => meanOf(seconds.slice(start, start + 60), 'percent')));
}

const cheap: Prices = {sampleMs: 0.2, recordMs: 0.1, records: 100, refreshMs: 8, otherMs: 2};

describe.each<[what: string, pricesAt: (second: number) => Prices, least: {samples: number; records: number}]>([
	['a simple program: all samples and records', () => cheap, {samples: 50, records: 100}],
	[
		'deep stacks that are always new: fewer records, all samples',
		() => ({sampleMs: 0.3, recordMs: 0.5, records: 110, refreshMs: 12, otherMs: 3}),
		{samples: 45, records: 20},
	],
	[
		'many busy threads: fewer records, half of the samples or more',
		() => ({sampleMs: 0.4, recordMs: 0.4, records: 800, refreshMs: 15, otherMs: 5}),
		{samples: 25, records: 30},
	],
	[
		'thousands of threads: fewer samples, all records',
		() => ({sampleMs: 2, recordMs: 0.1, records: 100, refreshMs: 8, otherMs: 2}),
		{samples: 12, records: 95},
	],
	[
		'everything dear: ten samples as long as records can make room',
		() => ({sampleMs: 2, recordMs: 1, records: 200, refreshMs: 15, otherMs: 5}),
		{samples: 10, records: 4},
	],
	[
		'a screen that takes two thirds of the budget',
		() => ({sampleMs: 0.3, recordMs: 0.2, records: 100, refreshMs: 28, otherMs: 5}),
		{samples: 25, records: 20},
	],
	[
		'bursts of V8 every ten seconds',
		second => ({...cheap, otherMs: second % 10 === 5 ? 200 : 2}),
		{samples: 25, records: 40},
	],
	[
		'dear and cheap in turn, every quarter of a minute',
		second => second % 30 < 15 ? cheap : {sampleMs: 0.5, recordMs: 0.5, records: 300, refreshMs: 12, otherMs: 3},
		{samples: 25, records: 40},
	],
])('%s', (_, pricesAt, least) => {
	const seconds = play(new CpuBudget(5, requestedMs), 300, pricesAt);

	test('no minute after the first uses more than the budget', () => {
		expect(worstMinute(seconds)).toBeLessThan(5);
	});

	test('samples and records stay as often as that allows', () => {
		expect(meanOf(seconds.slice(60), 'samples')).toBeGreaterThanOrEqual(least.samples);
		expect(meanOf(seconds.slice(60), 'records')).toBeGreaterThanOrEqual(least.records);
	});

	test('the pace settles', () => {
		const halves = [seconds.slice(120, 210), seconds.slice(210, 300)].map(half => meanOf(half, 'samples'));
		expect(Math.abs(halves[0] - halves[1])).toBeLessThan(3);
	});
});

test('code that V8 has not compiled yet costs few samples', () => {
	const slow = (second: number) => Math.max(1, 8 - second);
	const seconds = play(new CpuBudget(5, requestedMs), 60, second => ({
		sampleMs: 0.2 * slow(second),
		recordMs: 0.1 * slow(second),
		records: 100,
		refreshMs: 8,
		otherMs: second < 8 ? 50 : 2,
	}));
	expect(seconds.slice(5).map(({samples}) => samples).filter(samples => samples < 35)).toEqual([]);
});

test('a dear screen is refreshed more rarely, unless everything fits into the budget', () => {
	const dear = {...cheap, refreshMs: 30};
	const refreshesOf = (prices: Prices, percent = 5) =>
		meanOf(play(new CpuBudget(percent, requestedMs), 120, () => prices).slice(60), 'refreshes');
	expect(refreshesOf({...dear, sampleMs: 0.5})).toBeLessThan(0.6);
	expect(refreshesOf({...dear, sampleMs: 0.5}, 20)).toBeCloseTo(1);
	expect(refreshesOf({...dear, refreshMs: 500})).toBeCloseTo(1 / 3);
});

test('samples come once a second at least, however dear', () => {
	const seconds = play(new CpuBudget(5, requestedMs), 120, () => ({...cheap, sampleMs: 500}));
	expect(new Set(seconds.slice(60).map(({samples}) => samples))).toEqual(new Set([1]));
});

test('with 100 percent there is no limit', () => {
	const seconds = play(new CpuBudget(100, requestedMs), 20, () => ({...cheap, sampleMs: 19, otherMs: 900}));
	expect(new Set(seconds.map(({samples}) => samples))).toEqual(new Set([50]));
});

test('a pause is left out', () => {
	const budget = new CpuBudget(5, requestedMs);
	const sample = {busyMs: 1, recordsMs: 0, intervalMs: requestedMs};
	budget.addSample(0, sample, () => ({samplerMs: 0, processMs: 0}));
	budget.addSample(1000, sample, () => ({samplerMs: 25, processMs: 35}));
	budget.skipPause();
	budget.addSample(11_000, sample, () => ({samplerMs: 5000, processMs: 9000}));
	budget.addSample(12_000, sample, () => ({samplerMs: 5025, processMs: 9035}));
	expect(budget.pace).toEqual({intervalMs: requestedMs, recordEvery: 1, refreshEvery: 1});
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
