import {nativeCode, pseudoFrame, type Interner} from '../../model/frame.js';
import {type Target} from '../../jvm/target.js';
import {type EngineOptions, type TimerId} from '../common/engine.js';
import {chooseTimer} from './cpu/perf/choose.js';
import {RecordedStacks} from './cpu/perf/recorded-stack.js';
import {type RunningTimer} from './cpu/perf/running-timer.js';
import {ObservedThreads} from './cpu/ptrace/observed-threads.js';
import {RunningStacks} from './cpu/ptrace/running-stacks.js';
import {
	Stopper, noStops, sumOfStops, type Stops,
} from './cpu/ptrace/stopper.js';
import {type CodeCache} from './hotspot/code-cache.js';
import {type Methods} from './hotspot/methods.js';
import {type Opened} from './open.js';
import {type Memory} from './target/memory.js';
import {NativeCode} from './target/native-code.js';
import {ifReadable} from './target/reader.js';
import {type JavaThread} from './threads/java-thread.js';
import {type JavaThreads} from './threads/java-threads.js';
import {type PresentThreads} from './threads/present-threads.js';
import {Continuations} from './unwind/continuation.js';
import {StackCopy} from './unwind/stack.js';
import {TopFrame} from './unwind/top-frame.js';
import {Walker, type WalkEnd} from './unwind/walker.js';

/** The tables that decode stacks, and the threads whose stacks are read. */
type Parts = {readonly interner: Interner; readonly methods: Methods; readonly code: CodeCache; readonly present: PresentThreads};

/** Reads threads' stacks: outside Java code from their anchors, otherwise from perf records or by stopping them. */
export class ThreadStacks {
	/** The stops of the sample in progress. */
	stops: Stops = noStops;
	/** How running threads are read, and a printable line about it. */
	readonly timer?: TimerId;
	readonly note?: string;
	/** Reads the stacks of running threads without stopping them; undefined if not permitted or not requested. */
	readonly perf?: RunningTimer;
	/** Set if `perf` is not. */
	readonly observed?: ObservedThreads;
	readonly #waiting: WaitingStacks;
	readonly #running: RunningStacks;
	readonly #stopper: Stopper;

	/** Opens the requested timer; throws SessionOver if events are required and refused. */
	constructor({vm, heap, memory, perf, ptrace}: Opened, target: Target, options: EngineOptions, {interner, methods, code, present}: Parts) {
		const walker = new Walker(vm, code, methods);
		const top = new TopFrame(vm, code, methods, walker);
		const continuations = new Continuations(vm, heap, code, methods);
		const recorded = new RecordedStacks({memory, walker, top, continuations, native: new NativeCode(target.pid, memory, interner), nativeCodeFrame: pseudoFrame(interner, nativeCode)});
		const chosen = chooseTimer(perf, target, options, recorded);
		this.timer = chosen.timer;
		this.note = chosen.note;
		this.perf = chosen.perf;
		this.#stopper = new Stopper(ptrace, target.pid);
		this.#waiting = new WaitingStacks(memory, present.java, walker, continuations);
		this.#running = new RunningStacks({
			memory, threads: present.java, walker, top, ptrace, stopper: this.#stopper, continuations,
		});
		this.observed = this.perf ? undefined : new ObservedThreads(target.pid, present, this.#running);
	}

	/** Begins a sample, before threads are listed. Returns whether an unchanged thread has records. */
	begin(): boolean {
		const hasWoken = this.perf?.begin?.() ?? false;
		this.stops = this.observed?.begin() ?? noStops;
		return hasWoken;
	}

	/**
	Reads the stacks of threads that may have changed: those in Java code first, because their blocks become stale
	first. Returns the estimated recording overhead, milliseconds per recorded thread.
	*/
	read(awake: readonly JavaThread[], threads: readonly JavaThread[], hasNew: boolean): number {
		const {perf, observed} = this;
		const costMs = perf?.poll(awake, threads, hasNew) ?? 0;
		observed?.walkCaptured(threads);
		const changed = awake.filter(thread => !thread.isUnchanged && !observed?.isCaptured(thread));
		const inJava = changed.filter(thread => thread.isInJava);
		this.#walkRunning(inJava);
		// A thread that was stopped may have left Java code, but has been walked.
		const others = changed.filter(thread => !thread.isInJava && !inJava.includes(thread));
		this.#walkRunning(this.#walkWaiting(others));
		return costMs;
	}

	/** Closes events until the next sample, and resolves when no thread is held. */
	async release(): Promise<void> {
		this.perf?.release();
		await this.#stopper.release();
	}

	close(): void {
		this.perf?.release();
		this.#stopper.close();
		this.observed?.close();
	}

	/** Walks threads that wait, or run native or VM code; returns those that turn out to run Java code. */
	#walkWaiting(threads: readonly JavaThread[]): readonly JavaThread[] {
		const {observed} = this;
		const walk = (thread: JavaThread) => this.#waiting.walk(thread);
		return threads.filter(thread => !(observed ? observed.observeWalk(thread, () => walk(thread)) : walk(thread)));
	}

	/** Takes the stacks of running threads from their newest records if they can have any; otherwise stops them. */
	#walkRunning(running: readonly JavaThread[]): void {
		const {perf, observed} = this;
		const threads = perf ? running.filter(thread => !perf.setCurrentStack(thread)) : running;
		this.stops = threads.length > 0 ? sumOfStops(this.stops, this.#running.walk(threads)) : this.stops;
		for (const thread of threads) {
			observed?.markOffCpu(thread);
		}
	}
}

/** Maximum number of attempts to read a stack that changes during the read. */
const maxTries = 3;

/**
Walks the stacks of threads outside Java code, from their anchors. The threads are not stopped, so a walk is valid only
if the anchor is unchanged afterwards.
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

	/** Sets the thread's frames; returns false if it entered Java code (see its block) before its stack was read. */
	walk(thread: JavaThread): boolean {
		for (let attempt = 0; attempt < maxTries; attempt++) {
			const {anchorSp, anchorPc, anchorFp} = thread.block;
			const isLast = attempt === maxTries - 1;
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

	#walkOnce({block, stack}: JavaThread, isLast: boolean): WalkEnd {
		this.#walker.start();
		if (block.anchorSp === 0) {
			// The thread has not called into Java yet, or has returned from it; or it is in a transition (odd state),
			// in which the anchor is set or cleared shortly after the state.
			return block.state % 2 === 1 || (stack.frames.length > 0 && !isLast) ? 'broken' : 'root';
		}

		return ifReadable<WalkEnd>(() => {
			this.#stack.load(this.#memory, block.anchorSp - 8, block.stackBase);
			return this.#walker.walk(this.#stack, block.anchorPc || this.#stack.word(block.anchorSp - 8), block.anchorSp, block.anchorFp);
		}, 'broken');
	}
}
