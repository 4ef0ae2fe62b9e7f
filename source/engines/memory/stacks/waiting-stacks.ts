import {type JavaThread} from '../threads/java-thread.js';
import {type JavaThreads} from '../threads/java-threads.js';
import {type Memory} from '../process/memory.js';
import {Unreadable} from '../process/reader.js';
import {type Continuations} from './continuation.js';
import {StackCopy} from './stack.js';
import {type Walker, type WalkEnd} from './walker.js';

/** How often a stack is read again if its thread ran meanwhile. */
const tries = 3;

/**
Walks the stacks of threads that do not execute Java code: their anchor says where they left it. They are never stopped,
so a copy counts only if the anchor is still the same afterwards.
*/
export class WaitingStacks {
	readonly #memory: Memory;
	readonly #threads: JavaThreads;
	readonly #walker: Walker;
	readonly #continuations: Continuations;
	readonly #stack = new StackCopy();

	constructor(memory: Memory, threads: JavaThreads, walker: Walker, continuations: Continuations) {
		this.#memory = memory;
		this.#threads = threads;
		this.#walker = walker;
		this.#continuations = continuations;
	}

	/**
	Fills the thread's frames; false if it went on into Java code (its block says so) before its whole stack was read.
	*/
	walk(thread: JavaThread): boolean {
		for (let attempt = 0; attempt < tries; attempt++) {
			const {anchorSp, anchorPc, anchorFp} = thread.block;
			const isLast = attempt === tries - 1;
			const end = this.#walkOnce(thread, isLast);
			const hasHeap = this.#walker.heapStart !== -1 && this.#walkHeap(thread);
			if (!this.#threads.reread(thread)) {
				break;
			}

			const {block} = thread;
			if (block.anchorSp === anchorSp && block.anchorPc === anchorPc && block.anchorFp === anchorFp && !thread.isInJava && (end !== 'broken' || isLast)) {
				thread.setStack(this.#walker, end, hasHeap ? this.#continuations.frames : undefined);
				thread.setWalked(block);
				return true;
			}

			if (thread.isInJava) {
				return false;
			}
		}

		this.#walker.start();
		thread.setStack(this.#walker, 'broken', undefined);
		thread.setWalked(undefined);
		return true;
	}

	#walkHeap({block}: JavaThread): boolean {
		const place = block.continuationEntry === 0 ? undefined : this.#continuations.locate(this.#stack, block.continuationEntry);
		return place !== undefined && this.#continuations.walk(place);
	}

	#walkOnce({block, frames: {length: hadFrames}}: JavaThread, isLast: boolean): WalkEnd {
		this.#walker.start();
		if (block.anchorSp === 0) {
			// It has not called into Java yet, or no longer is in such a call, as one that ends; or it is on its way
			// between Java code and the VM, where the anchor is set or cleared a moment too late for us, but not each
			// time that we look.
			return block.state % 2 === 1 || (hadFrames > 0 && !isLast) ? 'broken' : 'root';
		}

		try {
			this.#stack.load(this.#memory, block.anchorSp - 8, block.stackBase);
			return this.#walker.walk(this.#stack, block.anchorPc || this.#stack.word(block.anchorSp - 8), block.anchorSp, block.anchorFp);
		} catch (error) {
			if (error instanceof Unreadable) {
				return 'broken';
			}

			throw error;
		}
	}
}
