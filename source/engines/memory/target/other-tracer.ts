import {readFileSync} from 'node:fs';
import process from 'node:process';
import {printable, safe, type Printable} from '../../../util/printable.js';
import {attempt, readStatus} from '../../../jvm/system/proc.js';

/**
How long no thread is stopped after another tracer was found: a debugger attaches thread by thread, and must find none
traced.
*/
const stopNothingMs = 1000;

/** Another tprof-top holds threads only for microseconds, and need not be avoided. */
const ownName = 'tprof-top';

/** Who traces a thread. `tprof-top`: another one, which soon detaches; `none` also for ourselves. */
type Tracer = 'tprof-top' | 'other' | 'none';

/** Enough to notice when the tracer is gone. */
const maxTracedThreads = 16;

/** Detects other tracers (debuggers, profilers) of a process. While one is attached, no thread may be stopped. */
export class OtherTracer {
	/** The tracer found last, such as "gdb (process 4711)", printable; undefined if none or in another namespace. */
	name?: Printable;
	readonly #pid: number;
	/** Threads that another tracer was found to hold. */
	readonly #tracedThreads = new Set<number>();
	/** Until when it counts as attached without a check (performance.now). */
	#attachedUntilMs = -Infinity;

	constructor(pid: number) {
		this.#pid = pid;
	}

	/** Finds and remembers the tracer of a thread, for example of one that could not be seized. */
	findTracer(tid: number): Tracer {
		const tracer = this.#kindOf(tid);
		if (tracer === 'other' && this.#tracedThreads.size < maxTracedThreads) {
			this.#tracedThreads.add(tid);
		}

		return tracer;
	}

	/**
	Whether another tracer is attached. Checks the first thread each time, because debuggers attach to it first. While
	threads are known to be traced, checks only those threads, once a second. Only reads /proc.
	*/
	isAttached(): boolean {
		if (this.#tracedThreads.size === 0) {
			this.findTracer(this.#pid);
		}

		const nowMs = performance.now();
		if (nowMs < this.#attachedUntilMs) {
			return true;
		}

		for (const tid of this.#tracedThreads) {
			if (this.#kindOf(tid) === 'other') {
				this.#attachedUntilMs = nowMs + stopNothingMs;
				return true;
			}

			this.#tracedThreads.delete(tid);
		}

		return false;
	}

	#kindOf(tid: number): Tracer {
		const pid = tracerOf(this.#pid, tid);
		if (pid === undefined || pid === process.pid) {
			return 'none';
		}

		this.name = nameOf(pid);
		return this.name.startsWith(`${ownName} `) ? 'tprof-top' : 'other';
	}
}

function tracerOf(pid: number, tid: number): number | undefined {
	return attempt(() => {
		const tracer
			= Number(/^TracerPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/task/${tid}/status`, 'latin1'))?.[1]);
		return tracer > 0 ? readStatus(tracer)?.processId ?? tracer : undefined;
	}, undefined);
}

/** Returns name and id of the process that traces a process's first thread; undefined if there is none. */
export function nameOfTracer(pid: number): Printable | undefined {
	const tracer = tracerOf(pid, pid);
	return tracer === undefined ? undefined : nameOf(tracer);
}

function nameOf(pid: number): Printable {
	return attempt(
		() => safe`${printable(readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd())} (process ${pid})`,
		safe`process ${pid}`,
	);
}
