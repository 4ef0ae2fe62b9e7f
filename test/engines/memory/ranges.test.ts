import {readFileSync} from 'node:fs';
import process from 'node:process';
import {
	afterAll, beforeAll, describe, expect, test,
} from 'vitest';
import {type Memory, ProcessMemory} from '../../../source/engines/memory/target/memory.js';
import {type Chain, ReadAhead} from '../../../source/engines/memory/target/read-ahead.js';
import {Reader} from '../../../source/engines/memory/target/reader.js';
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
});

afterAll(() => {
	memory.close();
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
		return addresses.map((_, range) => ranges.isRead(range) ? Buffer.from(ranges.bytesOf(range)).toString('hex') : undefined);
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

	test('are read in their order', () => {
		const order: number[] = [];
		readRanges({
			read(address, into, offset, count) {
				order.push(address);
				return memory.read(address, into, offset, count);
			},
		});
		expect(order).toEqual(addresses.map(address => Number.isNaN(address) || address >= 2 ** 47 ? 0 : address));
	});
});

describe('words that are read ahead', () => {
	test('are what single reads give, where they can be read and so many bytes were wanted', () => {
		const ahead = new ReadAhead(memory);
		const reader = new Reader(memory);
		const [known, ...others] = addresses.filter(address => !unreadable.includes(address));
		for (const address of [known, unreadable[0], ...others]) {
			ahead.want(address, address % 16 < 8 ? 8 : 4);
		}

		ahead.read();
		const read = () => others.map(address => address % 16 < 8 ? reader.bigWord(address) : reader.u32(address));
		const singly = read();
		const {reads} = reader;
		expect(reader.withAhead(ahead, read)).toEqual(singly);
		expect(reader.reads).toBe(reads);
		const narrow = others.find(address => address % 16 >= 8)!;
		expect(reader.withAhead(ahead, () => reader.bigWord(narrow))).toBe(reader.bigWord(narrow));
		expect(() => reader.withAhead(ahead, () => reader.word(unreadable[0]))).toThrow('not readable');
		expect(reader.reads).toBe(reads + 3);
		ahead.clear();
		reader.withAhead(ahead, read);
		expect(reader.reads).toBe(reads + 3 + others.length);
	});

	test('lead to others, a step of all chains in one call; one ends where its word cannot be read', () => {
		let calls = 0;
		const counted: Memory = {
			read: (...args) => memory.read(...args),
			readMany(...args) {
				calls++;
				return memory.readMany(...args);
			},
		};
		const ahead = new ReadAhead(counted);
		const reader = new Reader(memory);
		const ends: number[] = [];
		function * chain(at: number): Chain {
			ahead.want(addresses[at], 8);
			yield;
			const word = reader.word(addresses[at]);
			ahead.want(addresses[at] + 8, 8);
			yield;
			ends.push(word + reader.word(addresses[at] + 8));
		}

		ahead.follow(reader, [chain(3), chain(0), chain(4), chain(5)]);
		expect(ends).toEqual([3, 4, 5].map(at => reader.word(addresses[at]) + reader.word(addresses[at] + 8)));
		expect(calls).toBeLessThan(5);
	});
});
