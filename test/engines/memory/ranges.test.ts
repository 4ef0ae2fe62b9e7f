import {readFileSync} from 'node:fs';
import process from 'node:process';
import {beforeAll, describe, expect, test} from 'vitest';
import {type Memory, ProcessMemory} from '../../../source/engines/memory/target/memory.js';
import {Ranges} from '../../../source/engines/memory/target/ranges.js';

const length = 64;
/** Low addresses that nothing is ever mapped at, and no address at all. */
const unreadable = [4096, 8192, 0, 2 ** 60, Number.NaN];

let memory: ProcessMemory;
/** Places in the code of this very process, which does not change; with some in between that cannot be read. */
let addresses: number[];

beforeAll(() => {
	memory = new ProcessMemory(process.pid);
	const code = /^([\da-f]+)-([\da-f]+) r-xp .*\/node$/m.exec(readFileSync('/proc/self/maps', 'latin1'))!;
	const [start, end] = [Number.parseInt(code[1], 16), Number.parseInt(code[2], 16)];
	addresses = Array.from({length: 2500}, (_, index) => start + (((index * 7919) * 8) % (end - start - length)));
	for (const [index, at] of [0, 1, 2, 500, 1023, 1024, 1025, 2047, 2048, 2499].entries()) {
		addresses[at] = unreadable[index % unreadable.length];
	}

	return () => {
		memory.close();
	};
});

describe('ranges of different lengths that are read together', () => {
	const lengthOf = (index: number) => 4 * (index % 30);

	function readRanges(from: Memory): Array<string | undefined> {
		const ranges = new Ranges(from);
		ranges.add(addresses[3], 8);
		ranges.clear();
		for (const [index, address] of addresses.entries()) {
			ranges.add(address, lengthOf(index));
		}

		ranges.read();
		const halves = (range: number) => Uint32Array.from({length: lengthOf(range) / 4}, (_, at) => ranges.u32(range, 4 * at));
		return addresses.map((_, range) => ranges.isRead(range) ? Buffer.from(halves(range).buffer).toString('hex') : undefined);
	}

	function rangesSingly(): Array<string | undefined> {
		const bytes = Buffer.alloc(lengthOf(29));
		return addresses.map((address, index) => memory.read(address, bytes, 0, lengthOf(index)) === lengthOf(index) ? bytes.toString('hex', 0, lengthOf(index)) : undefined);
	}

	/** Nothing is read of an empty range; whether it counts as read does not matter. */
	const withBytes = (read: ReadonlyArray<string | undefined>) => read.filter((_, index) => lengthOf(index) > 0);

	test('hold what single reads give, whichever of them cannot be read, in few calls', () => {
		const singly = withBytes(rangesSingly());
		expect(singly.filter(text => text === undefined).length).toBeGreaterThan(5);
		let calls = 0;
		expect(withBytes(readRanges({
			read(...args) {
				calls++;
				return memory.read(...args);
			},
			readMany(...args) {
				calls++;
				return memory.readMany(...args);
			},
		}))).toEqual(singly);
		expect(calls).toBeLessThan(32);
	});

	test('are read one by one where the call is refused, and count as not read where the memory is gone', () => {
		expect(withBytes(readRanges({read: (...args) => memory.read(...args), readMany: () => -1}))).toEqual(withBytes(rangesSingly()));
		expect(withBytes(readRanges({read: () => 0, readMany: (...args) => memory.readMany(...args)})).every(text => text === undefined)).toBe(true);
	});
});
