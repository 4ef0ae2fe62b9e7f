import {expect, test} from 'vitest';
import {type Checkable, CacheValidation} from '../../../source/engines/memory/hotspot/cache-validation.js';
import {type Memory} from '../../../source/engines/memory/target/memory.js';
import {type Ranges} from '../../../source/engines/memory/target/ranges.js';

const start = 0x1_00_00;

/** Some bytes at an address, and how they were read. */
class Image implements Memory {
	readonly bytes = new Uint8Array(1024);
	reads: number[] = [];
	isTogether = true;

	readMany(vectors: Uint8Array, first: number, count: number, into: Uint8Array, offset: number): number {
		if (!this.isTogether) {
			return -1;
		}

		const view = new DataView(vectors.buffer);
		let at = offset;
		for (let index = first; index < first + count; index++) {
			at += this.#copy(view.getUint32(index * 16, true), into, at, view.getUint32((index * 16) + 8, true));
		}

		this.reads.push(count);
		return at - offset;
	}

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		this.reads.push(1);
		return this.#copy(address, into, offset, length);
	}

	#copy(address: number, into: Uint8Array, offset: number, length: number): number {
		into.set(this.bytes.subarray(address - start, address - start + length), offset);
		return length;
	}
}

/** Two words that were 0 when it was made. */
class Pair implements Checkable {
	round = 0;
	sureRound = 0;

	constructor(readonly place: number) {}

	addTo(ranges: Ranges): number {
		const first = ranges.add(start + this.place, 4);
		ranges.add(start + this.place + 4, 4);
		return first;
	}

	isSameIn(ranges: Ranges, first: number): boolean {
		return ranges.isRead(first) && ranges.isRead(first + 1) && ranges.half(first, 0) + ranges.half(first + 1, 0) === 0;
	}
}

test.each([true, false])('what was asked for in the round before is read together, the rest when it is asked for; both tell what is another (together: %s)', isTogether => {
	const image = new Image();
	image.isTogether = isTogether;
	const checks = new CacheValidation<Pair>(image);
	const pairs = Array.from({length: 8}, (_, index) => new Pair(8 * index));
	const change = (index: number) => {
		image.bytes[(8 * index) + 4] = 1;
	};

	checks.nextRound();
	for (const pair of pairs.slice(0, 5)) {
		checks.isNew(pair);
	}

	// Known in this round, whatever happens.
	change(4);
	expect(checks.isSame(pairs[4])).toBe(true);
	expect(image.reads).toEqual([]);
	for (const isAgain of [false, true]) {
		checks.nextRound();
		image.reads = [];
		expect([0, 1, 3].map(index => checks.isSame(pairs[index]))).toEqual([true, true, true]);
		// Pairs of the round before, and one range again to see whether the memory is still there.
		expect(image.reads).toEqual(isTogether ? [isAgain ? 6 : 10, 1] : Array.from({length: isAgain ? 6 : 10}, () => 1));
	}

	expect(checks.isSame(pairs[4])).toBe(false);
	change(6);
	expect([5, 6].map(index => checks.isSame(pairs[index]))).toEqual([true, false]);
	checks.nextRound();
	change(1);
	expect([0, 1, 5, 6].map(index => checks.isSame(pairs[index]))).toEqual([true, false, true, false]);
});
