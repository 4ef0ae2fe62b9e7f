import {describe, expect, test} from 'vitest';
import {stateCode} from '../../source/model/thread-state.js';
import {
	formatBytes, formatCount, formatDuration, formatMs, formatPercent, formatStuck,
} from '../../source/query/columns/format.js';
import {percentOf, effectiveSampleSize} from '../../source/query/counters/share.js';
import {stateCells} from '../../source/query/columns/state-cells.js';

test.each<[string, (value: number) => string, ReadonlyArray<readonly [value: number, text: string]>]>([
	['percent', formatPercent, [[0, '0.0'], [41.24, '41.2'], [99.94, '99.9'], [99.96, '100'], [312, '312'], [Number.NaN, '']]],
	['a count', formatCount, [[0, '0'], [496, '496'], [999_999, '999999'], [1e6, '1.0M'], [12_345_678, '12.3M'], [99_960_000, '100M'], [4.5e9, '4.5G'], [-1, '']]],
	['bytes', formatBytes, [[0, '0B'], [1023, '1023B'], [1024, '1.0K'], [3.1 * (2 ** 30), '3.1G'], [8 * (2 ** 30), '8.0G'], [2 ** 60, '1024P'], [Infinity, '']]],
	['milliseconds', formatDuration, [[0, '0ms'], [350, '350ms'], [42_900, '42s'], [307_000, '5m07s'], [7_500_000, '2h05m'], [273_600_000, '3d04h'], [-5, '']]],
	['at least so long', stuckMs => formatStuck({stuckMs, stuckAtLeast: true}), [[350, '>=350ms'], [42_900, '>=42s'], [307_000, '>=5m']]],
	['nanoseconds', formatMs, [[0, '0'], [123_456, '0.12'], [12_340_000, '12.3'], [4.7112e9, '4711']]],
])('%s in few characters', (_, format, texts) => {
	for (const [value, text] of texts) {
		expect(format(value), String(value)).toBe(text);
	}
});

describe('state pictures', () => {
	const ticks = (counts: Partial<Record<keyof typeof stateCode, number>>) => Object.keys(stateCode).map(state => counts[state as keyof typeof stateCode] ?? 0);

	test.each([
		[{}, ''], [{RUNNABLE: 5}, 'RRRRRRRR'], [{RUNNABLE: 50, BLOCKED: 50}, 'RRRRBBBB'], [{RUNNABLE: 1000, BLOCKED: 1}, 'RRRRRRRB'], [{WAITING: 2, RUNNABLE: 1}, 'RRRwwwww'],
	])('%o: %s', (counts, expected) => {
		expect(stateCells(ticks(counts))).toBe(expected);
	});

	test('every state has its cell or is at rest', () => {
		expect(stateCells(ticks({RUNNABLE: 1, BLOCKED: 1, WAITING: 1, TIMED_WAITING: 1, IDLE: 1000}))).toBe('RBwt....');
		expect(stateCells(ticks({NEW: 1, TERMINATED: 1}))).toBe('........');
	});

	test('with fewer cells than states the greatest stay', () => {
		expect(stateCells(ticks({RUNNABLE: 3, WAITING: 9, IDLE: 5}), 2)).toBe('w.');
		expect(stateCells(ticks({RUNNABLE: 3}), 0)).toBe('');
	});
});

test('nothing reads below 0 or over 100', () => {
	expect([percentOf(1, 3), percentOf(0, 0), percentOf(5, 0), percentOf(4, 3), percentOf(-1, 3)]).toEqual([100 / 3, 0, 0, 100, 0]);
});

test('unequal weights are worth fewer samples', () => {
	const ofOne = (count: number, each: number) => ({sum: count * each, squares: count * each * each});
	expect(effectiveSampleSize(ofOne(4, 1), ofOne(4, 1))).toBe(4);
	expect(effectiveSampleSize(ofOne(2, 10), ofOne(8, 10))).toBeCloseTo(8, 10);
	expect(effectiveSampleSize({sum: 100, squares: 10 + (90 * 90)}, {sum: 100, squares: 10 + (90 * 90)})).toBeLessThan(1.3);
	// One long piece in the part, or in the rest of the whole.
	expect(effectiveSampleSize(ofOne(1, 50), {sum: 100, squares: 2500 + 50})).toBeLessThan(4);
	expect(effectiveSampleSize(ofOne(50, 1), {sum: 100, squares: 2500 + 50})).toBeLessThan(4);
	expect(effectiveSampleSize(ofOne(0, 1), ofOne(0, 1))).toBe(0);
});
