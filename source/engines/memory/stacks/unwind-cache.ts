import {type Cursor, type FrameBuffer, type StackBytes, type StackCopy} from './stack.js';

/**
For this long, milliseconds, cached callers are reused: code and methods on a stack stay, and a stack that was left and
entered again differs in its bytes.
*/
const validMs = 1000;

/** Maximum steps of a walk kept. */
const stepLimit = 256;

/** The steps of a walk: the frame's position, and the number of Java frames before it. */
class Steps {
	count = 0;
	readonly #positions = new Float64Array(3 * stepLimit);
	readonly #frames = new Int32Array(stepLimit);

	add(pc: number, sp: number, fp: number, frames: number): void {
		if (this.count < stepLimit) {
			this.#positions[3 * this.count] = sp;
			this.#positions[(3 * this.count) + 1] = pc;
			this.#positions[(3 * this.count) + 2] = fp;
			this.#frames[this.count] = frames;
		}

		this.count++;
	}

	/** The first step from `index` on whose stack pointer is not below `sp`. */
	reach(index: number, sp: number): number {
		let at = index;
		while (at < this.count && this.#positions[3 * at] < sp) {
			at++;
		}

		return at;
	}

	isAt(index: number, {pc, sp, fp}: Cursor): boolean {
		const at = 3 * index;
		return index < this.count && this.#positions[at] === sp && this.#positions[at + 1] === pc && this.#positions[at + 2] === fp;
	}

	framesBefore(index: number): number {
		return this.#frames[index];
	}

	/** Appends the steps of another walk from `index` on, adding `more` to their frame counts. */
	addFrom(other: Steps, index: number, more: number): void {
		for (let at = index; at < other.count; at++) {
			this.add(other.#positions[(3 * at) + 1], other.#positions[3 * at], other.#positions[(3 * at) + 2], other.#frames[at] + more);
		}
	}
}

/**
The last walked stack of a thread: as soon as a new walk reaches a frame at the same place, with the same stack contents
from there on, the remaining frames are copied instead of walked.
*/
export class UnwindCache {
	#steps = new Steps();
	#next = new Steps();
	#frames: Int32Array = new Int32Array();
	#stack?: StackBytes;
	#untilMs = 0;
	/**
	The step of the cached walk that the new one has reached, and the address from which on both stacks are equal.
	*/
	#at = 0;
	#sameFrom = Number.NaN;

	/** Begins a walk of another copy of this thread's stack; `nowMs` of performance.now. */
	begin(nowMs: number): void {
		if (nowMs >= this.#untilMs) {
			this.#stack = undefined;
			this.#untilMs = nowMs + validMs;
		}

		this.#sameFrom = Number.NaN;
	}

	/** Restarts the walk. */
	restart(): void {
		this.#at = 0;
		this.#next.count = 0;
	}

	/**
	Called before each step: appends all remaining frames and returns true if they are cached, otherwise records the
	step.
	*/
	complete(stack: StackCopy, cursor: Cursor, frames: FrameBuffer): boolean {
		if (this.#stack) {
			this.#at = this.#steps.reach(this.#at, cursor.sp);
			if (this.#steps.isAt(this.#at, cursor) && cursor.sp >= this.#commonFrom(stack, this.#stack)) {
				const first = this.#steps.framesBefore(this.#at);
				this.#next.addFrom(this.#steps, this.#at, frames.count - first);
				return pushAll(frames, this.#frames, first);
			}
		}

		this.#next.add(cursor.pc, cursor.sp, cursor.fp, frames.count);
		return false;
	}

	/** Caches the walk, which has reached the root of a complete stack. */
	end(stack: StackBytes, frames: Int32Array): void {
		[this.#steps, this.#next] = [this.#next, this.#steps];
		this.#stack = this.#steps.count <= stepLimit ? stack : undefined;
		this.#frames = frames;
	}

	/** Empties the cache. */
	forget(): void {
		this.#stack = undefined;
	}

	#commonFrom(stack: StackCopy, known: StackBytes): number {
		if (Number.isNaN(this.#sameFrom)) {
			this.#sameFrom = stack.sameFrom(known);
		}

		return this.#sameFrom;
	}
}

function pushAll(frames: FrameBuffer, from: Int32Array, first: number): boolean {
	for (let at = first; at < from.length; at++) {
		if (!frames.push(from[at])) {
			return false;
		}
	}

	return true;
}
