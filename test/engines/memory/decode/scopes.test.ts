import {expect, test} from 'vitest';
import {decodeScopes, scopeOffsetAt, scopeOffsetNear} from '../../../../source/engines/memory/decode/scopes.js';
import {Unreadable} from '../../../../source/engines/memory/target/reader.js';
import {randomBytes} from '../../../helpers/random.js';
import {pcDescs} from './write-pc-descs.js';
import {unsigned5} from './write-unsigned5.js';

const table = pcDescs([10, 100], [20, 0], [30, 300]);

test('a return address has an entry of its own', () => {
	expect([10, 20, 30].map(pc => scopeOffsetAt(table, pc))).toEqual([100, 0, 300]);
	expect([0, 9, 11, 29, 999].map(pc => scopeOffsetAt(table, pc))).toEqual([0, 0, 0, 0, 0]);
});

test('an interrupted place takes the next entry, or before one without scope the last that has one', () => {
	expect([0, 10, 11, 20, 21, 30, 31, 5000].map(pc => scopeOffsetNear(table, pc))).toEqual([100, 100, 100, 100, 300, 300, 300, 300]);
	expect(scopeOffsetNear(pcDescs(), 5)).toBe(0);
	expect(scopeOffsetNear(new Uint8Array(), 5)).toBe(0);
	expect(scopeOffsetNear(table.subarray(0, 20), 5)).toBe(0);
});

test('frames inlined into one another come innermost first', () => {
	const scope = (sender: number, method: number, bci: number) => [...unsigned5(sender, 1), ...unsigned5(method, 1), ...unsigned5(bci + 1, 1)];
	const data = Uint8Array.from([1, ...scope(0, 1, 42), ...scope(1, 2, -1), ...scope(4, 3, 7)]);
	expect(decodeScopes(data, 7, 1)).toEqual([{method: 3, bci: 7}, {method: 2, bci: -1}, {method: 1, bci: 42}]);
	expect(decodeScopes(data, 0, 1)).toEqual([]);
});

test('senders that point forward or at themselves end the chain', () => {
	expect(decodeScopes(Uint8Array.of(0, 2, 1, 5), 1, 0)).toEqual([{method: 1, bci: 4}]);
	expect(decodeScopes(Uint8Array.of(0, 1, 1, 5), 1, 0)).toEqual([{method: 1, bci: 4}]);
});

test('any bytes end, in frames or in Unreadable', () => {
	for (let seed = 0; seed < 500; seed++) {
		const data = randomBytes(seed, 300);
		try {
			expect(decodeScopes(data, 1 + (seed % 299), seed % 2).length).toBeLessThanOrEqual(256);
		} catch (error) {
			expect(error).toBeInstanceOf(Unreadable);
		}

		scopeOffsetAt(data, seed);
		scopeOffsetNear(data, seed);
	}
});
