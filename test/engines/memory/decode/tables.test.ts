import {describe, expect, test} from 'vitest';
import {Unsigned5, decodeLineTable} from '../../../../source/engines/memory/decode/compressed.js';
import {decodeScopes, scopeOffsetAt, scopeOffsetNear} from '../../../../source/engines/memory/decode/scopes.js';
import {blockStart} from '../../../../source/engines/memory/hotspot/code-cache.js';
import {Unreadable} from '../../../../source/engines/memory/target/memory-reader.js';
import {randomBytes} from '../../../helpers/random.js';
import {pcDescs} from './write-pc-descs.js';

test.each([0, 1])(
	'numbers, %i digits left out, that are cut at any byte, at positions outside, or with a byte that is no digit are refused',
	excluded => {
		const bytes = Uint8Array.of(0xC0, 0xCD, 0xD6, 0xCA, 0x74).map(digit => digit + excluded);
		expect(new Unsigned5(bytes, excluded).next()).toBe(2_000_000_000);
		const refused = [
			...Array.from(bytes, (_, cut) => new Unsigned5(bytes.subarray(0, cut), excluded)),
			...[-1, 5].map(at => new Unsigned5(bytes, excluded, at)),
		];
		for (const stream of excluded === 0 ? refused : [...refused, new Unsigned5(Uint8Array.of(0), excluded)]) {
			expect(() => stream.next()).toThrow(Unreadable);
		}
	},
);

describe('line tables', () => {
	test('have short and escaped entries, whose numbers are signed, or say that they were truncated', () => {
		// Bytecode +0 line +5; +3 line +1; escape: +40, line -3 (zig-zag 80 and 5); end.
		const bytes = Uint8Array.of(0x05, (3 << 3) | 1, 0xFF, 81, 6, 0);
		const [bcis, lines] = [[0, 3, 43], [5, 6, 3]];
		expect(decodeLineTable(bytes, 1)).toEqual({bcis, lines, isTruncated: false});
		for (let cut = 0; cut < bytes.length; cut++) {
			const whole = cut === 5 ? 3 : Math.min(cut, 2);
			expect(decodeLineTable(bytes.subarray(0, cut), 1)).toEqual({
				bcis: bcis.slice(0, whole),
				lines: lines.slice(0, whole),
				isTruncated: true,
			});
		}
	});

	test('of any bytes end', () => {
		for (let seed = 0; seed < 300; seed++) {
			const table = decodeLineTable(randomBytes(seed, 500), seed % 2);
			expect(table.bcis.length).toBe(table.lines.length);
			expect(table.bcis.length).toBeLessThanOrEqual(500);
		}
	});
});

const table = pcDescs([10, 100], [20, 0], [30, 300]);

test('a return address has an entry of its own', () => {
	expect([10, 20, 30].map(pc => scopeOffsetAt(table, pc))).toEqual([100, 0, 300]);
	expect([0, 9, 11, 29, 999].map(pc => scopeOffsetAt(table, pc))).toEqual([0, 0, 0, 0, 0]);
});

test('an interrupted place takes the next entry, or before one without scope the last that has one', () => {
	expect([0, 10, 11, 20, 21, 30, 31, 5000].map(pc => scopeOffsetNear(table, pc))).toEqual([
		100,
		100,
		100,
		100,
		300,
		300,
		300,
		300,
	]);
	expect(scopeOffsetNear(pcDescs(), 5)).toBe(0);
	expect(scopeOffsetNear(new Uint8Array(), 5)).toBe(0);
	expect(scopeOffsetNear(table.subarray(0, 20), 5)).toBe(0);
});

test('senders that point forward or at themselves end the chain', () => {
	expect(decodeScopes(Uint8Array.of(0, 2, 1, 5), 1, 0)).toEqual([{method: 1, bci: 4}]);
	expect(decodeScopes(Uint8Array.of(0, 1, 1, 5), 1, 0)).toEqual([{method: 1, bci: 4}]);
});

test('scopes of any bytes end, in frames or in Unreadable', () => {
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

const lookUp = (bytes: ArrayLike<number>) => (segment: number) => blockStart(index => bytes[index] ?? -1, segment);

test('hints of a segment map that lead before it and bytes that cannot be read give nothing', () => {
	expect(lookUp([0, 9])(1)).toBe(-1);
	expect(lookUp([])(3)).toBe(-1);
});

test('a segment map of any bytes ends', () => {
	for (let seed = 0; seed < 200; seed++) {
		const start = lookUp(randomBytes(seed, 300))(299);
		expect(start).toBeGreaterThanOrEqual(-1);
		expect(start).toBeLessThan(300);
	}
});
