import {expect, test} from 'vitest';
import {addUsed, nothingOpen, shareOut, weightNs} from '../../../../source/engines/memory/timer/weights.js';
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
	const threads = 2000;
	for (const used of [0.2, 1, 5]) {
		let openNs = 0;
		for (let thread = 0; thread < threads; thread++) {
			const open = {...nothingOpen};
			let isMet = false;
			for (let index = 0; index < 100; index++) {
				const stepNs = used * periodNs / 100;
				addUsed(open, stepNs);
				openNs += stepNs;
				if (random() < stepNs / periodNs) {
					const {lastNs, weightsNs} = shareOut(open, 1, periodNs, isMet);
					openNs -= lastNs + weightsNs[0];
					isMet = true;
				}
			}
		}

		expect(Math.abs(openNs)).toBeLessThan(0.05 * threads * used * periodNs);
	}
});

test('what the clock misses all the time is spread over the records; none stands for more than half as much again', () => {
	const {openNs, weights} = followed(0.27, 0.3 * periodNs, 3000);
	expect(openNs).toBeLessThan(8 * periodNs);
	expect(Math.max(...weights)).toBeLessThanOrEqual(1.5 * periodNs);
	expect(Math.min(...weights)).toBeGreaterThanOrEqual(0.5 * periodNs);
	expect(weightNs(100 * periodNs, 1, periodNs)).toBe(1.5 * periodNs);
	expect(weightNs(2 * periodNs, 3, periodNs)).toBe(periodNs);
});

test('what records stand for and what is open is what was used, whatever comes when', () => {
	const random = seeded(3);
	const open = {...nothingOpen};
	let [usedNs, recordedNs] = [0, 0];
	for (let look = 0; look < 500; look++) {
		const moreNs = random() * 4 * periodNs;
		addUsed(open, moreNs);
		usedNs += moreNs;
		const records = Math.floor(random() * 4);
		if (records > 0) {
			const {lastNs, weightsNs} = shareOut(open, records, periodNs, look > 0);
			expect(weightsNs).toHaveLength(records);
			expect(Math.min(lastNs, ...weightsNs)).toBeGreaterThanOrEqual(0);
			recordedNs += weightsNs.reduce((sum, ns) => sum + ns, lastNs);
		}

		expect(open.sinceNs + open.restNs - open.advanceNs).toBeCloseTo(usedNs - recordedNs, -2);
	}

	addUsed(open, 100 * periodNs, 8 * periodNs);
	expect(open.sinceNs + open.restNs).toBeLessThanOrEqual(8 * periodNs);
	const alikeNs = periodNs * 0.4375;
	expect(shareOut({sinceNs: 4e6, restNs: 0, advanceNs: 1}, 2, periodNs, true)).toEqual({lastNs: 1e6, weightsNs: [alikeNs + 2e6, alikeNs + 1e6]});
	expect(shareOut({sinceNs: 4e6, restNs: 0, advanceNs: 0}, 1, periodNs, false)).toEqual({lastNs: 0, weightsNs: [periodNs + 4e6]});
});

/**
The distance between true and shown shares of two kinds of work, points of 100, in a thread that is met after a random
time and does one thing for so long before it draws the next; of many runs the mean.
*/
function distance(phaseNs: number, weigh: (gapNs: number, kind: number, shown: number[]) => void): number {
	const random = seeded(5);
	const runs = 60;
	let sum = 0;
	for (let run = 0; run < runs; run++) {
		const real = [0, 0];
		const shown = [0, 0];
		let [kind, leftNs] = [0, phaseNs];
		weigh(-1, 0, shown);
		for (let record = 0; record < 400; record++) {
			const gapNs = -Math.log(1 - random()) * periodNs;
			for (let restNs = gapNs; restNs > 0;) {
				const stepNs = Math.min(restNs, leftNs);
				real[kind] += stepNs;
				restNs -= stepNs;
				leftNs -= stepNs;
				if (leftNs <= 0) {
					kind = random() < 0.4 ? 0 : 1;
					leftNs = phaseNs * (0.5 + random());
				}
			}

			weigh(gapNs, kind, shown);
		}

		sum += Math.abs((real[0] / (real[0] + real[1])) - (shown[0] / (shown[0] + shown[1])));
	}

	return 200 * sum / runs;
}

test('long phases are shown better by the time between records, short ones as well as by records that all count alike', () => {
	let [openNs, last] = [0, -1];
	let open = {...nothingOpen};
	const alike = (gapNs: number, kind: number, shown: number[]) => {
		openNs = gapNs < 0 ? 0 : openNs + gapNs;
		if (gapNs >= 0) {
			const ns = weightNs(openNs, 1, periodNs);
			openNs -= ns;
			shown[kind] += ns;
		}
	};

	const ours = (gapNs: number, kind: number, shown: number[]) => {
		if (gapNs < 0) {
			open = {...nothingOpen};
			last = -1;
			return;
		}

		addUsed(open, gapNs);
		const {lastNs, weightsNs} = shareOut(open, 1, periodNs, last >= 0);
		shown[Math.max(0, last)] += lastNs;
		shown[kind] += weightsNs[0];
		last = kind;
	};

	expect(distance(5 * periodNs, ours)).toBeLessThan(0.85 * distance(5 * periodNs, alike));
	expect(distance(0.03 * periodNs, ours)).toBeLessThan(1.1 * distance(0.03 * periodNs, alike));
});
