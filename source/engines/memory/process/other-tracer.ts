import {readFileSync} from 'node:fs';
import process from 'node:process';
import {printable} from '../../../model/text.js';
import {readStatus} from '../../../jvm/system/proc.js';

/**
How long nobody is stopped once another tracer was seen, milliseconds: a debugger that attaches takes its threads one by
one, and would meet ours as traced already.
*/
const awayMs = 1000;

/** Another of us: it has a thread for some microseconds only, and there is no need to keep away. */
const ownName = 'tprof-top';

/** Threads remembered at most. */
const mostThreads = 16;

/**
Sees other tracers (a debugger, another profiler) at the threads of a process, and says when to keep away from all of
them. A thread has one tracer at a time (ptrace(2)).
*/
export class OtherTracer {
	/**
	The last one seen, such as "gdb (process 4711)", as a printable text; undefined where there was none, or where it is
	out of our sight (another pid namespace).
	*/
	name?: string;
	readonly #pid: number;
	/** Threads at which it was seen. */
	readonly #tids = new Set<number>();
	#awayUntilMs = -Infinity;

	constructor(pid: number) {
		this.#pid = pid;
	}

	/**
	A thread was refused to us, or may be: whether another tracer has it. True where it is one of us, and will let go of
	it soon.
	*/
	refused(tid: number): boolean {
		const found = this.#look(tid);
		if (found === 'stays' && this.#tids.size < mostThreads) {
			this.#tids.add(tid);
		}

		return found === 'passes';
	}

	/**
	Whether it is there, so that nobody is to be stopped now. Debuggers take the first thread first, and it is looked at
	each time: a thread of ours would be in their way some milliseconds later. What was seen once is looked at again
	each second. Touches no thread.
	*/
	isThere(): boolean {
		if (this.#tids.size === 0) {
			this.refused(this.#pid);
		}

		const nowMs = performance.now();
		if (nowMs < this.#awayUntilMs) {
			return true;
		}

		for (const tid of this.#tids) {
			if (this.#look(tid) === 'stays') {
				this.#awayUntilMs = nowMs + awayMs;
				return true;
			}

			this.#tids.delete(tid);
		}

		return false;
	}

	/** The thread's other tracer, whose name is then known: one that may stay, one of us, or none. */
	#look(tid: number): 'stays' | 'passes' | 'none' {
		try {
			const tracer = Number(/^TracerPid:\t(\d+)$/m.exec(readFileSync(`/proc/${this.#pid}/task/${tid}/status`, 'latin1'))?.[1]);
			const pid = tracer > 0 ? processOf(tracer) : process.pid;
			if (pid === process.pid) {
				return 'none';
			}

			this.name = nameOf(pid);
			return this.name.startsWith(`${ownName} `) ? 'passes' : 'stays';
		} catch {
			// It has ended.
			return 'none';
		}
	}
}

/** A tracer's process by the id of the thread that traces, which is what the kernel gives. */
export function processOf(tracer: number): number {
	return readStatus(tracer)?.processId ?? tracer;
}

export function nameOf(pid: number): string {
	try {
		return `${printable(readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd())} (process ${pid})`;
	} catch {
		return `process ${pid}`;
	}
}
