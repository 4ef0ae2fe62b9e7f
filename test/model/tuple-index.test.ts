import fc from 'fast-check';
import {expect, test} from 'vitest';
import {TupleIndex} from '../../source/model/tuple-index.js';

test.each([[1, 3], [2, 40], [3, 12], [7, 3]])('of width %i gives the ids that a map gives', (width, range) => {
	const tuples = fc.array(fc.array(fc.integer({min: -1, max: range - 2}), {minLength: width, maxLength: width}), {maxLength: 2000, size: 'max'});
	fc.assert(fc.property(tuples, added => {
		const index = new TupleIndex(width, 2);
		const truth = new Map<string, number>();
		let wrong = 0;
		for (const tuple of added) {
			index.key.set(tuple);
			const known = truth.get(tuple.join(','));
			wrong += index.find() === (known ?? -1) ? 0 : 1;
			if (known === undefined) {
				const id = index.add();
				wrong += id === truth.size ? 0 : 1;
				truth.set(tuple.join(','), id);
			}
		}

		expect(index.size).toBe(truth.size);
		for (const [text, id] of truth) {
			wrong += Array.from({length: width}, (_, field) => index.get(id, field)).join(',') === text ? 0 : 1;
		}

		expect(wrong).toBe(0);
	}), {numRuns: 15});
});

test('keys that differ in their upper bits alone are kept apart', () => {
	const index = new TupleIndex(2);
	let found = 0;
	for (let at = 0; at < 50_000; at++) {
		index.key[0] = at << 12;
		index.key[1] = (at & 15) << 28;
		found += index.find() < 0 ? 0 : 1;
		index.add();
	}

	expect(found).toBe(0);
	expect(index.size).toBe(50_000);
});
