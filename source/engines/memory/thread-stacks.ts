import {type Target} from '../../jvm/target.js';
import {type EngineOptions} from '../common/engine.js';
import {chooseTimer} from './cpu/perf/choose.js';
import {RecordedStacks} from './cpu/perf/recorded-stack.js';
import {type PerfTimer} from './cpu/perf/perf-timer.js';
import {ObservedThreads} from './cpu/ptrace/observed-threads.js';
import {RunningStacks} from './cpu/ptrace/running-stacks.js';
import {Stopper, noStops, sumOfStops, type Stops} from './cpu/ptrace/stopper.js';
import {type Jvm} from './hotspot/jvm.js';
import {isInTransition, isSameAnchor} from './hotspot/thread-block.js';
import {type LiveJvm} from './open.js';
import {ifReadable} from './target/memory-reader.js';
import {type JavaThread} from './threads/java-thread.js';
import {type JavaThreads} from './threads/java-threads.js';
import {type LiveThreads} from './threads/live-threads.js';
import {checkStack} from './unwind/check-stack.js';
import {Continuations} from './unwind/continuation.js';
import {StackCopy} from './unwind/stack.js';
import {TopFrame} from './unwind/top-frame.js';
import {walkedStack, Walker, type WalkEnd} from './unwind/walker.js';

/** Reads threads' stacks: outside Java code from their anchors, otherwise from perf records or by stopping them. */
export class ThreadStacks {
	/** Outcome of the stops in this sample. */
	stops: Stops = noStops;
	/** Time that this sample's records took. */
	recordsMs = 0;
	/** Defined if running threads are recorded; `observedThreads` if they are stopped; neither if we only read. */
	readonly perf?: PerfTimer;
	readonly observedThreads?: ObservedThreads;
	/** Walks the stacks of records. */
	readonly recorded: RecordedStacks;
	/** What the timer misses (printable). */
	readonly note?: string;
	readonly #onlyReads: boolean;
	readonly #waiting: WaitingStacks;
	readonly #running: RunningStacks;
	readonly #stopper: Stopper;

	constructor(jvm: LiveJvm, target: Target, options: EngineOptions, liveThreads: LiveThreads) {
		const walker = new Walker(jvm);
		const top = new TopFrame(jvm, walker);
		const continuations = new Continuations(jvm);
		this.#onlyReads = options.onlyReads ?? false;
		this.recorded = new RecordedStacks(jvm, target.pid, {walker, top, continuations});
		const chosen: ReturnType<typeof chooseTimer> = this.#onlyReads
			? {}
			: chooseTimer(jvm.perf, target, options, this.recorded);
		this.perf = chosen.perf;
		this.note = chosen.note;
		this.#stopper = new Stopper(jvm.ptrace, target.pid);
		this.#waiting = new WaitingStacks(jvm, liveThreads.java, walker, continuations);
		this.#running = new RunningStacks(jvm, liveThreads.java, {
			walker, top, ptrace: jvm.ptrace, stopper: this.#stopper, continuations,
		});
		const areStopped = !this.perf && !this.#onlyReads;
		this.observedThreads = areStopped ? new ObservedThreads(target.pid, liveThreads, this.#running) : undefined;
	}

	/** Begins a sample, before threads are listed. Returns whether a settled thread has records. */
	begin(): boolean {
		this.stops = this.observedThreads?.begin() ?? noStops;
		const startedMs = performance.now();
		const settledThreadRan = this.perf?.begin?.() ?? false;
		this.recordsMs = performance.now() - startedMs;
		return settledThreadRan;
	}

	/**
	Reads the stacks of threads that may have changed: those in Java code first, because their blocks become stale
	first. Returns the estimated recording overhead, milliseconds per recorded thread.
	*/
	read(changedThreads: readonly JavaThread[], threads: readonly JavaThread[], hasNewThreads: boolean): number {
		const {perf, observedThreads} = this;
		const startedMs = performance.now();
		const costMs = perf?.poll(changedThreads, threads, hasNewThreads) ?? 0;
		this.recordsMs += performance.now() - startedMs;
		observedThreads?.walkCaptured(threads);
		const toWalk = changedThreads.filter(thread => !thread.hasSameStack && !this.#running.isCaptured(thread));
		const inJava = toWalk.filter(thread => thread.isInJava);
		this.#walkRunning(inJava);
		// A thread that was stopped may have left Java code, but has been walked.
		const others = toWalk.filter(thread => !thread.isInJava && !inJava.includes(thread));
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
		this.observedThreads?.close();
	}

	/** Walks threads that wait, or run native or VM code; returns those that turn out to run Java code. */
	#walkWaiting(threads: readonly JavaThread[]): readonly JavaThread[] {
		return threads.filter(thread => {
			const walk = () => this.#waiting.walk(thread);
			const isWalked = this.observedThreads ? this.observedThreads.observeWalk(thread, walk) : walk();
			return !isWalked;
		});
	}

	/** Takes the stacks of running threads from their newest records if they can have any; otherwise stops them. */
	#walkRunning(running: readonly JavaThread[]): void {
		if (this.#onlyReads) {
			for (const {stack} of running) {
				stack.setUnknown();
			}

			return;
		}

		const {perf, observedThreads} = this;
		const threads = perf ? running.filter(thread => !perf.setCurrentStack(thread)) : running;
		this.stops = threads.length > 0 ? sumOfStops(this.stops, this.#running.walk(threads)) : this.stops;
		for (const thread of threads) {
			observedThreads?.markOffCpu(thread);
		}
	}
}

