import type {Sample} from '../../model/sample.js';
import {stateCode} from '../../model/thread-state.js';
import {type Methods} from './hotspot/methods.js';
import {type JavaThread} from './threads/java-thread.js';
import {type RunningTimer} from './timer/running-timer.js';

/** Key of the row that stands for threads that ended; those of the JVM's own threads are minus their Linux ids. */
const endedKey = -(2 ** 31);
const endedName = '(ended threads)';

/** Adds to a sample what a timer has recorded. */
export class RecordedCredits {
	readonly #timer: RunningTimer;
	readonly #methods: Methods;
	readonly #depth: number;

	constructor(timer: RunningTimer, methods: Methods, depth: number) {
		this.#timer = timer;
		this.#methods = methods;
		this.#depth = depth;
	}

	/**
	What was recorded of a thread, and what may be yet: at `row`, where what it used is; what may be another virtual
	thread's counts for its carrier.
	*/
	add(into: Sample, thread: JavaThread, row: number, carrier: number): void {
		for (const {weightNs, frames, carrierStart, isMounted} of this.#timer.recorded(thread)) {
			const isVirtual = row !== carrier && carrierStart >= 0 && isMounted;
			const length = Math.min(isVirtual ? carrierStart : frames.length, this.#depth);
			into.addCredit(carrierStart < 0 || isVirtual ? row : carrier, weightNs, frames.subarray(0, length));
		}

		if (row === carrier && into.state[row] !== stateCode.RUNNABLE && thread.frames.length > 0) {
			const wakingNs = this.#timer.takeWaking?.(thread) ?? 0;
			if (wakingNs > 0) {
				into.addCredit(row, wakingNs, thread.frames.subarray(0, this.#depth));
			}
		}

		into.awaitedCpuNs[row] = this.#timer.awaitedNs(thread, this.#methods);
	}

	/** A row for all threads that ran and ended between two samples: all that is known of them is where they were. */
	addEnded(into: Sample): void {
		const {ended} = this.#timer;
		if (ended.length === 0) {
			return;
		}

		const row = into.addThread(endedKey, 0, endedName);
		into.state[row] = stateCode.TERMINATED;
		for (const {weightNs, frames} of ended) {
			into.cpuNs[row] += weightNs;
			into.addCredit(row, weightNs, frames.subarray(0, this.#depth));
		}
	}
}
