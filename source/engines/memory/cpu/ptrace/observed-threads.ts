import {type Sample} from '../../../../model/sample.js';
import {stateCode} from '../../../../model/thread-state.js';
import {OnCpu} from '../../../../jvm/threads/on-cpu.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {type PresentThreads} from '../../threads/present-threads.js';
import {javaThreadState} from '../../hotspot/thread-block.js';
import {type RunningStacks, type StopWatch} from './running-stacks.js';
import {type Stops} from './stopper.js';

/**
Tells which threads are on a CPU when running threads are stopped. A thread that is runnable without a CPU is not: it
often loses its CPU where it wakes another, and would appear to work there.
*/
export class ObservedThreads implements StopWatch {
	readonly #onCpu: OnCpu;
	readonly #present: PresentThreads;
	readonly #running: RunningStacks;
	/** Threads that were on a CPU in this sample at a time independent of what they do; and those that were not. */
	readonly #onCpuNow = new Set<JavaThread>();
	readonly #offCpu = new Set<JavaThread>();

	constructor(pid: number, present: PresentThreads, running: RunningStacks) {
		this.#onCpu = new OnCpu(pid);
		this.#present = present;
		this.#running = running;
	}

	/**
	Begins a sample: stops the threads of the previous sample that are in Java code now. Must be called first, since our
	own work then takes a CPU from the target and favours its longest-running code.
	*/
	begin(): Stops {
		this.#onCpu.begin();
		this.#onCpuNow.clear();
		this.#offCpu.clear();
		return this.#running.stopWorking(this.#present.possiblyRunning(), thread => this.#present.isStillThere(thread), this);
	}

	/**
	Whether a thread with Java frames has worked in the last half second. Until none has, every sample is taken and
	counts once: CPU clocks show work only at the kernel's next tick, so idle back-off would miss the start of work and
	overcount its end.
	*/
	hasWorkingThreads(): boolean {
		return this.#present.possiblyRunning().some(thread => thread.stack.frames.length > 0);
	}

	/** The threads have been listed: gives those stopped in `begin` the stacks that they had then. */
	listed(threads: readonly JavaThread[]): void {
		for (const thread of this.#running.walkCaught(threads)) {
			this.#present.wake(thread);
		}
	}

	isCaught(thread: JavaThread): boolean {
		return this.#running.isCaught(thread);
	}

	/**
	Sets whether a thread's row was observed running: on a CPU, or RUNNABLE if the kernel cannot tell or the stack could
	not be read.
	*/
	add(into: Sample, thread: JavaThread, row: number): void {
		const isRunnable = into.state[row] === stateCode.RUNNABLE;
		const mayBeOnCpu = isRunnable && !this.#offCpu.has(thread) && (thread.stack.frames.length === 0 || !this.#onCpu.isOfUse);
		into.isObserved[row] = Number(this.#onCpuNow.has(thread) || mayBeOnCpu);
	}

	/** Walks a thread that is not in Java code, and sets whether it was on a CPU, checked before and after. */
	around(thread: JavaThread, walk: () => boolean): boolean {
		if (thread.cpu.usedNs === 0 || !thread.isThere) {
			return walk();
		}

		const wasBlocked = thread.block.state === javaThreadState.blocked;
		this.#offCpu.delete(thread);
		const isOff = !wasBlocked && this.#onCpu.isOff(thread.nativeId);
		const isWalked = walk();
		const isBlocked = thread.block.state === javaThreadState.blocked;
		if (wasBlocked && isBlocked && thread.stack.end !== 'broken') {
			return isWalked;
		}

		// It has just woken up, kept running, or gone to sleep: its first frame afterwards is not a random one.
		if (isOff || (this.#onCpu.isOfUse && (wasBlocked || thread.stack.end === 'broken' || this.#onCpu.mayHaveLeft(thread.nativeId)))) {
			this.late(thread);
		} else if (isWalked && !isBlocked && this.#onCpu.isOfUse) {
			this.#onCpuNow.add(thread);
		}

		return isWalked;
	}

	asked(thread: JavaThread): void {
		this.#onCpu.mark(thread.nativeId);
	}

	/**
	A thread in Java code may have lost its CPU anywhere, so it is a fair sample. Where it left Java code says nothing
	about where it worked.
	*/
	held(thread: JavaThread): void {
		this.#onCpu.waitedSince(thread.nativeId);
		(thread.isInJava ? this.#onCpuNow : this.#offCpu).add(thread);
	}

	/** Marks a thread as stopped too late to say where it used CPU time: long-running code would be overrepresented. */
	late(thread: JavaThread): void {
		this.#offCpu.add(thread);
		this.#onCpuNow.delete(thread);
	}

	close(): void {
		this.#onCpu.close();
	}
}
