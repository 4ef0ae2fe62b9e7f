import {existsSync} from 'node:fs';
import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';
import {type CpuTurns} from './cpu-turns.js';
import {type JavaThread} from './java-thread.js';
import {type JavaThreads} from './java-threads.js';

/** The Java threads that the JVM lists and the kernel knows too, with the CPU time that each used. */
export class PresentThreads {
	/** Those of them that have something to be done for; the others are as they were. */
	readonly awake: JavaThread[] = [];
	readonly #pid: number;
	readonly #threads: JavaThreads;
	readonly #cpu: ThreadCpu;
	readonly #turns: CpuTurns;
	readonly #present: JavaThread[] = [];

	constructor(pid: number, threads: JavaThreads, cpu: ThreadCpu, turns: CpuTurns) {
		this.#pid = pid;
		this.#threads = threads;
		this.#cpu = cpu;
		this.#turns = turns;
	}

	/**
	Those of this moment, without those that have just ended, in an array that the next call uses again. CPU time is
	read of those that moved or have an event, and of those whose turn it is, or of all. Throws `Unreadable` when the
	list cannot be read.
	*/
	list(isEveryonesTurn: boolean): readonly JavaThread[] {
		const present = this.#present;
		present.length = 0;
		this.awake.length = 0;
		const listed = this.#threads.list();
		this.#turns.begin(isEveryonesTurn);
		for (const found of listed) {
			const isAsked = found.hasEvent || this.#turns.isDue(found);
			if (found.isSettled && !isAsked) {
				present.push(found);
				continue;
			}

			let thread = found;
			if (isAsked || found.hasMoved || !found.isThere) {
				thread = this.#look(found);
			} else {
				thread.cpuNs = 0;
			}

			if (thread.isThere || thread.nativeId === 0) {
				present.push(thread);
				if (!thread.isSettled || thread.cpuNs > 0) {
					thread.isSettled = false;
					this.awake.push(thread);
				}
			}
		}

		return present;
	}

	/** Reads a thread's CPU time; it, or who has its place if the kernel does not know it any more. */
	#look(thread: JavaThread): JavaThread {
		this.#ask(thread);
		if (thread.isThere) {
			return thread;
		}

		const successor = this.#threads.successorOf(thread);
		this.#ask(successor);
		return successor;
	}

	/** CPU time is read in the target's own folder of threads, so it is there only for a thread of the target. */
	#ask(thread: JavaThread): void {
		this.#turns.read(thread);
		const {reading} = this.#cpu;
		thread.isThere = reading === 'read' || (reading === 'closed' && thread.nativeId > 0 && existsSync(`/proc/${this.#pid}/task/${thread.nativeId}`));
	}
}
