import {existsSync} from 'node:fs';
import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {type JavaThread} from './java-thread.js';
import {type JavaThreads} from './java-threads.js';

/** The Java threads that the JVM lists and the kernel knows too, with the CPU time that each used. */
export class PresentThreads {
	readonly #pid: number;
	readonly #threads: JavaThreads;
	readonly #cpu: ThreadCpu;

	constructor(pid: number, threads: JavaThreads, cpu: ThreadCpu) {
		this.#pid = pid;
		this.#threads = threads;
		this.#cpu = cpu;
	}

	/** Those of this moment; without those that have just ended. Throws `Unreadable` when the list cannot be read. */
	list(): JavaThread[] {
		return this.#threads.list().flatMap(listed => {
			let thread = listed;
			this.#look(thread);
			if (!thread.isThere) {
				thread = this.#threads.successorOf(thread);
				this.#look(thread);
			}

			return thread.isThere || thread.nativeId === 0 ? [thread] : [];
		});
	}

	/** CPU time is read in the target's own folder of threads, so it is there only for a thread of the target. */
	#look(thread: JavaThread): void {
		thread.cpuNs = this.#cpu.delta(thread.nativeId);
		const {reading} = this.#cpu;
		thread.isCpuKnown = reading === 'read';
		thread.isThere = reading === 'read' || (reading === 'closed' && thread.nativeId > 0 && existsSync(`/proc/${this.#pid}/task/${thread.nativeId}`));
	}
}
