import {expect, test} from 'vitest';
import {decodeModifiedUtf8} from '../../source/model/text.js';
import {randomBytes} from '../helpers/random.js';

test('zero, two and three bytes, and surrogates of three bytes each', () => {
	expect(decodeModifiedUtf8(Buffer.from('java/lang/Object'))).toBe('java/lang/Object');
	expect(decodeModifiedUtf8(Uint8Array.of(0x61, 0xC0, 0x80, 0xC3, 0xA9, 0xE4, 0xB8, 0xAD, 0xED, 0xA0, 0xBD, 0xED, 0xB8, 0x80))).toBe('a\u0000é中😀');
});

test('a part of the bytes', () => {
	expect(decodeModifiedUtf8(Buffer.from('xaéby'), 1, 5)).toBe('aéb');
	expect(decodeModifiedUtf8(Buffer.from('xaéby').subarray(1), 0, 2)).toBe('a\uFFFD');
	expect(decodeModifiedUtf8(Buffer.from('xaby').subarray(1), 0, 2)).toBe('ab');
});

test('bytes that are none become U+FFFD', () => {
	expect(decodeModifiedUtf8(Uint8Array.of(0xC3))).toBe('\uFFFD');
	expect(decodeModifiedUtf8(Uint8Array.of(0xFF, 0x61))).toBe('\uFFFDa');
	expect(decodeModifiedUtf8(Uint8Array.of(0xE4, 0x61, 0x62))).toBe('\uFFFDab');
});

test('long names, any bytes', () => {
	expect(decodeModifiedUtf8(Buffer.from('é'.repeat(10_000)))).toBe('é'.repeat(10_000));
	for (let seed = 0; seed < 100; seed++) {
		expect(decodeModifiedUtf8(randomBytes(seed, 100)).length).toBeLessThanOrEqual(100);
	}
});
