import {type ObservedThreads} from './cpu/ptrace/observed-threads.js';
import {noStops, sumOfStops, type Stopper, type Stops} from './cpu/ptrace/stopper.js';
import {type JavaThread} from './threads/java-thread.js';
import {type RunningTimer} from './cpu/perf/running-timer.js';
import {type JavaThreads} from './threads/java-threads.js';
import {type Memory} from './target/memory.js';
import {ifReadable} from './target/reader.js';
import {type RunningStacks} from './cpu/ptrace/running-stacks.js';
import {type Continuations} from './unwind/continuation.js';
import {StackCopy} from './unwind/stack.js';
import {type WalkEnd, type Walker} from './unwind/walker.js';

/** Ways to read stacks: of threads that wait always, of running threads by perf events or stops. */
type Ways = {
	readonly waiting: WaitingStacks;
	/** Reads the stacks of running threads without stopping them; undefined if not permitted or not requested. */
	readonly perf?: RunningTimer;
	readonly running: RunningStacks;
	readonly stopper: Stopper;
	/** Set if `perf` is not. */
	readonly observed?: ObservedThreads;
};

/** Reads the stacks of threads, each in the way that suits its state. */
export class ThreadStacks {
	/** The stops of the sample in progress. */
	stops: Stops = noStops;
	readonly #ways: Ways;

	constructor(ways: Ways) {
		this.#ways = ways;
	}

	/** Begins a sample, before threads are listed; returns whether an idle thread was recorded running. */
	begin(): boolean {
		const hasWoken = this.#ways.perf?.begin?.() ?? false;
		this.stops = this.#ways.observed?.begin() ?? noStops;
		return hasWoken;
	}

	/**
	Reads the stacks of threads that may have changed, those in Java code first because their blocks become stale first.
	Returns the estimated time that records cost their threads, milliseconds.
	*/
	read(awake: readonly JavaThread[], threads: readonly JavaThread[], hasNew: boolean): number {
		const {perf, observed} = this.#ways;
		const costMs = perf?.poll(awake, threads, hasNew) ?? 0;
		observed?.listed(threads);
		const changed = awake.filter(thread => !thread.isUnchanged && !observed?.isCaught(thread));
		const inJava = changed.filter(thread => thread.isInJava);
		this.#walkRunning(inJava);
		const others = changed.filter(thread => !thread.isInJava && !inJava.includes(thread));
		this.#walkRunning(this.#walkWaiting(others));
		return costMs;
	}

	/** Resolves when no thread is held; events are closed until the next sample. */
	async release(): Promise<void> {
		this.#ways.perf?.release();
		await this.#ways.stopper.release();
	}

	close(): void {
		this.#ways.perf?.release();
		this.#ways.stopper.close();
		this.#ways.observed?.close();
	}

	/** Walks threads that wait, or run in native code or in the VM; returns those found running Java code. */
	#walkWaiting(threads: readonly JavaThread[]): readonly JavaThread[] {
		const {waiting, observed} = this.#ways;
		return threads.filter(thread => !(observed ? observed.around(thread, () => waiting.walk(thread)) : waiting.walk(thread)));
	}

	/** Takes the stacks of running threads from their newest records if they can have any; otherwise stops them. */
	#walkRunning(running: readonly JavaThread[]): void {
		const {perf, observed} = this.#ways;
		const threads = perf ? running.filter(thread => !perf.setCurrentStack(thread)) : running;
		this.stops = threads.length > 0 ? sumOfStops(this.stops, this.#ways.running.walk(threads)) : this.stops;
		for (const thread of threads) {
			observed?.late(thread);
		}
	}
}

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
				thread.stack.setStack(this.#walker, end, hasHeap ? this.#continuations.frames : undefined);
				thread.stack.setWalked(block);
				return true;
			}

			if (thread.isInJava) {
				return false;
			}
		}

		this.#walker.start();
		thread.stack.setStack(this.#walker, 'broken', undefined);
		thread.stack.setWalked(undefined);
		return true;
	}

	#walkHeap({block}: JavaThread): boolean {
		const position = block.continuationEntry === 0 ? undefined : this.#continuations.locate(this.#stack, block.continuationEntry);
		return position !== undefined && this.#continuations.walk(position);
	}

	#walkOnce({block, stack: {frames: {length: hadFrames}}}: JavaThread, isLast: boolean): WalkEnd {
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
