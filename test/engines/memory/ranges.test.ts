import {readFileSync} from 'node:fs';
import process from 'node:process';
import {afterAll, expect, test, vi} from 'vitest';
import {type Memory, ProcessMemory} from '../../../source/engines/memory/target/memory.js';
import {Ranges} from '../../../source/engines/memory/target/ranges.js';

const lengthOf = (index: number) => 4 * (index % 30);
/** Low addresses that nothing is ever mapped at, and no address at all. */
const unreadable = [4096, 8192, 0, 2 ** 60, Number.NaN];
/** Places in the code of this very process, which does not change; with some in between that cannot be read. */
const [, start, end] = /^([\da-f]+)-([\da-f]+) r-xp .*\/node$/m.exec(readFileSync('/proc/self/maps', 'latin1'))!.map(address => Number.parseInt(address, 16));
const addresses = Array.from(
	{length: 2500},
	(_, index) => start + (((index * 7919) * 8) % (end - start - lengthOf(29))),
);
for (const [index, at] of [0, 1, 2, 500, 1023, 1024, 1025, 2047, 2048, 2499].entries()) {
	addresses[at] = unreadable[index % unreadable.length];
}

const memory = new ProcessMemory(process.pid);
afterAll(() => {
	memory.close();
});

/** The contents of all places that are not empty, in hexadecimal; undefined for what cannot be read. */
function contents(read: (index: number) => Uint8Array | undefined): Array<string | undefined> {
	return [...addresses.keys()].filter(index => lengthOf(index) > 0).map(index => {
		const bytes = read(index);
		return bytes && Buffer.from(bytes).toString('hex');
	});
}

const singly = contents(index => {
	const bytes = new Uint8Array(lengthOf(index));
	return memory.read(addresses[index], bytes, 0, bytes.length) === bytes.length ? bytes : undefined;
});

function together(from: Memory): Array<string | undefined> {
	const ranges = new Ranges(from);
	ranges.add(addresses[3], 8);
	ranges.clear();
	for (const [index, address] of addresses.entries()) {
		ranges.add(address, lengthOf(index));
	}

	ranges.read();
	return contents(range =>
		ranges.isRead(range)
			? new Uint8Array(Uint32Array.from({length: lengthOf(range) / 4}, (_, at) => ranges.u32(range, 4 * at))
				.buffer)
			: undefined);
}

test('ranges read together hold what single reads give, whichever of them cannot be read, in few calls', () => {
	expect(singly.filter(text => text === undefined).length).toBeGreaterThan(5);
	const [read, readMany] = [vi.spyOn(memory, 'read'), vi.spyOn(memory, 'readMany')];
	expect(together(memory)).toEqual(singly);
	expect(read.mock.calls.length + readMany.mock.calls.length).toBeLessThan(32);
	vi.restoreAllMocks();
});

test('they are read one by one where the call is refused, and count as not read where the memory is gone', () => {
	expect(together({read: (...args) => memory.read(...args), readMany: () => -1})).toEqual(singly);
	expect(together({read: () => 0, readMany: (...args) => memory.readMany(...args)}).every(text => text === undefined))
		.toBe(true);
});
