import {IdleCpus} from '../../jvm/system/idle-cpus.js';
import {type Sample} from '../../model/sample.js';
import {stateCode} from '../../model/thread-state.js';
import {type Stops} from './process/stops.js';
import {type RunningStacks} from './stacks/running-stacks.js';
import {type JavaThread} from './threads/java-thread.js';
import {type OffCpu} from './threads/off-cpu.js';
import {type PresentThreads} from './threads/present-threads.js';
import {allowedCpus} from './timer/cpu-rings.js';
import {WakeCost} from './wake-cost.js';

/** CPU nanoseconds of a thread that are kept at most until it is seen on a CPU. */
const mostAwaitedNs = 300e6;

/** Who is found at work, and what that says of CPU time, where running threads are stopped. */
export class Sightings {
	readonly #present: PresentThreads;
	readonly #running: RunningStacks;
	readonly #wakeCost: WakeCost;

	constructor(readonly offCpu: OffCpu, present: PresentThreads, running: RunningStacks, pid: number) {
		this.#present = present;
		this.#running = running;
		this.#wakeCost = new WakeCost(running.waking, new IdleCpus(allowedCpus(pid)));
	}

	/**
	Begins a sample, with who is at work at this moment of those that there were in the sample before. This is the first
	that is done: from now on the target has a CPU less, and what takes long goes on the longest.
	*/
	begin(): Stops {
		this.offCpu.begin();
		return this.#running.stopWorking(this.#present.lively(), thread => this.#present.isStillThere(thread));
	}

	/** The threads have been listed: those that were at work are as they were then. */
	listed(awake: readonly JavaThread[], threads: readonly JavaThread[]): void {
		this.#wakeCost.begin(performance.now());
		// On a CPU that is shared with us a waking costs next to nothing: it is seldom idle.
		for (const thread of this.offCpu.isOfUse ? awake : []) {
			this.#wakeCost.add(thread);
		}

		for (const thread of this.#running.walkCaught(threads)) {
			this.#present.wake(thread);
		}
	}

	/**
	Threads were stopped that were seen at work only some time after the others: what takes long is found so more often than
	it is at work.
	*/
	late(threads: readonly JavaThread[]): void {
		for (const thread of threads) {
			this.offCpu.late(thread);
		}
	}

	isCaught(thread: JavaThread): boolean {
		return this.#running.isCaught(thread);
	}

	/** Says of a thread's row whether it was on a CPU, and where what it has used in waking up counts. */
	add(into: Sample, thread: JavaThread, row: number, depth: number): void {
		const isRunnable = into.state[row] === stateCode.RUNNABLE;
		const isCarrier = thread.carrierStart >= 0;
		if (thread.cpuNs > 0 && !isRunnable && !isCarrier && !thread.wasOnCpu && thread.frames.length > 0) {
			const wakingNs = this.#wakeCost.take(thread);
			if (wakingNs > 0) {
				into.addCredit(row, wakingNs, thread.frames.subarray(0, depth));
			}
		}

		into.wasOnCpu[row] = Number(thread.wasOnCpu);
		if (isRunnable || thread.wasOnCpu) {
			const isElsewhere = thread.isOffCpu || (!thread.wasOnCpu && thread.frames.length > 0 && this.offCpu.isOfUse);
			into.awaitedCpuNs[row] = Math.max(isElsewhere ? mostAwaitedNs : 0, this.#wakeCost.openNs(thread));
		}
	}
}
