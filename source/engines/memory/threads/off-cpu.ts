import {OnCpu} from '../../../jvm/threads/on-cpu.js';
import {type StopWatch} from '../stacks/running-stacks.js';
import {type JavaThread} from './java-thread.js';
import {javaThreadState} from './thread-block.js';

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

	/** Whether it can be told who is on a CPU. */
	get isOfUse(): boolean {
		return this.#onCpu.isOfUse;
	}

	/** Begins a sample. */
	begin(): void {
		this.#onCpu.begin();
		for (const thread of this.#looked) {
			thread.isOffCpu = false;
			thread.wasOnCpu = false;
		}

		this.#looked.clear();
	}

	/** Walks a thread that does not execute Java code, and says whether it could; looks before and after. */
	around(thread: JavaThread, walk: () => boolean): boolean {
		if (thread.cpuNs === 0 || !thread.isThere) {
			return walk();
		}

		const wasBlocked = thread.block.state === javaThreadState.blocked;
		thread.isOffCpu = !wasBlocked && this.#onCpu.isWaiting(thread.nativeId);
		const isWalked = walk();
		const isBlocked = thread.block.state === javaThreadState.blocked;
		if (wasBlocked && isBlocked && thread.end !== 'broken') {
			return isWalked;
		}

		this.#looked.add(thread);
		// One that has woken up just now, or went on and on: where it was first after that says little.
		thread.isOffCpu ||= this.#onCpu.isOfUse && (wasBlocked || thread.end === 'broken' || this.#onCpu.wasGivenSince(thread.nativeId));
		thread.wasOnCpu = isWalked && !thread.isOffCpu && !isBlocked;
		return isWalked;
	}

	asked(thread: JavaThread): void {
		this.#looked.add(thread);
		this.#onCpu.mark(thread.nativeId);
	}

	/**
	One that was on a CPU when it was asked to stop did so without being given one. In Java code it may have lost it
	anywhere, by the clock: that is as good a sample as any.
	*/
	held(thread: JavaThread): void {
		const hasWaited = this.#onCpu.waitedSince(thread.nativeId);
		thread.isOffCpu = hasWaited && !thread.isInJava;
		thread.wasOnCpu = !thread.isOffCpu;
	}

	/** One that was seen at work too late to say where it used CPU time. */
	late(thread: JavaThread): void {
		this.#looked.add(thread);
		thread.isOffCpu = true;
		thread.wasOnCpu = false;
	}

	close(): void {
		this.#onCpu.close();
	}
}
