import {OnCpu} from '../../../jvm/threads/on-cpu.js';
import {stateCode} from '../../../model/thread-state.js';
import {type JavaThread} from './java-thread.js';
import {javaThreadState} from './thread-block.js';

/** CPU nanoseconds of a thread that are kept at most until it is seen on a CPU. */
const mostAwaitedNs = 500e6;

/**
Which threads wait for a CPU though they could run: for where running threads are stopped. One that wakes another often
loses its CPU to it there, and would be taken to work there.
*/
export class OffCpu {
	readonly #onCpu: OnCpu;

	constructor(pid: number) {
		this.#onCpu = new OnCpu(pid);
	}

	/** Looks at those of the threads that used CPU time, and do not wait as far as the JVM knows. */
	look(threads: readonly JavaThread[]): void {
		this.#onCpu.begin();
		for (const thread of threads) {
			thread.isOffCpu = thread.cpuNs > 0 && thread.isThere && thread.block.state !== javaThreadState.blocked && this.#onCpu.isWaiting(thread.nativeId);
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
