import {expect, test} from 'vitest';
import {weightNs} from '../../../../source/engines/memory/timer/weights.js';
import {seeded} from '../../../helpers/random.js';

const periodNs = 10e6;

/** A thread that a CPU's clock meets each period with this probability, while it uses so much in each. */
function followed(met: number, usedNs: number, periods: number): {openNs: number; weights: number[]} {
	const random = seeded(7);
	const weights: number[] = [];
	let openNs = 0;
	for (let index = 0; index < periods; index++) {
		openNs += usedNs;
		if (random() < met) {
			const each = weightNs(openNs, 1, periodNs);
			weights.push(each);
			openNs -= each;
		}
	}

	return {openNs, weights};
}

test('what records stand for stays within some periods of what was used, met by chance', () => {
	for (const part of [0.05, 0.3, 1]) {
		for (let periods = 1; periods < 3000; periods += 97) {
			expect(Math.abs(followed(part, part * periodNs, periods).openNs)).toBeLessThan(8 * periodNs);
		}
	}
});

test('of many threads that were met once or twice, the records stand for what all used together', () => {
	const random = seeded(11);
	const periods = 3;
	let openNs = 0;
	const threads = 2000;
	for (let thread = 0; thread < threads; thread++) {
		let ownNs = 0;
		for (let index = 0; index < 10 * periods; index++) {
			ownNs += periodNs / 10;
			ownNs -= random() < 0.1 ? weightNs(ownNs, 1, periodNs) : 0;
		}

		openNs += ownNs;
	}

	expect(Math.abs(openNs)).toBeLessThan(0.05 * threads * periods * periodNs);
});

test('what the clock misses all the time is spread over the records; none stands for more than half as much again', () => {
	const {openNs, weights} = followed(0.27, 0.3 * periodNs, 3000);
	expect(openNs).toBeLessThan(8 * periodNs);
	expect(Math.max(...weights)).toBeLessThanOrEqual(1.5 * periodNs);
	expect(Math.min(...weights)).toBeGreaterThanOrEqual(0.5 * periodNs);
	expect(weightNs(100 * periodNs, 1, periodNs)).toBe(1.5 * periodNs);
	expect(weightNs(2 * periodNs, 3, periodNs)).toBe(periodNs);
});
