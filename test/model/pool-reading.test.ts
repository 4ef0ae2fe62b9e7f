import fc from 'fast-check';
import {expect, test} from 'vitest';
import {fromNames, namesOf} from '../../source/model/column-types.js';
import {poolFigures, poolKinds, poolsSince, readPools, savedPools, type PoolReading} from '../../source/model/pool-reading.js';
import {printable} from '../../source/util/printable.js';

const names = namesOf(poolFigures);
const whole = fc.integer({min: -1, max: Number.MAX_SAFE_INTEGER});
const pools: fc.Arbitrary<readonly PoolReading[]> = fc.array(
	fc.record({
		...fromNames(names, () => whole),
		id: fc.nat(),
		kind: fc.constantFrom(...poolKinds),
		name: fc.string().map(text => printable(text)),
		isCertain: fc.boolean(),
		threads: fc.array(fc.nat(), {maxLength: 5}),
		held: fc.array(fc.record({thread: fc.nat(), sinceMs: fc.nat()}), {maxLength: 3}),
	}),
	{maxLength: 5},
);

test('saved pools are read as they were', () => {
	fc.assert(fc.property(pools, all => {
		expect(readPools(structuredClone(savedPools(all)))).toEqual(all);
	}));
});

test('what is no list of pools is refused with a RangeError, or read within bounds', () => {
	fc.assert(fc.property(fc.oneof(fc.jsonValue(), pools.map(all => {
		const [first = []] = savedPools(all) as unknown[][];
		return [first.slice(0, 6), first];
	})), value => {
		try {
			expect(readPools(value).length).toBeLessThan(200);
		} catch (error) {
			expect(error).toBeInstanceOf(RangeError);
		}
	}));
});

test('a window has the differences of sums, and the newest of other figures', () => {
	const pool = (id: number, value: number): PoolReading => ({
		...fromNames(names, () => value), id, kind: 'executor', name: printable('pool'), isCertain: true, threads: [], held: [],
	});
	const [known, fresh] = poolsSince([pool(1, 10), pool(2, 7)], [pool(1, 4), pool(3, 1)]);
	expect(known).toMatchObject({completed: 6, started: 6, readings: 6, queuedSum: 6, active: 10, completedEver: 10});
	expect(fresh).toMatchObject({completed: 7, active: 7});
});
