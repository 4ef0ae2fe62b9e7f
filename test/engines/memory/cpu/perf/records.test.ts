import {expect, test} from 'vitest';
import {pageBytes} from '../../../../../source/engines/memory/cpu/perf/perf-calls.js';
import {Ring, type Records} from '../../../../../source/engines/memory/cpu/perf/perf-ring.js';
import {seeded} from '../../../../helpers/random.js';
import {emptySampleBytes, lostBytes, sampleBytes, type DrawnRecord} from './write-records.js';

function drawn(tid: number, length: number, reserved = 64): DrawnRecord {
	return {
		tid, reserved, stack: Uint8Array.from({length}, (_, index) => tid + index),
		registers: {
			rax: tid, rbx: 2, fp: 0x7F_00_00_00_10_00, sp: 0x7F_00_00_00_08_00, pc: 0x7F_11_22_33_44_55, r13: 6,
		},
	};
}

/** A ring into which records are written as the kernel does. */
function ringOf(size: number) {
	const memory = new ArrayBuffer(pageBytes + size);
	const words = new BigUint64Array(memory, 0, pageBytes / 8);
	const data = new Uint8Array(memory, pageBytes);
	const write = (bytes: Uint8Array) => {
		for (const byte of bytes) {
			data[Number(words[1024 / 8]++ % BigInt(size))] = byte;
		}
	};

	return {words, write, ring: new Ring(memory)};
}

/** What a ring gives in which these bytes were written. */
function taken(bytes: Uint8Array): Records {
	const {write, ring} = ringOf(1024);
	write(bytes);
	return ring.take();
}

test('cut at every word: the whole records before it, and one lost', () => {
	const parts = [sampleBytes(drawn(7, 24)), sampleBytes(drawn(8, 8))];
	const whole = Buffer.concat(parts);
	for (let length = 8; length < whole.length; length += 8) {
		const {records, lost} = taken(whole.subarray(0, length));
		expect([records.length, lost])
			.toEqual(length < parts[0].length ? [0, 1] : [1, length === parts[0].length ? 0 : 1]);
	}
});

test('any bytes, and lengths that lie: no error, an end, and no more than is there', () => {
	const random = seeded(3);
	for (let round = 0; round < 2000; round++) {
		const bytes = round % 2 === 0
			? Uint8Array.from({length: 8 * Math.floor(random() * 40)}, () => random() * 256)
			: Buffer.concat([sampleBytes(drawn(7, 24)), sampleBytes(drawn(8, 24))]).map(byte =>
				random() < 0.03 ? random() * 256 : byte);
		for (const {stack} of taken(bytes).records) {
			expect(stack.length).toBeLessThanOrEqual(bytes.length);
		}
	}
});

test('records of several processes, or those of one, over the end of the ring as well; then the room is the kernel\'s again', () => {
	for (const [pid, pids] of [[undefined, [5, 9, 9, 5]], [5, [5, 5]]] as const) {
		const {words, write, ring} = ringOf(1024);
		expect(ring.take(pid)).toEqual({records: [], lost: 0});
		for (let round = 0; round < 40; round++) {
			const first = 4 * round;
			const parts = [5, 9, 9, 5].map((pid, index) =>
				sampleBytes({...drawn(first + index, 24, 64 + (8 * ((round + index) % 7))), pid}));
			write(Buffer.concat([...parts, emptySampleBytes(), ...(round === 7 ? [lostBytes(2)] : [])]));
			const {records, lost} = ring.take(pid);
			expect(lost).toBe(round === 7 ? 2 : 0);
			expect(records.map(record => record.pid)).toEqual(pids);
			expect(records.map(({tid, stack}) => [tid, ...stack])).toEqual([0, 1, 2, 3].filter(index =>
				pid === undefined || index % 3 === 0).map(index => [first + index, ...drawn(first + index, 24).stack]));
			expect(words[1032 / 8]).toBe(words[1024 / 8]);
		}
	}
});

test('a head that cannot be: everything is given up, nothing read', () => {
	const {words, write, ring} = ringOf(1024);
	// What is left of earlier records must not be read over and over.
	write(Buffer.concat(Array.from({length: 32}, () => emptySampleBytes())));
	expect(ring.take()).toEqual({records: [], lost: 0});
	words[1024 / 8] += 1n << 40n;
	expect(ring.take()).toEqual({records: [], lost: 1});
	write(sampleBytes(drawn(9, 24)));
	expect(ring.take()).toMatchObject({records: [{tid: 9}], lost: 0});
});
