import {threadFlag, type Sample} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';
import {type JavaThread, type Lock} from './java-thread.js';
import {mayStall} from './derived-state.js';

/**
Kept rows keep their frames in the sample, and new frames are appended. A sample is rebuilt from scratch if it has
more frames than twice those in use plus this many.
*/
const maxExtraFrames = 1 << 16;

/** Returns the bits of `Sample.flags` for a thread that is not a carrier. */
export function flagsOf({description: {flags}, stack: {end, isHeapMissing}}: JavaThread): number {
	return flags | (end === 'broken' || isHeapMissing ? threadFlag.incomplete : 0);
}

/** Whether a thread's row remains valid until its block or CPU time changes. `state`: the row's. */
export function hasValidRow(thread: JavaThread, lock: Lock, state: number): boolean {
	const {isIdentified, isStateConfirmed, isNotifiable} = thread.description;
	return thread.isUnchanged && !thread.isRecorded && isIdentified && isStateConfirmed && !isNotifiable && (state === stateCode.IDLE || !mayStall(thread)) && !thread.stack.hasVirtualThread && !lock.readHolder;
}

/** Reuses the rows of unchanged threads, if the same sample object is filled each time. */
export class RowCache {
	#sample?: Sample;
	/** Number of rows of the previous sample; 0 if they cannot be reused. */
	#count = 0;
	#framesInUse = 0;

	/** Begins a sample. */
	start(sample: Sample): void {
		this.#count = sample === this.#sample && sample.frameCount < (2 * this.#framesInUse) + maxExtraFrames ? sample.count : 0;
		this.#sample = sample;
		if (this.#count > 0) {
			sample.restart();
		} else {
			sample.clear();
		}
	}

	/** Keeps the row of a thread that cannot have changed; returns false if the row is not the next one. */
	keepValid({row}: JavaThread): boolean {
		const isNext = this.#isNext(row);
		if (isNext) {
			this.#sample!.keepThread();
		}

		return isNext;
	}

	/** Keeps the next row if it is this thread's and unchanged; returns false if it must be filled. */
	keep(thread: JavaThread, state: number, lock: Lock): boolean {
		const sample = this.#sample!;
		const {row} = thread;
		if (!this.#isNext(row) || thread.cpu.usedNs > 0 || thread.sampledFrames !== thread.stack.frames || thread.stack.hasVirtualThread
			|| sample.key[row] !== thread.description.key || sample.name[row] !== thread.description.name || sample.state[row] !== state || sample.flags[row] !== flagsOf(thread)
			|| sample.lockKind[row] !== lock.kind || sample.lockClass[row] !== lock.className) {
			return false;
		}

		sample.keepThread();
		// `SampleRows` sets it again if the lock has a holder.
		sample.lockOwner[row] = -1;
		return true;
	}

	/** Keeps an unchanged row; returns false if it is not the next one, or has another key or state. */
	keepUnchanged(row: number, key: number, state: number): boolean {
		const sample = this.#sample!;
		const isKept = this.#isNext(row) && sample.key[row] === key && sample.state[row] === state;
		if (isKept) {
			sample.keepThread();
		}

		return isKept;
	}

	/** Ends a sample. */
	end(): void {
		const {count, stackLength} = this.#sample!;
		let frames = 0;
		for (let row = 0; row < count; row++) {
			frames += stackLength[row];
		}

		this.#framesInUse = frames;
	}

	/** Empties a failed sample; none of its rows will be reused. */
	forget(sample: Sample): void {
		sample.clear();
		this.#sample = undefined;
	}

	/** Whether a row of the previous sample would have the same index in this one. */
	#isNext(row: number): boolean {
		return row === this.#sample!.count && row < this.#count;
	}
}
