import {type PerfCalls} from './perf-calls.js';
import {PeriodLog} from './period.js';
import {Ring, pageBytes, type ThreadRecord} from './ring.js';

/** Bytes of stack in a record, and pages of the ring, a power of two. */
type RingSize = {readonly stackBytes: number; readonly pages: number};

/**
Ring sizes, best first. Stacks usually have 6 to 8 KB, at most 21; of a truncated copy the innermost frames are still
right. Each record takes the room of a full copy: seven fit.
*/
export const ringSizes: readonly RingSize[] = [{stackBytes: 32_768, pages: 64}, {stackBytes: 8192, pages: 16}, {stackBytes: 2048, pages: 4}];

/** Records that fit in any of these rings. */
export const ringRecords = 7;

/** Minimum of the first period, as a fraction: much shorter ones would fill the ring. */
const shortestFirst = 1 / 8;

/** Options of a thread's event. */
type ThreadEventOptions = {
	readonly size: RingSize;
	readonly periodNs: number;
	readonly withKernel: boolean;
};

/** Records taken from an event. */
type Taken = {readonly records: readonly ThreadRecord[]; readonly lost: number};

/**
An event on the CPU clock of one thread, with its ring. The first record comes after a random part of a period and
counts for a whole one, so short-lived threads count correctly on average.
*/
export class ThreadEvent {
	/** Opens an event; an errno if the event or its ring is refused. `random`: 0 to 1. */
	static open(calls: PerfCalls, tid: number, {size, withKernel, periodNs}: ThreadEventOptions, random = Math.random()): ThreadEvent | number {
		const firstNs = Math.round(periodNs * (shortestFirst + ((1 - shortestFirst) * random)));
		const opened = calls.open(tid, {periodNs: firstNs, stackBytes: size.stackBytes, withKernel});
		if ('errno' in opened) {
			return opened.errno;
		}

		const mapped = calls.mapRing(opened.fd, (1 + size.pages) * pageBytes);
		if ('errno' in mapped) {
			calls.close(opened.fd);
			return mapped.errno;
		}

		return new ThreadEvent(calls, opened.fd, mapped, {firstNs, periodNs});
	}

	readonly #calls: PerfCalls;
	readonly #fd: number;
	readonly #mapped: {readonly memory: ArrayBuffer; readonly address: unknown};
	readonly #ring: Ring;
	readonly #periods: PeriodLog;
	#periodNs: number;
	#isFirst = true;
	#isClosed = false;

	private constructor(calls: PerfCalls, fd: number, mapped: {readonly memory: ArrayBuffer; readonly address: unknown}, {firstNs, periodNs}: {readonly firstNs: number; readonly periodNs: number}) {
		this.#calls = calls;
		this.#fd = fd;
		this.#mapped = mapped;
		this.#ring = new Ring(mapped.memory);
		this.#periods = new PeriodLog(firstNs);
		this.#periodNs = periodNs;
	}

	/** Takes the records, and sets the period from now on. */
	take(wantedNs = this.#periodNs): Taken {
		const {records, lost} = this.#isClosed ? {records: [], lost: 0} : this.#ring.take();
		for (const [index, record] of records.entries()) {
			record.periodNs = this.#isFirst && index === 0 ? this.#periodNs : this.#periods.at(record.timeNs);
		}

		const isBegun = !this.#isFirst || records.length > 0;
		if (isBegun && (this.#isFirst || wantedNs !== this.#periodNs)) {
			// Setting it restarts the kernel's period.
			this.#calls.setPeriod(this.#fd, wantedNs);
			this.#periods.change(wantedNs);
		}

		this.#isFirst = !isBegun;
		this.#periodNs = wantedNs;
		return {records, lost};
	}

	close(): void {
		if (!this.#isClosed) {
			this.#isClosed = true;
			this.#calls.unmap(this.#mapped);
			this.#calls.close(this.#fd);
		}
	}
}
