import {type JavaThread} from '../threads/java-thread.js';
import {type JavaThreads} from '../threads/java-threads.js';
import {type Memory} from '../process/memory.js';
import {Ranges} from '../process/ranges.js';
import {Unreadable} from '../process/reader.js';
import {type Continuations} from './continuation.js';
import {StackCopy} from './stack.js';
import {type Walker, type WalkEnd} from './walker.js';

/** How often a stack is read again if its thread ran meanwhile. */
const tries = 3;

/**
Stacks copied together, and bytes of one of these at most: the more they are, the longer a thread has to go on before it
is looked at again.
*/
const together = 32;
const togetherBytes = 1 << 15;

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
	readonly #copies: Ranges;

	constructor(memory: Memory, threads: JavaThreads, walker: Walker, continuations: Continuations) {
		this.#memory = memory;
		this.#threads = threads;
		this.#walker = walker;
		this.#continuations = continuations;
		this.#copies = new Ranges(memory);
	}

	/**
	Fills the frames of all threads, whose blocks have just been read; gives those that run. Stacks are copied together,
	and then, in the same call, the blocks that must be what they were.
	*/
	walkAll(threads: readonly JavaThread[]): JavaThread[] {
		const running: JavaThread[] = [];
		for (let first = 0; first < threads.length; first += together) {
			// The blocks of those that went on meanwhile are fresh after the first round.
			const again = this.#walkCopies(threads.slice(first, first + together));
			for (const thread of again.length > 1 ? this.#walkCopies(again) : again) {
				if (!this.walk(thread)) {
					running.push(thread);
				}
			}
		}

		return running;
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

	/** Gives those that must be walked again. */
	#walkCopies(threads: readonly JavaThread[]): JavaThread[] {
		this.#copy(threads);
		return threads.filter((thread, at) => !this.#walkCopy(thread, at, threads.length + at));
	}

	/** Copies stacks, and as many blocks after them. */
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

	/** From a copy that was made together with others; false where that does not do. */
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
		try {
			this.#stack.set(anchorSp - 8, bytes, stackBase);
			const end = this.#walker.walk(this.#stack, anchorPc || this.#stack.word(anchorSp - 8), anchorSp, anchorFp);
			// What is in the heap must be read while the thread stands there.
			if (end === 'broken' || this.#walker.heapStart !== -1) {
				return false;
			}

			thread.setStack(this.#walker, end, undefined);
			thread.setWalked(now);
			return true;
		} catch (error) {
			if (error instanceof Unreadable) {
				return false;
			}

			throw error;
		}
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
