import {threadFlag, type Sample} from '../../model/sample.js';
import {stateCode} from '../../model/thread-state.js';
import {type JavaThread, type Lock} from './threads/java-thread.js';
import {mayStall} from './threads/stalls.js';

/**
Frames in a sample that no row has any more: beyond so many, and twice those in use, the sample is filled from the
beginning.
*/
const unusedFrames = 1 << 16;

/** Bits of `Sample.flags` of a thread that is no carrier. */
export function flagsOf({flags, end, isHeapMissing}: JavaThread): number {
	return flags | (end === 'broken' || isHeapMissing ? threadFlag.incomplete : 0);
}

/**
Whether all that is known of a thread, with what it waits for, holds until its block or its CPU time says otherwise;
`state` as its row has it.
*/
export function isSettled(thread: JavaThread, lock: Lock, state: number): boolean {
	const {hasEvent, hasMoved, isCpuKnown, cpuNs, end, isIdentified, isStateSure, isNotifiable, carrierStart} = thread;
	return !hasEvent && !hasMoved && isCpuKnown && cpuNs === 0 && end !== 'broken' && isIdentified && isStateSure && !isNotifiable && (state === stateCode.IDLE || !mayStall(thread)) && carrierStart < 0 && !lock.ownerSlot;
}

/**
The rows of the sample before: a thread that has not moved stays in its row, and costs a few comparisons. Only while the
same sample is filled each time.
*/
export class KeptRows {
	#sample?: Sample;
	/** Rows of the sample before; 0 when it is of no use. */
	#count = 0;
	/** Frames that they had. */
	#framesInUse = 0;

	/** Begins to fill a sample. */
	start(sample: Sample): void {
		this.#count = sample === this.#sample && sample.frameCount < (2 * this.#framesInUse) + unusedFrames ? sample.count : 0;
		this.#sample = sample;
		if (this.#count > 0) {
			sample.restart();
		} else {
			sample.clear();
		}
	}

	/** The same for one of which nothing can have changed. */
	keepSettled(thread: JavaThread): boolean {
		const sample = this.#sample!;
		if (sample.count >= this.#count || thread.row !== sample.count) {
			return false;
		}

		sample.keepThread();
		return true;
	}

	/** Takes over the next row as it is if it is this thread's, as it stands now; false when it must be filled. */
	keep(thread: JavaThread, state: number, lock: Lock): boolean {
		const sample = this.#sample!;
		const row = sample.count;
		if (row >= this.#count || thread.row !== row || thread.cpuNs > 0 || thread.sampledFrames !== thread.frames || thread.carrierStart >= 0
			|| sample.key[row] !== thread.key || sample.name[row] !== thread.name || sample.state[row] !== state || sample.flags[row] !== flagsOf(thread)
			|| sample.lockKind[row] !== lock.kind || sample.lockClass[row] !== lock.className) {
			return false;
		}

		sample.keepThread();
		sample.lockOwner[row] = -1;
		return true;
	}

	/** The same for a thread of the JVM's own that was in this row without CPU time, and has used none since. */
	keepResting(row: number, key: number): boolean {
		const sample = this.#sample!;
		if (row !== sample.count || row >= this.#count || sample.key[row] !== key || sample.state[row] !== stateCode.IDLE) {
			return false;
		}

		sample.keepThread();
		return true;
	}

	/** The sample is filled. */
	end(): void {
		const {count, stackLength} = this.#sample!;
		let frames = 0;
		for (let row = 0; row < count; row++) {
			frames += stackLength[row];
		}

		this.#framesInUse = frames;
	}

	/** The sample was not filled: empties it, and keeps no row for the next one. */
	forget(sample: Sample): void {
		sample.clear();
		this.#sample = undefined;
	}
}