/** Attempts to walk a thread that moves meanwhile. */
const maxAttempts = 3;

/** Walks the stacks of threads outside Java code from their anchors, which must be unchanged after the walk. */
export class WaitingStacks {
	readonly #jvm: Jvm;
	readonly #threads: JavaThreads;
	readonly #walker: Walker;
	readonly #continuations: Continuations;
	readonly #stack = new StackCopy();

	constructor(jvm: Jvm, threads: JavaThreads, walker: Walker, continuations: Continuations) {
		this.#jvm = jvm;
		this.#threads = threads;
		this.#walker = walker;
		this.#continuations = continuations;
	}

	/** Sets the thread's frames; returns false if it entered Java code (see its block) before its stack was read. */
	walk(thread: JavaThread): boolean {
		for (let attempt = 1; attempt <= maxAttempts; attempt++) {
			const before = {...thread.block};
			const isLast = attempt === maxAttempts;
			const end = this.#walkOnce(thread, isLast);
			const heap = this.#walker.heapStart === -1
				? undefined
				: this.#continuations.walk(this.#continuations.locate(this.#stack, before.continuationEntry));
			if (!this.#threads.reread(thread)) {
				break;
			}

			if (thread.isInJava) {
				return false;
			}

			if (isSameAnchor(before, thread.block) && (end !== 'broken' || isLast)) {
				thread.stack.setWalked(walkedStack(this.#walker, end, heap), thread.block);
				return true;
			}
		}

		thread.stack.setUnknown();
		return true;
	}

	#walkOnce({block, stack}: JavaThread, isLast: boolean): WalkEnd {
		this.#walker.start();
		if (block.anchorSp === 0) {
			// The thread has not called into Java yet, or has returned from it. One that had frames is walked again, as
			// it may just be setting its anchor.
			return isInTransition(block) || (stack.frames.length > 0 && !isLast) ? 'broken' : 'root';
		}

		return ifReadable<WalkEnd>(() => {
			this.#stack.load(this.#jvm.memory, block.anchorSp - 8, block.stackBase);
			checkStack(this.#jvm, this.#stack);
			return this.#walker.walkFromAnchor(this.#stack, block);
		}, 'broken');
	}
}
