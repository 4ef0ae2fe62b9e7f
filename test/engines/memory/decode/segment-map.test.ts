import {expect, test} from 'vitest';
import {blockStart} from '../../../../source/engines/memory/hotspot/code-cache.js';
import {randomBytes} from '../../../helpers/random.js';

const lookUp = (bytes: ArrayLike<number>) => (segment: number) => blockStart(index => bytes[index] ?? -1, segment);

test('hints lead back to the start of the block', () => {
	expect([0, 1, 2, 3, 4, 5].map(lookUp([0, 1, 2, 0, 1, 0xFF]))).toEqual([0, 0, 0, 3, 3, -1]);
});

test('blocks of more than 254 segments go back in steps', () => {
	const bytes = Array.from({length: 600}, (_, index) => Math.min(index, 254));
	expect(lookUp(bytes)(599)).toBe(0);
});

test('hints before the map and bytes that cannot be read give nothing', () => {
	expect(lookUp([0, 9])(1)).toBe(-1);
	expect(lookUp([])(3)).toBe(-1);
});

test('any bytes end', () => {
	for (let seed = 0; seed < 200; seed++) {
		const start = lookUp(randomBytes(seed, 300))(299);
		expect(start).toBeGreaterThanOrEqual(-1);
		expect(start).toBeLessThan(300);
	}
});
