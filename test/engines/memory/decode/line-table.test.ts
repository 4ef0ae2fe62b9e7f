import {expect, test} from 'vitest';
import {decodeLineTable, lineAt} from '../../../../source/engines/memory/decode/compressed.js';
import {randomBytes} from '../../../helpers/random.js';

test('short and escaped entries', () => {
	// Bytecode +0 line +5; +3 line +1; escape: +40, line -3 (zig-zag 80 and 5); end.
	const table = decodeLineTable(Uint8Array.of(0x05, (3 << 3) | 1, 0xFF, 81, 6, 0), 1);
	expect(table).toEqual({bcis: [0, 3, 43], lines: [5, 6, 3], isTruncated: false});
});

test('the line is that of the last entry at or before the bytecode', () => {
	const table = {bcis: [0, 3, 43], lines: [5, 6, 3]};
	expect([0, 2, 3, 42, 43, 9999].map(bci => lineAt(table, bci))).toEqual([5, 5, 6, 6, 3, 3]);
	expect(lineAt({bcis: [4], lines: [9]}, 3)).toBeUndefined();
	expect(lineAt({bcis: [], lines: []}, 0)).toBeUndefined();
});

test('entries out of order, as loops give them', () => {
	const table = {bcis: [0, 10, 4], lines: [1, 2, 3]};
	expect([0, 3, 4, 9, 10].map(bci => lineAt(table, bci))).toEqual([1, 1, 3, 3, 2]);
});

test('a table without an end says that it was isTruncated', () => {
	expect(decodeLineTable(Uint8Array.of(0x05, 0x09), 1)).toEqual({bcis: [0, 1], lines: [5, 6], isTruncated: true});
	expect(decodeLineTable(new Uint8Array(), 1).isTruncated).toBe(true);
	expect(decodeLineTable(Uint8Array.of(0xFF, 193), 1)).toMatchObject({bcis: [], isTruncated: true});
});

test('any bytes end', () => {
	for (let seed = 0; seed < 300; seed++) {
		const table = decodeLineTable(randomBytes(seed, 500), seed % 2);
		expect(table.bcis.length).toBe(table.lines.length);
		expect(table.bcis.length).toBeLessThanOrEqual(500);
	}
});
