import {expect, test} from 'vitest';
import {Unsigned5} from '../../../../source/engines/memory/decode/compressed.js';
import {Unreadable} from '../../../../source/engines/memory/target/reader.js';
import {unsigned5} from './write-unsigned5.js';

for (const excluded of [0, 1]) {
	test(`numbers come back as they were written, ${excluded} digits left out`, () => {
		const numbers = [0, 1, 63, 64, 190, 191, 192, 193, 254, 255, 256, 12_223, 12_479, 12_480, 65_535, 1_000_000, 2 ** 24, (2 ** 31) - 1, 2 ** 31, (2 ** 32) - 500];
		const bytes = Uint8Array.from(numbers.flatMap(number => unsigned5(number, excluded)));
		const stream = new Unsigned5(bytes, excluded);
		expect(numbers.map(() => stream.next())).toEqual(numbers);
		expect(stream.position).toBe(bytes.length);
	});

	test(`a stream cut at any byte ends in Unreadable, ${excluded} digits left out`, () => {
		const bytes = Uint8Array.from(unsigned5(2_000_000_000, excluded));
		expect(bytes.length).toBe(5);
		for (let cut = 0; cut < bytes.length; cut++) {
			expect(() => new Unsigned5(bytes.subarray(0, cut), excluded).next()).toThrow(Unreadable);
		}
	});
}

test('signed numbers', () => {
	const zigzag = (value: number) => value < 0 ? (-2 * value) - 1 : 2 * value;
	const numbers = [0, -1, 1, -2, 2, 100, -100, 70_000, -70_000];
	const stream = new Unsigned5(Uint8Array.from(numbers.flatMap(number => unsigned5(zigzag(number), 1))), 1);
	expect(numbers.map(() => stream.nextSigned())).toEqual(numbers);
});

test('a byte that is no digit is refused', () => {
	expect(() => new Unsigned5(Uint8Array.of(0), 1).next()).toThrow(Unreadable);
	expect(new Unsigned5(Uint8Array.of(0), 0).next()).toBe(0);
});

test('positions outside the bytes are refused', () => {
	expect(() => new Unsigned5(Uint8Array.of(5), 0, -1).byte()).toThrow(Unreadable);
	expect(() => new Unsigned5(Uint8Array.of(5), 0, 1).byte()).toThrow(Unreadable);
});
