import {OnCpu} from '../../../jvm/threads/on-cpu.js';
import {type StopWatch} from '../stacks/running-stacks.js';
import {type JavaThread} from './java-thread.js';
import {javaThreadState} from './thread-block.js';

/**
Detects threads that are runnable without a CPU, for use when running threads are stopped: a thread often loses its CPU
where it wakes another, and would appear to work there.
*/
export class OffCpu implements StopWatch {
	readonly #onCpu: OnCpu;
	/** Threads checked in this sample. */
	readonly #checked = new Set<JavaThread>();

	constructor(pid: number) {
		this.#onCpu = new OnCpu(pid);
	}

	/** Whether the kernel can tell who is on a CPU. */
	get isOfUse(): boolean {
		return this.#onCpu.isOfUse;
	}

	begin(): void {
		this.#onCpu.begin();
		for (const thread of this.#checked) {
			thread.isOffCpu = false;
			thread.wasOnCpu = false;
		}

		this.#checked.clear();
	}

	/** Walks a thread that is not in Java code, and sets whether it was on a CPU, checked before and after. */
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

		this.#checked.add(thread);
		// It has just woken up, or kept running: its first frame afterwards is not a random one.
		thread.isOffCpu ||= this.#onCpu.isOfUse && (wasBlocked || thread.end === 'broken' || this.#onCpu.wasGivenSince(thread.nativeId));
		thread.wasOnCpu = isWalked && !thread.isOffCpu && !isBlocked;
		return isWalked;
	}

	asked(thread: JavaThread): void {
		this.#checked.add(thread);
		this.#onCpu.mark(thread.nativeId);
	}

	/**
	A thread on a CPU when asked to stop did not lose it for our sake. In Java code it may have lost it anywhere, so it
	is still a fair sample.
	*/
	held(thread: JavaThread): void {
		const hasWaited = this.#onCpu.waitedSince(thread.nativeId);
		thread.isOffCpu = hasWaited && !thread.isInJava;
		thread.wasOnCpu = !thread.isOffCpu;
	}

	/** Marks a thread as stopped too late to say where it used CPU time. */
	late(thread: JavaThread): void {
		this.#checked.add(thread);
		thread.isOffCpu = true;
		thread.wasOnCpu = false;
	}

	close(): void {
		this.#onCpu.close();
	}
}
