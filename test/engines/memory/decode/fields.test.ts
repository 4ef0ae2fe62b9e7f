import {expect, test} from 'vitest';
import {decodeFieldStream, decodeFieldTuples} from '../../../../source/engines/memory/decode/fields.js';
import {Unreadable} from '../../../../source/engines/memory/target/reader.js';
import {randomBytes} from '../random-bytes.js';
import {unsigned5} from './write-unsigned5.js';

test('tuples of 8 to 20: the offset lies above a tag, in two halves', () => {
	const words = [2, 11, 12, 0, ((20 << 2) | 1) & 0xFF_FF, 0, 2, 21, 22, 0, ((70_000 << 2) | 1) & 0xFF_FF, (70_000 << 2) >>> 16];
	const bytes = new Uint8Array(Uint16Array.from(words).buffer);
	expect(decodeFieldTuples(bytes, 2)).toEqual([{nameIndex: 11, signatureIndex: 12, offset: 20}, {nameIndex: 21, signatureIndex: 22, offset: 70_000}]);
	expect(decodeFieldTuples(bytes, 900)).toHaveLength(2);
	expect(decodeFieldTuples(bytes.subarray(0, 13), 2)).toHaveLength(1);
});

test('the stream of 21 and later: some flags bring one more number', () => {
	// Fields, injected ones, then name, signature, offset, access and flags of each.
	const numbers = [3, 1, 10, 11, 12, 1, 0, 20, 21, 22, 1, 0b1_0101, 7, 8, 9, 30, 31, 300, 1, 0b10];
	const bytes = Uint8Array.from(numbers.flatMap(number => unsigned5(number, 1)));
	expect(decodeFieldStream(bytes)).toEqual([
		{nameIndex: 10, signatureIndex: 11, offset: 12},
		{nameIndex: 20, signatureIndex: 21, offset: 22},
		{nameIndex: 30, signatureIndex: 31, offset: 300},
	]);
	for (let cut = 0; cut < bytes.length; cut++) {
		expect(() => decodeFieldStream(bytes.subarray(0, cut))).toThrow(Unreadable);
	}
});

test('a count that lies ends with the bytes', () => {
	for (let seed = 0; seed < 200; seed++) {
		try {
			expect(decodeFieldStream(randomBytes(seed, 200)).length).toBeLessThan(200);
		} catch (error) {
			expect(error).toBeInstanceOf(Unreadable);
		}
	}
});
