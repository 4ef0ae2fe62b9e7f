import {type PerfCalls} from './perf-calls.js';
import {monotonicNs} from './running-timer.js';
import {Ring, pageBytes, type ThreadRecord} from './ring.js';

/** Bytes of stack copied into a record, and pages of the ring, a power of two. */
type RingSize = {readonly stackBytes: number; readonly pages: number};

/**
Ring sizes, best first. Stacks usually have 6 to 8 KB, at most 21; a truncated copy still has the innermost frames. Each
record takes the space of a full copy: seven fit.
*/
export const ringSizes: readonly RingSize[] = [{stackBytes: 32_768, pages: 64}, {stackBytes: 8192, pages: 16}, {stackBytes: 2048, pages: 4}];

/** Number of records that fit in each of these rings. */
export const ringRecords = 7;

/** Minimum of the first period, as a fraction of a period: much shorter ones would fill the ring. */
const minFirst = 1 / 8;

/** Options of a thread's event. */
type ThreadEventOptions = {
	readonly size: RingSize;
	readonly periodNs: number;
	readonly withKernel: boolean;
};

/**
An event on the CPU clock of one thread, with its ring. The first record comes after a random part of a period but
counts for a whole one, so short-lived threads count correctly on average. Records also count for lost ones of the same
reading.
*/
export class ThreadEvent {
	/** Opens an event; returns an errno if the event or its ring is refused. */
	static open(calls: PerfCalls, tid: number, {size, withKernel, periodNs}: ThreadEventOptions): ThreadEvent | number {
		const firstNs = Math.round(periodNs * (minFirst + ((1 - minFirst) * Math.random())));
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
	readonly #firstNs: number;
	readonly #periodNs: number;
	/** When the regular period was set, after the first record. */
	#setNs = Number.POSITIVE_INFINITY;
	#isClosed = false;

	private constructor(calls: PerfCalls, fd: number, mapped: {readonly memory: ArrayBuffer; readonly address: unknown}, {firstNs, periodNs}: {readonly firstNs: number; readonly periodNs: number}) {
		this.#calls = calls;
		this.#fd = fd;
		this.#mapped = mapped;
		this.#ring = new Ring(mapped.memory);
		this.#firstNs = firstNs;
		this.#periodNs = periodNs;
	}

	/** Removes and returns the records. */
	take(): readonly ThreadRecord[] {
		if (this.#isClosed) {
			return [];
		}

		const {records, lost} = this.#ring.take();
		const isFirst = this.#setNs === Number.POSITIVE_INFINITY;
		// Until the regular period is set, further records follow at the first, shorter one.
		for (const [index, record] of records.entries()) {
			const periodNs = record.timeNs < this.#setNs && !(isFirst && index === 0) ? this.#firstNs : this.#periodNs;
			record.periodNs = periodNs * (records.length + lost) / records.length;
		}

		if (isFirst && records.length > 0) {
			// Once only, since setting the period restarts it.
			this.#calls.setPeriod(this.#fd, this.#periodNs);
			this.#setNs = monotonicNs();
		}

		return records;
	}

	close(): void {
		if (!this.#isClosed) {
			this.#isClosed = true;
			this.#calls.unmap(this.#mapped);
			this.#calls.close(this.#fd);
		}
	}
}
