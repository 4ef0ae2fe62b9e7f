import {type JavaThread} from '../threads/java-thread.js';
import {type JavaThreads} from '../threads/java-threads.js';
import {type Memory} from '../target/memory.js';
import {ifReadable} from '../target/reader.js';
import {type Continuations} from './continuation.js';
import {StackCopy} from './stack.js';
import {type Walker, type WalkEnd} from './walker.js';

/** Attempts to read a stack whose thread runs meanwhile. */
const tries = 3;

/**
Walks the stacks of threads outside Java code, from their anchors. The threads are not stopped, so a copy counts only if
the anchor is unchanged afterwards.
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

	/** Sets the thread's frames; false if it entered Java code (see its block) before its stack was read. */
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
		const position = block.continuationEntry === 0 ? undefined : this.#continuations.locate(this.#stack, block.continuationEntry);
		return position !== undefined && this.#continuations.walk(position);
	}

	#walkOnce({block, frames: {length: hadFrames}}: JavaThread, isLast: boolean): WalkEnd {
		this.#walker.start();
		if (block.anchorSp === 0) {
			// It has not called into Java yet, or has left it; or it is in a transition, where the anchor is set or
			// cleared shortly after the state.
			return block.state % 2 === 1 || (hadFrames > 0 && !isLast) ? 'broken' : 'root';
		}

		return ifReadable<WalkEnd>(() => {
			this.#stack.load(this.#memory, block.anchorSp - 8, block.stackBase);
			return this.#walker.walk(this.#stack, block.anchorPc || this.#stack.word(block.anchorSp - 8), block.anchorSp, block.anchorFp);
		}, 'broken');
	}
}
