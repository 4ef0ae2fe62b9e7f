import {describe, expect, test} from 'vitest';
import {Unsigned5, decodeLineTable, lineAt} from '../../../../source/engines/memory/decode/compressed.js';
import {Unreadable} from '../../../../source/engines/memory/target/reader.js';
import {randomBytes} from '../../../helpers/random.js';
import {unsigned5} from './write-unsigned5.js';

describe.each([0, 1])('numbers, %i digits left out', excluded => {
	test('come back as they were written', () => {
		const numbers = [0, 1, 63, 64, 190, 191, 192, 193, 254, 255, 256, 12_223, 12_479, 12_480, 65_535, 1_000_000, 2 ** 24, (2 ** 31) - 1, 2 ** 31, (2 ** 32) - 500];
		const bytes = Uint8Array.from(numbers.flatMap(number => unsigned5(number, excluded)));
		const stream = new Unsigned5(bytes, excluded);
		expect(numbers.map(() => stream.next())).toEqual(numbers);
		expect(stream.position).toBe(bytes.length);
	});

	test('cut at any byte, at positions outside, or with a byte that is no digit are refused', () => {
		const bytes = Uint8Array.from(unsigned5(2_000_000_000, excluded));
		const refused = [...Array.from(bytes, (_, cut) => new Unsigned5(bytes.subarray(0, cut), excluded)), ...[-1, 5].map(at => new Unsigned5(bytes, excluded, at))];
		for (const stream of excluded === 0 ? refused : [...refused, new Unsigned5(Uint8Array.of(0), excluded)]) {
			expect(() => stream.next()).toThrow(Unreadable);
		}
	});
});

describe('line tables', () => {
	test('have short and escaped entries, whose numbers are signed, or say that they were truncated', () => {
		// Bytecode +0 line +5; +3 line +1; escape: +40, line -3 (zig-zag 80 and 5); end.
		const bytes = Uint8Array.of(0x05, (3 << 3) | 1, 0xFF, 81, 6, 0);
		const [bcis, lines] = [[0, 3, 43], [5, 6, 3]];
		expect(decodeLineTable(bytes, 1)).toEqual({bcis, lines, isTruncated: false});
		for (let cut = 0; cut < bytes.length; cut++) {
			const whole = cut === 5 ? 3 : Math.min(cut, 2);
			expect(decodeLineTable(bytes.subarray(0, cut), 1)).toEqual({bcis: bcis.slice(0, whole), lines: lines.slice(0, whole), isTruncated: true});
		}
	});

	test('give the line of the nearest entry at or before a bytecode, in any order, as loops have them', () => {
		expect([0, 3, 4, 9, 10, 9999].map(bci => lineAt({bcis: [0, 10, 4], lines: [1, 2, 3]}, bci))).toEqual([1, 1, 3, 3, 2, 2]);
		expect(lineAt({bcis: [4], lines: [9]}, 3)).toBeUndefined();
	});

	test('of any bytes end', () => {
		for (let seed = 0; seed < 300; seed++) {
			const table = decodeLineTable(randomBytes(seed, 500), seed % 2);
			expect(table.bcis.length).toBe(table.lines.length);
			expect(table.bcis.length).toBeLessThanOrEqual(500);
		}
	});
});
