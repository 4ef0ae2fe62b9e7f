import {OnCpu} from '../../../jvm/threads/on-cpu.js';
import {stateCode} from '../../../model/thread-state.js';
import {type StopWatch} from '../stacks/running-stacks.js';
import {type JavaThread} from './java-thread.js';
import {javaThreadState} from './thread-block.js';

/** CPU nanoseconds of a thread that are kept at most until it is seen on a CPU. */
const mostAwaitedNs = 300e6;

/**
Which threads wait for a CPU though they could run, for where running threads are stopped: one that wakes another often
loses its CPU to it there, and would be taken to work there.
*/
export class OffCpu implements StopWatch {
	readonly #onCpu: OnCpu;
	/** Those that were looked at in this sample. */
	readonly #looked = new Set<JavaThread>();

	constructor(pid: number) {
		this.#onCpu = new OnCpu(pid);
	}

	/** Begins a sample. */
	begin(): void {
		this.#onCpu.begin();
		for (const thread of this.#looked) {
			thread.isOffCpu = false;
		}

		this.#looked.clear();
	}

	/** Walks a thread that does not execute Java code, and says whether it could; looks before and after. */
	around(thread: JavaThread, walk: () => boolean): boolean {
		if (thread.cpuNs === 0 || !thread.isThere) {
			return walk();
		}

		if (thread.block.state === javaThreadState.blocked) {
			const isWalked = walk();
			// One that has woken up just now: where it is first after that says little.
			if (isWalked && thread.block.state !== javaThreadState.blocked) {
				this.#looked.add(thread);
				thread.isOffCpu = this.#onCpu.isOfUse;
			}

			return isWalked;
		}

		this.#looked.add(thread);
		thread.isOffCpu = this.#onCpu.isWaiting(thread.nativeId);
		const isWalked = walk();
		thread.isOffCpu ||= this.#onCpu.isOfUse && this.#onCpu.wasGivenSince(thread.nativeId);
		return isWalked;
	}

	asked(thread: JavaThread): void {
		if (thread.cpuNs > 0) {
			this.#looked.add(thread);
			this.#onCpu.mark(thread.nativeId);
		}
	}

	/**
	One that was on a CPU when it was asked to stop did so without being given one. In Java code it may have lost it
	anywhere, by the clock: that is as good a sample as any.
	*/
	held(thread: JavaThread): void {
		if (this.#looked.has(thread)) {
			const hasWaited = this.#onCpu.waitedSince(thread.nativeId);
			thread.isOffCpu = hasWaited && !thread.isInJava;
		}
	}

	close(): void {
		this.#onCpu.close();
	}
}

/** CPU nanoseconds of a thread in this state that do not count where it stands. */
export function awaitedOffCpuNs({isOffCpu}: JavaThread, state: number): number {
	return isOffCpu && state === stateCode.RUNNABLE ? mostAwaitedNs : 0;
}
