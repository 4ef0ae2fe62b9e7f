import {breakpointRecord, pageBytes, type MappedRing, type BreakpointCalls} from '../cpu/perf/perf-calls.js';
import {Ring, type PerfRecord} from '../cpu/perf/perf-ring.js';
import {sliceMs} from './duty-cycle.js';

/** Bytes of stack in a record, and pages of a ring, the best first: each ring holds some 15 records. */
const sizes = [{stackBytes: 16_384, pages: 64}, {stackBytes: 8192, pages: 32}, {stackBytes: 2048, pages: 8}] as const;

/** Records of a slice that surely fit, and the part of the busiest slice's events that is kept after another. */
const recordsOfSlice = 8;
const keptOfMost = 0.998;

/** A word that a thread writes, or code (`isCode`) that it executes. */
export type Watched = {readonly address: number; readonly isCode?: boolean};

/** A breakpoint of the processor for a thread, with the ring of its records. It starts disabled. */
export class Breakpoint {
	/** Opens one, with the largest ring that the kernel permits; returns an errno if it is refused. */
	static open(calls: BreakpointCalls, tid: number, watched: Watched): Breakpoint | number {
		let errno = 0;
		for (const {stackBytes, pages} of sizes) {
			const opened = calls.openBreakpoint(tid, {...watched, stackBytes});
			if ('errno' in opened) {
				return opened.errno;
			}

			const mapped = calls.mapRing(opened.fd, (1 + pages) * pageBytes);
			if (!('errno' in mapped)) {
				return new Breakpoint(calls, opened.fd, mapped);
			}

			calls.close(opened.fd);
			({errno} = mapped);
		}

		return errno;
	}

	readonly #calls: BreakpointCalls;
	readonly #fd: number;
	readonly #mapped: MappedRing;
	readonly #ring: Ring;
	/** Events at the last call of `take`, and those of them that no record has counted yet. */
	#counted = 0;
	#pending = 0;
	/** How many events make a record, and the most events of a recent slice. */
	#period = 1;
	#most = 0;

	private constructor(calls: BreakpointCalls, fd: number, mapped: MappedRing) {
		this.#calls = calls;
		this.#fd = fd;
		this.#mapped = mapped;
		this.#ring = new Ring(mapped.memory, breakpointRecord);
	}

	setEnabled(isEnabled: boolean): void {
		this.#calls.setEnabled(this.#fd, isEnabled);
	}

	/**
	Removes all records and returns them, with the number of events since the last call and how many events a record
	counts for, so that each event counts once. `onMs`: how long it was enabled. Not after `close`.
	*/
	take(onMs: number): {readonly records: readonly PerfRecord[]; readonly events: number; readonly times: number} {
		const {records} = this.#ring.take();
		const count = this.#calls.eventCount(this.#fd);
		const events = count - this.#counted;
		this.#counted = count;
		this.#pending += events;
		const times = records.length > 0 ? this.#pending / records.length : 0;
		this.#pending = records.length > 0 ? 0 : this.#pending;
		// A slice that ended late had more events for that alone.
		this.#setPeriod(events * Math.min(1, sliceMs / onMs));
		return {records, events, times};
	}

	close(): void {
		this.#calls.unmap(this.#mapped);
		this.#calls.close(this.#fd);
	}

	/**
	Lets a record stand for more events, until a slice like the busiest of late fits into the ring. Of a burst that does
	not fit, only the lines at its start would be seen. The number varies, so as not to run in step with the program.
	*/
	#setPeriod(events: number): void {
		this.#most = Math.max(events, this.#most * keptOfMost);
		const period = Math.max(1, Math.round(this.#most / recordsOfSlice * (0.75 + (0.5 * Math.random()))));
		if (period !== this.#period) {
			this.#period = period;
			this.#calls.setPeriod(this.#fd, period);
		}
	}
}

/** Rounds of writes that are measured, and writes of a round: so few that their records fit into a ring. */
const rounds = 25;
const writesOfRound = 6;

/**
Returns what a record costs the thread that writes, milliseconds: measured on this thread, with and without a
breakpoint. Returns an errno if it is refused.
*/
export function measureCost(calls: BreakpointCalls): {readonly costMs: number} | {readonly errno: number} {
	const page = calls.mapPage();
	try {
		const breakpoint = Breakpoint.open(calls, 0, {address: page.start});
		if (typeof breakpoint === 'number') {
			return {errno: breakpoint};
		}

		const words = new Float64Array(page.memory);
		const withoutMs = timeOfWrite(words);
		breakpoint.setEnabled(true);
		const withMs = timeOfWrite(words, () => {
			breakpoint.take(sliceMs);
		});
		breakpoint.close();
		return {costMs: Math.max(0, withMs - withoutMs)};
	} finally {
		calls.unmap(page);
	}
}

/** Returns the median of the rounds, so that one in which another thread had the CPU does not count. */
function timeOfWrite(words: Float64Array, between?: () => void): number {
	const times = Array.from({length: rounds}, () => {
		const startedMs = performance.now();
		for (let write = 0; write < writesOfRound; write++) {
			words[0] = write;
		}

		const tookMs = performance.now() - startedMs;
		between?.();
		return tookMs / writesOfRound;
	});
	return times.toSorted((a, b) => a - b)[Math.floor(rounds / 2)];
}
