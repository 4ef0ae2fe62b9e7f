import {expect, test} from 'vitest';
import {AllocationEstimate, type AllocationEvent} from '../../../../source/engines/memory/events/allocation-estimate.js';
import {pick, seeded} from '../../../helpers/random.js';

/** A part of a TLAB that may remain unused when it is given up (TLABRefillWasteFraction). */
const waste = 1 / 64;

/**
Allocates objects of these sizes at random, each by its share of the number, as HotSpot does; gives by size the bytes
that were allocated, and those that events count for.
*/
function allocated(tlab: number, shares: ReadonlyMap<number, number>): Map<number, {truth: number; counted: number}> {
	const random = seeded(11);
	const estimate = new AllocationEstimate();
	const sums = new Map([...shares.keys()].map(size => [size, {truth: 0, counted: 0}]));
	const sizes = [...shares].flatMap(([size, share]) => Array.from({length: share}, () => size));
	let left = tlab;
	let [grown, events]: [number, Array<AllocationEvent & {size: number}>] = [0, []];
	for (let count = 0; count < 3e6; count++) {
		const size = sizes[pick(random, sizes.length)];
		sums.get(size)!.truth += size;
		grown += size;
		if (size > left && left > tlab * waste) {
			events.push({added: size, times: 1, tlab, size});
		} else if (size > left) {
			events.push({added: tlab - left, times: 1, size});
			left = tlab - Math.min(size, tlab);
		} else {
			left -= size;
		}

		if (count % 20_000 === 0) {
			for (const [index, bytes] of estimate.count(events, grown).entries()) {
				sums.get(events[index].size)!.counted += bytes;
			}

			[grown, events] = [0, []];
		}
	}

	return sums;
}

test.each([
	['small objects', 100_000, [[64, 500], [512, 50], [1024, 10]]],
	['small ones, and arrays of a third of a TLAB', 300_000, [[64, 2000], [512, 200], [100_000, 1]]],
	['small ones, and many arrays of a quarter of a TLAB', 400_000, [[64, 1000], [512, 100], [100_000, 2]]],
	['small ones, and arrays of more than a TLAB', 50_000, [[64, 1000], [512, 100], [100_000, 1]]],
] as const)('each size counts for what it allocates: %s', (_, tlab, shares) => {
	const sums = [...allocated(tlab, new Map(shares)).values()];
	const truth = sums.reduce((all, of) => all + of.truth, 0);
	const counted = sums.reduce((all, of) => all + of.counted, 0);
	expect(Math.abs((counted / truth) - 1)).toBeLessThan(0.02);
	for (const of of sums) {
		expect(Math.abs((of.counted / counted) - (of.truth / truth))).toBeLessThan(0.08);
	}
});

test('what a thread allocates without a breakpoint changes nothing', () => {
	const estimate = new AllocationEstimate();
	expect(estimate.count([], undefined)).toEqual([]);
	expect(estimate.count([{added: 1000, times: 2}], 2000)).toEqual([2000]);
	// A slice may show twice as much as it should, or a collection take half of the TLABs.
	expect(new AllocationEstimate().count([{added: 1000, times: 2}], 1000)).toEqual([1000]);
	expect(new AllocationEstimate().count([{added: 1000, times: 2}], 100_000)).toEqual([8000]);
});
