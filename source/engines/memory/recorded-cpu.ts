import {endedThreadsKey, endedThreadsName, type Sample} from '../../model/sample.js';
import {stateCode} from '../../model/thread-state.js';
import {type JavaThread} from './threads/java-thread.js';
import {type RunningTimer} from './timer/running-timer.js';

/** Adds a timer's records to a sample. */
export class RecordedCpu {
	readonly #timer: RunningTimer;
	readonly #depth: number;

	constructor(timer: RunningTimer, depth: number) {
		this.#timer = timer;
		this.#depth = depth;
	}

	/**
	Adds the records of a thread. Those of a virtual thread that is still mounted count at `row`, all others of a
	carrier at `carrier`. If the thread's CPU time is unknown, it is the sum of its records.
	*/
	add(into: Sample, thread: JavaThread, row: number, carrier: number): void {
		let recordedNs = 0;
		for (const {periodNs, frames, carrierStart, isMounted} of this.#timer.recorded(thread)) {
			const isVirtual = row !== carrier && carrierStart >= 0 && isMounted;
			const length = Math.min(isVirtual ? carrierStart : frames.length, this.#depth);
			into.addAttributedCpu(carrierStart < 0 || isVirtual ? row : carrier, periodNs, frames.subarray(0, length));
			recordedNs += periodNs;
		}

		if (!thread.isCpuKnown) {
			into.cpuNs[row] += recordedNs;
		}
	}

	/**
	Adds one row for all threads that started and ended between two samples; only their recorded stacks are known.
	*/
	addEnded(into: Sample): void {
		const {ended} = this.#timer;
		if (ended.length === 0) {
			return;
		}

		const row = into.addThread(endedThreadsKey, 0, endedThreadsName);
		into.state[row] = stateCode.TERMINATED;
		for (const {periodNs, frames} of ended) {
			into.cpuNs[row] += periodNs;
			into.addAttributedCpu(row, periodNs, frames.subarray(0, this.#depth));
		}
	}
}
