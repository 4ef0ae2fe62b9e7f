import fc from 'fast-check';
import {expect, test} from 'vitest';
import {orderOf} from '../../source/query/columns/radix-order.js';

test('numbers of all sorts are put in ascending order, equal ones as they stand, 0 and -0 among them', () => {
	const number = fc.oneof(fc.double({noNaN: true}), fc.integer({min: -3, max: 3}), fc.constantFrom(0, -0, Infinity, -Infinity, Number.MIN_VALUE, -Number.MIN_VALUE));
	fc.assert(fc.property(fc.array(number, {maxLength: 200}), numbers => {
		const sorted = [...numbers.keys()].sort((a, b) => numbers[a] === numbers[b] ? a - b : (numbers[a] < numbers[b] ? -1 : 1));
		expect([...orderOf(Float64Array.from(numbers))]).toEqual(sorted);
	}));
});
