import {expect, test} from 'vitest';
import {type Memory} from '../../../source/engines/memory/target/memory.js';
import {Reader, Unreadable} from '../../../source/engines/memory/target/reader.js';

/** Two pages at 8192 with a text in each place, and what was read of them. */
function pages(texts: ReadonlyArray<readonly [at: number, text: string]>) {
	const bytes = Buffer.alloc(8192, 'x');
	for (const [at, text] of texts) {
		bytes.write(`${text}\0`, at - 8192, 'latin1');
	}

	const reads: number[] = [];
	const memory: Memory = {
		read(address, into, offset, length) {
			reads.push(address);
			return address < 8192 ? 0 : bytes.copy(into, offset, address - 8192, Math.min(bytes.length, address - 8192 + length));
		},
	};
	const reader = new Reader(memory);
	return {reads, string: (address: number) => reader.withPages(() => reader.cString(address))};
}

test('strings of a page are read at once, those across two of them too, as the reader has them', () => {
	const {reads, string} = pages([[8200, 'JavaThread'], [8300, 'é'], [12_285, 'across'], [12_400, '']]);
	expect([8200, 8300, 8200, 12_400, 0].map(at => string(at))).toEqual(['JavaThread', 'é', 'JavaThread', '', '']);
	expect(reads).toEqual([8192, 12_288]);
	expect(string(12_285)).toBe('across');
});

test('what is no string cannot be read: one without an end, or of 256 bytes and more', () => {
	const {string} = pages([[8200, 'a'.repeat(256)], [9000, 'a'.repeat(255)]]);
	expect(string(9000)).toBe('a'.repeat(255));
	expect(() => string(8200)).toThrow(Unreadable);
	expect(() => string(15_000)).toThrow(Unreadable);
	expect(() => string(4096)).toThrow(Unreadable);
});
