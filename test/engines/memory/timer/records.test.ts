import {describe, expect, test} from 'vitest';
import {Ring, decodeRecords, pageBytes} from '../../../../source/engines/memory/timer/ring.js';
import {seeded} from '../../../helpers/random.js';
import {emptySampleBytes, lostBytes, sampleBytes, type DrawnRecord} from './write-records.js';

function drawn(tid: number, length: number, reserved = 64): DrawnRecord {
	return {
		tid, reserved, stack: Uint8Array.from({length}, (_, index) => tid + index),
		registers: {
			rax: tid, rbx: 2, fp: 0x7F_00_00_00_10_00, sp: 0x7F_00_00_00_08_00, pc: 0x7F_11_22_33_44_55, r13: 6,
		},
	};
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
	const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
	let at = 0;
	for (const part of parts) {
		bytes.set(part, at);
		at += part.length;
	}

	return bytes;
}

test('a record: the thread, its registers, as much of the stack as was copied; what was lost is counted', () => {
	const {records, lost} = decodeRecords(joined([sampleBytes(drawn(7, 24)), lostBytes(3), emptySampleBytes(), sampleBytes(drawn(8, 64))]));
	expect(records.map(({tid, stack}) => [tid, [...stack.subarray(0, 2)], stack.length])).toEqual([[7, [7, 8], 24], [8, [8, 9], 64]]);
	expect(records[0].registers).toEqual(drawn(7, 0).registers);
	expect(lost).toBe(4);
});

test('cut at every byte: the whole records before it, and one lost', () => {
	const parts = [sampleBytes(drawn(7, 24)), sampleBytes(drawn(8, 8))];
	const whole = joined(parts);
	for (let length = 1; length < whole.length; length++) {
		const {records, lost} = decodeRecords(whole.subarray(0, length));
		expect([records.length, lost]).toEqual(length < parts[0].length ? [0, 1] : [1, length === parts[0].length ? 0 : 1]);
	}
});

test('a size or a length that lies reads nothing outside its record', () => {
	for (const at of [6, 7, 16, 16 + 56, 16 + 57, 16 + 62]) {
		for (const value of [0, 1, 7, 0x7F, 0xFF]) {
			const bytes = joined([sampleBytes(drawn(7, 24)), sampleBytes(drawn(8, 24))]);
			bytes[at] = value;
			for (const {stack} of decodeRecords(bytes).records) {
				expect(stack.byteOffset + stack.length).toBeLessThanOrEqual(bytes.length);
			}
		}
	}
});

test('a ring with records of several processes gives those of one, over its end as well', () => {
	const memory = new ArrayBuffer(2 * pageBytes);
	const ring = new Ring(memory);
	const words = new BigUint64Array(memory, 0, pageBytes / 8);
	const data = new Uint8Array(memory, pageBytes);
	const taken: unknown[] = [];
	const written: unknown[] = [];
	for (let round = 0; round < 40; round++) {
		const first = 4 * round;
		const parts = [5, 9, 9, 5].map((pid, index) => sampleBytes({...drawn(first + index, 16, 64 + (8 * ((round + index) % 7))), pid}));
		for (const byte of joined([...parts, emptySampleBytes(), ...(round === 7 ? [lostBytes(2)] : [])])) {
			data[Number(words[1024 / 8]++ % BigInt(pageBytes))] = byte;
		}

		// Without the room that the stacks left.
		written.push(...decodeRecords(joined([parts[0], parts[3]])).records);
		const {records, lost} = ring.takeOf(5);
		expect(lost).toBe(round === 7 ? 2 : 0);
		expect(records.every(({stack}) => stack.buffer.byteLength < parts[0].length)).toBe(true);
		taken.push(...records);
	}

	expect(taken).toEqual(written);
	expect(ring.takeOf(5)).toEqual({records: [], lost: 0});
});

test('any bytes: no error, an end', () => {
	const random = seeded(3);
	for (let round = 0; round < 2000; round++) {
		const bytes = round % 2 === 0
			? Uint8Array.from({length: Math.floor(random() * 300)}, () => random() * 256)
			: joined([sampleBytes(drawn(7, 24)), sampleBytes(drawn(8, 24))]).map(byte => random() < 0.03 ? random() * 256 : byte);
		for (const {stack} of decodeRecords(bytes).records) {
			expect(stack.length).toBeLessThanOrEqual(bytes.length);
		}
	}
});

describe('a ring', () => {
	const size = 1024;

	function ring() {
		const memory = new ArrayBuffer(pageBytes + size);
		const words = new BigUint64Array(memory, 0, pageBytes / 8);
		const data = new Uint8Array(memory, pageBytes);
		const write = (bytes: Uint8Array) => {
			let head = Number(words[1024 / 8] % BigInt(size));
			for (const byte of bytes) {
				data[head] = byte;
				head = (head + 1) % size;
			}

			words[1024 / 8] += BigInt(bytes.length);
		};

		return {words, write, ring: new Ring(memory)};
	}

	test('what the kernel has written, also around the end; then the room is the kernel\'s again', () => {
		const {words, write, ring: own} = ring();
		expect(own.take()).toEqual({records: [], lost: 0});
		for (let tid = 1; tid <= 40; tid++) {
			write(sampleBytes(drawn(tid, 24)));
			const {records, lost} = own.take();
			expect(records.map(record => [record.tid, ...record.stack.subarray(0, 2)])).toEqual([[tid, tid, tid + 1]]);
			expect(lost).toBe(0);
			expect(words[1032 / 8]).toBe(words[1024 / 8]);
		}
	});

	test('a head that cannot be: everything is given up, nothing read', () => {
		const {words, write, ring: own} = ring();
		words[1024 / 8] = 1n << 40n;
		expect(own.take()).toEqual({records: [], lost: 1});
		words[1024 / 8] = 5n;
		expect(own.take()).toEqual({records: [], lost: 1});
		write(sampleBytes(drawn(9, 24)));
		expect(own.take().lost).toBe(0);
	});
});
