import {readFileSync} from 'node:fs';
import process from 'node:process';
import {printable} from '../../../model/text.js';
import {readStatus} from '../../../jvm/system/proc.js';

/**
How long no thread is stopped after another tracer was seen, milliseconds: a debugger attaches thread by thread, and
would find ours already traced.
*/
const avoidMs = 1000;

/** Another tprof-top holds threads for microseconds only, and need not be avoided. */
const ownName = 'tprof-top';

/** Maximum number of traced threads remembered. */
const maxThreads = 16;

/**
Detects other tracers (debuggers, profilers) of a process's threads, and says when to stop none of them. A thread has at
most one tracer (ptrace(2)).
*/
export class OtherTracer {
	/**
	The last one seen, such as "gdb (process 4711)", printable; undefined if none, or if it is in another pid namespace.
	*/
	name?: string;
	readonly #pid: number;
	/** Threads with another tracer. */
	readonly #tids = new Set<number>();
	#avoidUntilMs = -Infinity;

	constructor(pid: number) {
		this.#pid = pid;
	}

	/**
	Checks a thread that could not be seized, or may not be. True if its tracer is another tprof-top, which will soon
	detach.
	*/
	refused(tid: number): boolean {
		const found = this.#find(tid);
		if (found === 'stays' && this.#tids.size < maxThreads) {
			this.#tids.add(tid);
		}

		return found === 'passes';
	}

	/**
	Whether another tracer is attached, so that no thread may be stopped. Checks the first thread each time, because
	debuggers attach to it first, and known traced threads every second. Does not touch any thread.
	*/
	isThere(): boolean {
		if (this.#tids.size === 0) {
			this.refused(this.#pid);
		}

		const nowMs = performance.now();
		if (nowMs < this.#avoidUntilMs) {
			return true;
		}

		for (const tid of this.#tids) {
			if (this.#find(tid) === 'stays') {
				this.#avoidUntilMs = nowMs + avoidMs;
				return true;
			}

			this.#tids.delete(tid);
		}

		return false;
	}

	/** The kind of another tracer on a thread, and sets `name`: one that may stay, another tprof-top, or none. */
	#find(tid: number): 'stays' | 'passes' | 'none' {
		const pid = tracerOf(this.#pid, tid);
		if (pid === undefined || pid === process.pid) {
			return 'none';
		}

		this.name = nameOf(pid);
		return this.name.startsWith(`${ownName} `) ? 'passes' : 'stays';
	}
}

/** The process that traces a thread; undefined if there is none, or the thread has ended. */
function tracerOf(pid: number, tid: number): number | undefined {
	try {
		const tracer = Number(/^TracerPid:\t(\d+)$/m.exec(readFileSync(`/proc/${pid}/task/${tid}/status`, 'latin1'))?.[1]);
		return tracer > 0 ? readStatus(tracer)?.processId ?? tracer : undefined;
	} catch {
		return undefined;
	}
}

/** Name and id of the process that traces a process's first thread; undefined if there is none. */
export function nameOfTracer(pid: number): string | undefined {
	const tracer = tracerOf(pid, pid);
	return tracer === undefined ? undefined : nameOf(tracer);
}

function nameOf(pid: number): string {
	try {
		return `${printable(readFileSync(`/proc/${pid}/comm`, 'utf8').trimEnd())} (process ${pid})`;
	} catch {
		return `process ${pid}`;
	}
}
