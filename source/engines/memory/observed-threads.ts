import {type Sample} from '../../model/sample.js';
import {stateCode} from '../../model/thread-state.js';
import {type Stops} from './target/stopper.js';
import {type RunningStacks} from './stacks/running-stacks.js';
import {type JavaThread} from './threads/java-thread.js';
import {type OffCpu} from './threads/off-cpu.js';
import {type PresentThreads} from './threads/present-threads.js';

/** Finds the threads that are on a CPU at the start of a sample, when running threads are stopped. */
export class ObservedThreads {
	readonly #present: PresentThreads;
	readonly #running: RunningStacks;

	constructor(readonly offCpu: OffCpu, present: PresentThreads, running: RunningStacks) {
		this.#present = present;
		this.#running = running;
	}

	/**
	Begins a sample: stops the threads of the previous sample that are in Java code now. Must be called first, since our
	own work then takes a CPU from the target and favours its longest-running code.
	*/
	begin(): Stops {
		this.offCpu.begin();
		return this.#running.stopWorking(this.#present.possiblyRunning(), thread => this.#present.isStillThere(thread));
	}

	/**
	Whether a thread with Java frames has worked in the last half second. Until none has, every sample is taken and
	counts once: CPU clocks show work only at the kernel's next tick, so idle back-off would miss the start of work and
	overcount its end.
	*/
	hasWorkingThreads(): boolean {
		return this.#present.possiblyRunning().some(thread => thread.frames.length > 0);
	}

	/** The threads have been listed: gives those stopped in `begin` the stacks that they had then. */
	listed(threads: readonly JavaThread[]): void {
		for (const thread of this.#running.walkCaught(threads)) {
			this.#present.wake(thread);
		}
	}

	/**
	Marks threads that were stopped later than the others as unobserved: long-running code would be overrepresented.
	*/
	late(threads: readonly JavaThread[]): void {
		for (const thread of threads) {
			this.offCpu.late(thread);
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
		const mayBeOnCpu = isRunnable && !thread.isOffCpu && (thread.frames.length === 0 || !this.offCpu.isOfUse);
		into.isObserved[row] = Number(thread.wasOnCpu || mayBeOnCpu);
	}
}
