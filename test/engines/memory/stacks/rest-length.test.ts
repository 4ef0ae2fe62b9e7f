import {expect, test} from 'vitest';
import {restLengthUs} from '../../../../source/engines/memory/stacks/rest-length.js';

test('the target is left alone for anything from half a millisecond to a quarter of the time between two looks, 5 ms at most and 1 at least', () => {
	const lengths = (sinceMs: number) => [0, 0.5, 1].map(random => restLengthUs(sinceMs, () => random));
	expect(lengths(Infinity)).toEqual([500, 2750, 5000]);
	expect(lengths(20)).toEqual([500, 2750, 5000]);
	expect(lengths(10)).toEqual([500, 1500, 2500]);
	expect(lengths(1)).toEqual([500, 750, 1000]);
	expect(new Set(Array.from({length: 20}, () => restLengthUs(20))).size).toBeGreaterThan(1);
});
