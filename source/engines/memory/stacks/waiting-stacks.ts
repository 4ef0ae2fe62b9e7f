import {type JavaThread} from '../threads/java-thread.js';
import {type JavaThreads} from '../threads/java-threads.js';
import {type Memory} from '../target/memory.js';
import {Ranges} from '../target/ranges.js';
import {ifReadable} from '../target/reader.js';
import {type Continuations} from './continuation.js';
import {StackCopy} from './stack.js';
import {type Walker, type WalkEnd} from './walker.js';

/** Attempts to read a stack whose thread runs meanwhile. */
const tries = 3;

/** Number of stacks copied together, and maximum bytes of each; more would give threads more time to move. */
const together = 32;
const togetherBytes = 1 << 15;

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
	readonly #copies: Ranges;

	constructor(memory: Memory, threads: JavaThreads, walker: Walker, continuations: Continuations) {
		this.#memory = memory;
		this.#threads = threads;
		this.#walker = walker;
		this.#continuations = continuations;
		this.#copies = new Ranges(memory);
	}

	/**
	Sets the frames of all threads, whose blocks are fresh; returns those that run Java code. Stacks are copied
	together, followed by the blocks that must be unchanged.
	*/
	walkAll(threads: readonly JavaThread[]): JavaThread[] {
		const running: JavaThread[] = [];
		for (let first = 0; first < threads.length; first += together) {
			// Threads that moved have fresh blocks after the first round.
			const again = this.#walkCopies(threads.slice(first, first + together));
			for (const thread of again.length > 1 ? this.#walkCopies(again) : again) {
				if (!this.walk(thread)) {
					running.push(thread);
				}
			}
		}

		return running;
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

	/** Returns those that must be walked again. */
	#walkCopies(threads: readonly JavaThread[]): JavaThread[] {
		this.#copy(threads);
		return threads.filter((thread, at) => !this.#walkCopy(thread, at, threads.length + at));
	}

	/** Copies stacks, and then as many blocks. */
	#copy(threads: readonly JavaThread[]): void {
		const copies = this.#copies;
		copies.clear();
		for (const {block: {anchorSp, stackBase}} of threads) {
			const length = stackBase - anchorSp + 8;
			copies.add(anchorSp - 8, anchorSp !== 0 && anchorSp % 8 === 0 && length > 8 && length <= togetherBytes ? length : 0);
		}

		for (const thread of threads) {
			this.#threads.addTo(copies, thread);
		}

		copies.read();
	}

	/** Walks a copy; false if it is unusable. */
	#walkCopy(thread: JavaThread, copy: number, block: number): boolean {
		const {anchorSp, anchorPc, anchorFp, stackBase} = thread.block;
		const bytes = this.#copies.bytesOf(copy);
		if (bytes.length === 0 || !this.#copies.isRead(copy) || !this.#threads.take(this.#copies, block, thread)) {
			return false;
		}

		const now = thread.block;
		if (now.anchorSp !== anchorSp || now.anchorPc !== anchorPc || now.anchorFp !== anchorFp || now.stackBase !== stackBase || thread.isInJava) {
			return false;
		}

		this.#walker.start();
		return ifReadable(() => {
			this.#stack.set(anchorSp - 8, bytes, stackBase);
			const end = this.#walker.walk(this.#stack, anchorPc || this.#stack.word(anchorSp - 8), anchorSp, anchorFp);
			// The heap part must be read while the thread is there.
			if (end === 'broken' || this.#walker.heapStart !== -1) {
				return false;
			}

			thread.setStack(this.#walker, end, undefined);
			thread.setWalked(now);
			return true;
		}, false);
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
