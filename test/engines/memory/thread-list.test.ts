import {describe, expect, test} from 'vitest';
import {type Vm} from '../../../source/engines/memory/hotspot/vm.js';
import {type Memory} from '../../../source/engines/memory/target/memory.js';
import {Reader, Unreadable} from '../../../source/engines/memory/target/memory-reader.js';
import {ThreadList} from '../../../source/engines/memory/threads/thread-list.js';
import {pick, seeded} from '../../helpers/random.js';

const first = 0x1_00_00;
const root = 0x1_00_08;
const lengthAt = 0x10;
const threadsAt = 0x18;
const nextAt = 0x20;

/** A JVM's memory, word by word: what is not there cannot be read. */
class Words implements Memory {
	readonly words = new Map<number, number>();
	/** Called before each read. */
	meanwhile?: () => void;
	#lists = 0;

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		this.meanwhile?.();
		const bytes = Buffer.from(into.buffer, into.byteOffset + offset, length).fill(0);
		for (let at = 0; at < length; at += 8) {
			const word = this.words.get(address + at);
			if (word === undefined) {
				return at;
			}

			bytes.writeUIntLE(word, at, Math.min(6, length - at));
		}

		return length;
	}

	/** Threads, the oldest first: linked, as 8 and 11 do it, and in an array of their own, as later releases do it. */
	set(threads: readonly number[]): void {
		const array = 0x20_00_00 + (0x10_00 * (this.#lists++ % 7));
		this.words.set(first, threads.at(-1) ?? 0).set(root, array).set(array + lengthAt, threads.length).set(
			array + threadsAt,
			array + 0x1_00,
		);
		for (const [index, thread] of threads.entries()) {
			this.words.set(thread + nextAt, index === 0 ? 0 : threads[index - 1]).set(
				array + 0x1_00 + (8 * index),
				thread,
			);
		}
	}
}

function listOf(memory: Memory, hasArray: boolean): ThreadList {
	const fields = {
		threadsList: hasArray ? root : Number.NaN,
		threadsListLength: lengthAt,
		threadsListThreads: threadsAt,
		firstThread: first,
		nextThread: nextAt,
	};
	return new ThreadList({reader: new Reader(memory), layout: {fields}} as unknown as Vm);
}

const addressOf = (index: number) => 0x7F_00_00_00_00_00 + (index * 0x10_00);

describe.each([['a chain, as on 8 and 11', false], ['an array, as on later releases', true]])(
	'the list of threads, %s',
	(_, hasArray) => {
		test.each([1, 2, 3])(
			'is what the JVM has, the oldest first, whoever comes and goes; the same array where nothing changed (seed %i)',
			seed => {
				const random = seeded(seed);
				const memory = new Words();
				const list = listOf(memory, hasArray);
				let threads = [addressOf(0)];
				let before = threads;
				let kept: readonly number[] | undefined;
				for (let step = 0; step < 300; step++) {
					const left = threads.filter(() => random() > 0.05);
					const free = Array.from({length: 40}, (_, index) => addressOf(index)).filter(address =>
						!left.includes(address));
					// In half of the steps nothing changes; a new thread may get the address of one that has just
					// ended.
					threads = random() < 0.5 ? threads : [...left, ...free.slice(0, pick(random, 3))];
					memory.set(threads);
					const read = list.read();
					expect(read).toEqual(threads);
					if (kept && threads === before) {
						expect(read).toBe(kept);
					}

					[before, kept] = [threads, read];
				}
			},
		);

		test('that cannot be read whole is none', () => {
			const memory = new Words();
			const list = listOf(memory, hasArray);
			expect(() => list.read()).toThrow(Unreadable);
			// Each read finds another newest thread.
			let count = 0;
			memory.meanwhile = () => {
				memory.set([0, 1, 2, 3, 100 + ++count].map(index => addressOf(index)));
			};

			expect(() => list.read()).toThrow(Unreadable);
			memory.meanwhile = undefined;
			expect(list.read()).toHaveLength(5);
		});
	},
);
