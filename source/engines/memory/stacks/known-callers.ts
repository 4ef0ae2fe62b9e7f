import {type FrameBuffer} from './frame-buffer.js';
import {type Cursor} from './registers.js';
import {type StackBytes, type StackCopy} from './stack.js';

/**
For so long, milliseconds, callers are taken to be what they were when they were decoded: code and methods on a stack
stay as long as they are there, and a stack that was left and entered anew meanwhile is not the same to the last byte.
*/
const knownMs = 1000;

/** Steps of a walk that are remembered at most. */
const stepLimit = 256;

/** Where a walk was at each of its steps: the place of the frame, and how many frames of Java methods came before it. */
class Steps {
	count = 0;
	readonly #places = new Float64Array(3 * stepLimit);
	readonly #frames = new Int32Array(stepLimit);

	add(pc: number, sp: number, fp: number, frames: number): void {
		if (this.count < stepLimit) {
			this.#places[3 * this.count] = sp;
			this.#places[(3 * this.count) + 1] = pc;
			this.#places[(3 * this.count) + 2] = fp;
			this.#frames[this.count] = frames;
		}

		this.count++;
	}

	/** The first step from `index` on that is not further in than this. */
	reach(index: number, sp: number): number {
		let at = index;
		while (at < this.count && this.#places[3 * at] < sp) {
			at++;
		}

		return at;
	}

	isAt(index: number, {pc, sp, fp}: Cursor): boolean {
		const at = 3 * index;
		return index < this.count && this.#places[at] === sp && this.#places[at + 1] === pc && this.#places[at + 2] === fp;
	}

	framesBefore(index: number): number {
		return this.#frames[index];
	}

	/** Appends the steps of another walk from one on, with so many frames more before each. */
	addFrom(other: Steps, index: number, more: number): void {
		for (let at = index; at < other.count; at++) {
			this.add(other.#places[(3 * at) + 1], other.#places[3 * at], other.#places[(3 * at) + 2], other.#frames[at] + more);
		}
	}
}

/**
The stack of a thread as it was walked last, frame by frame: most of a running thread's callers are the same at its next
record, and as soon as the new walk comes to a frame that is in the same place, with the same bytes from there on, the
rest need not be walked.
*/
export class KnownCallers {
	#steps = new Steps();
	#next = new Steps();
	#frames: Int32Array = new Int32Array();
	#stack?: StackBytes;
	#untilMs = 0;
	/** The step of the former walk that the new one has come to, and from which address on both stacks are the same. */
	#at = 0;
	#sameFrom = Number.NaN;

	/** Begins to follow a walk of another copy of this thread's stack; milliseconds of performance.now. */
	begin(nowMs: number): void {
		if (nowMs >= this.#untilMs) {
			this.#stack = undefined;
			this.#untilMs = nowMs + knownMs;
		}

		this.#sameFrom = Number.NaN;
	}

	/** The walk begins, once more perhaps. */
	restart(): void {
		this.#at = 0;
		this.#next.count = 0;
	}

	/**
	Told of each step before it is taken: appends all frames from there on, and says so, where they are known. Where the
	walk takes the step it is remembered.
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

	/** The walk has come to the thread's root on this stack, all of it copied: it is what is known from now on. */
	end(stack: StackBytes, frames: Int32Array): void {
		[this.#steps, this.#next] = [this.#next, this.#steps];
		this.#stack = this.#steps.count <= stepLimit ? stack : undefined;
		this.#frames = frames;
	}

	/** Nothing is known. */
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
