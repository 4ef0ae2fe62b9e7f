import {type Sample} from '../../../../model/sample.js';
import {stateCode} from '../../../../model/thread-state.js';
import {OnCpu} from '../../../../jvm/threads/on-cpu.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {type LiveThreads} from '../../threads/live-threads.js';
import {javaThreadState} from '../../hotspot/thread-block.js';
import {type RunningStacks, type StopObserver} from './running-stacks.js';
import {type Stops} from './stopper.js';

/**
Finds out which threads are on a CPU when they are stopped. Runnable threads without a CPU do not count: a thread often
loses its CPU where it wakes another, and would appear to work there.
*/
export class ObservedThreads implements StopObserver {
	readonly #onCpu: OnCpu;
	readonly #threads: LiveThreads;
	readonly #running: RunningStacks;
	/** Observed on a CPU in this sample, at a moment that does not depend on what they do. */
	readonly #onCpuThreads = new Set<JavaThread>();
	/** Observed without a CPU, or at a moment that depends on what they do. */
	readonly #offCpuThreads = new Set<JavaThread>();

	constructor(pid: number, threads: LiveThreads, running: RunningStacks) {
		this.#onCpu = new OnCpu(pid, threads.cpu);
		this.#threads = threads;
		this.#running = running;
	}

	/** Stops the previous sample's threads that are in Java code now, before other work takes a CPU from them. */
	begin(): Stops {
		this.#onCpu.begin();
		this.#onCpuThreads.clear();
		this.#offCpuThreads.clear();
		return this.#running.stopInJava(
			this.#threads.possiblyRunning(),
			thread => this.#threads.stillExists(thread),
			this,
		);
	}

	/**
	Whether a thread with Java frames has worked in the last half second. While one has, every sample is taken and
	counts once: CPU clocks show work only at the kernel's next tick, so back-off would miss the start of work and
	overcount its end.
	*/
	hasWorkingThreads(): boolean {
		return this.#threads.possiblyRunning().some(thread => thread.stack.frames.length > 0);
	}

	/** Sets the stacks of the threads stopped in `begin` to those at their stop. Call when threads have been listed. */
	walkCaptured(threads: readonly JavaThread[]): void {
		for (const thread of this.#running.walkCaptured(threads)) {
			this.#threads.addRunning(thread);
		}
	}

	/** Sets whether a row was observed running: on a CPU, or RUNNABLE if the kernel cannot tell or it has no stack. */
	add(into: Sample, thread: JavaThread, row: number): void {
		const isRunnable = into.state[row] === stateCode.RUNNABLE;
		const mayBeOnCpu = isRunnable && !this.#offCpuThreads.has(thread)
			&& (thread.stack.frames.length === 0 || !this.#onCpu.isReliable);
		into.isObserved[row] = Number(this.#onCpuThreads.has(thread) || mayBeOnCpu);
	}

	/**
	Walks a thread outside Java code, and checks before and after whether it is on a CPU. Returns `walk`'s result.
	*/
	observeWalk(thread: JavaThread, walk: () => boolean): boolean {
		if (thread.cpu.usedNs === 0 || !thread.presence.exists) {
			return walk();
		}

		const wasBlocked = thread.block.state === javaThreadState.blocked;
		this.#offCpuThreads.delete(thread);
		const isOff = !wasBlocked && this.#onCpu.isOffCpu(thread.nativeId);
		const isWalked = walk();
		const isBlocked = thread.block.state === javaThreadState.blocked;
		if (wasBlocked && isBlocked && thread.stack.end !== 'broken') {
			// The thread waited in the VM during the whole walk.
			return isWalked;
		}

		// The thread has no CPU, or has just woken up or gone to sleep: threads do that at the same frames again and
		// again, so this frame is no fair sample of where it works.
		if (
			isOff
			|| (this.#onCpu.isReliable
				&& (wasBlocked || thread.stack.end === 'broken' || this.#onCpu.mayHaveLeft(thread.nativeId)))
		) {
			this.markOffCpu(thread);
		} else if (isWalked && !isBlocked && this.#onCpu.isReliable) {
			this.#onCpuThreads.add(thread);
		}

		return isWalked;
	}

	beforeStop(thread: JavaThread): void {
		this.#onCpu.mark(thread.nativeId);
	}

	/**
	Marks a stopped thread as on CPU if it is in Java code, where it may have lost its CPU anywhere, so it is a fair
	sample. A thread that has left Java code is not: where it left it shows nothing about where it worked.
	*/
	whileStopped(thread: JavaThread): void {
		// Only to update `isReliable`.
		this.#onCpu.waitedSince(thread.nativeId);
		(thread.isInJava ? this.#onCpuThreads : this.#offCpuThreads).add(thread);
	}

	/** Excludes a thread that stopped or was read too late: long-running code would be overrepresented. */
	markOffCpu(thread: JavaThread): void {
		this.#offCpuThreads.add(thread);
		this.#onCpuThreads.delete(thread);
	}

	close(): void {
		this.#onCpu.close();
	}
}
