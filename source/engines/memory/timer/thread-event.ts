import {type PerfCalls} from './perf-calls.js';
import {type ThreadRecord} from './records.js';
import {pageBytes, Ring} from './ring.js';

/** How much of the stack a record holds, and the pages of the ring for them, a power of two. */
export type RingSize = {readonly stackBytes: number; readonly pages: number};

/**
Sizes of rings, the best first. Real stacks have 6 to 8 KB, at most 21, and 16 KB hold 350 frames; of a copy that is cut
the innermost frames are right all the same. Each record takes the room of a whole copy, however long the stack is:
seven fit in.
*/
export const ringSizes: readonly RingSize[] = [{stackBytes: 32_768, pages: 64}, {stackBytes: 8192, pages: 16}, {stackBytes: 2048, pages: 4}];

/** Records that any of these rings has room for. */
export const ringRecords = 7;

/** The part of the period that the first one has at least: records that come much faster would fill the ring. */
const shortestFirst = 1 / 8;

/**
The shortest period to begin with, as a part of the one that is asked for; and how much of that a thread which uses the
whole of a CPU begins with, twice, so that it has two or three records in a sample or two.
*/
const shortestBeginning = 1 / 20;
const beginning = 2;

/** What an event is to be like. */
export type ThreadEventOptions = {
	readonly size: RingSize;
	readonly periodNs: number;
	readonly withKernel: boolean;
	/** The part of a CPU that the thread seems to use; 1 where that is not known. */
	readonly share?: number;
};

/** What an event has recorded since it was last looked at, with the CPU nanoseconds that each record stands for. */
export type Taken = {readonly records: readonly ThreadRecord[]; readonly weightsNs: readonly number[]; readonly lost: number};

/**
An event on the CPU clock of one thread, and its ring. A record stands for a period of CPU time. The first comes after a
random part of a period: a thread that runs for half of one has a record in half of all cases, which counts as a whole.
The weights are kept here, as the kernel knows nothing of this.

A thread that uses little of a CPU has its first record long after it was found, if it waits for a whole period: it
begins with a shorter one, of which each record stands for that much less, and which doubles with each look that finds
records.
*/
export class ThreadEvent {
	/**
	Opens one; an errno where that cannot be: of the event, or of its ring. `random`: from 0 to 1.
	*/
	static open(calls: PerfCalls, tid: number, options: ThreadEventOptions, random = Math.random()): ThreadEvent | number {
		const {size, withKernel, share = 1} = options;
		const periodNs = options.periodNs * Math.min(1, Math.max(shortestBeginning, share * beginning));
		const firstNs = periodNs * (shortestFirst + ((1 - shortestFirst) * random));
		const opened = calls.open(tid, {periodNs: firstNs, stackBytes: size.stackBytes, withKernel});
		if ('errno' in opened) {
			return opened.errno;
		}

		const mapped = calls.mapRing(opened.fd, (1 + size.pages) * pageBytes);
		if ('errno' in mapped) {
			calls.close(opened.fd);
			return mapped.errno;
		}

		return new ThreadEvent(calls, opened.fd, mapped, {firstNs, periodNs, isBeginning: periodNs < options.periodNs});
	}

	readonly #calls: PerfCalls;
	readonly #fd: number;
	readonly #mapped: {readonly memory: ArrayBuffer; readonly address: unknown};
	readonly #firstNs: number;
	readonly #ring: Ring;
	#periodNs: number;
	#isFirst = true;
	/** Its period is still shorter than it is to be. */
	#isBeginning: boolean;
	#isClosed = false;

	private constructor(calls: PerfCalls, fd: number, mapped: {readonly memory: ArrayBuffer; readonly address: unknown}, {firstNs, periodNs, isBeginning}: {readonly firstNs: number; readonly periodNs: number; readonly isBeginning: boolean}) {
		this.#calls = calls;
		this.#fd = fd;
		this.#mapped = mapped;
		this.#ring = new Ring(mapped.memory);
		this.#firstNs = firstNs;
		this.#periodNs = periodNs;
		this.#isBeginning = isBeginning;
	}

	/** CPU nanoseconds between two records. */
	get periodNs(): number {
		return this.#periodNs;
	}

	/**
	Takes what was recorded, and makes the period so long from now on, or lets it grow to that. What is lost in the
	beginning is no sign of samples that are too rare.
	*/
	take(wantedNs = this.#periodNs): Taken {
		const {records, lost} = this.#isClosed ? {records: [], lost: 0} : this.#ring.take();
		const weightsNs = records.map((_, index) => this.#isFirst && index > 0 ? this.#firstNs : this.#periodNs);
		const wasBeginning = this.#isBeginning;
		const grownNs = lost > 0 ? wantedNs : this.#periodNs * (records.length > 0 ? 2 : 1);
		const periodNs = wasBeginning ? Math.min(wantedNs, grownNs) : wantedNs;
		this.#isBeginning &&= periodNs < wantedNs;
		if (records.length > 0 && this.#isFirst) {
			this.#isFirst = false;
			this.#setPeriod(periodNs);
		} else if (periodNs !== this.#periodNs) {
			this.#setPeriod(periodNs);
		}

		return {records, weightsNs, lost: wasBeginning ? 0 : lost};
	}

	/** CPU nanoseconds of the thread since it was opened, by its own clock; -1 where that cannot be read. */
	countNs(): number {
		return this.#isClosed ? -1 : this.#calls.count(this.#fd);
	}

	close(): void {
		if (!this.#isClosed) {
			this.#isClosed = true;
			this.#calls.unmap(this.#mapped);
			this.#calls.close(this.#fd);
		}
	}

	/** The kernel begins the period anew with it. */
	#setPeriod(periodNs: number): void {
		this.#periodNs = periodNs;
		if (!this.#isFirst) {
			this.#calls.setPeriod(this.#fd, periodNs);
		}
	}
}
