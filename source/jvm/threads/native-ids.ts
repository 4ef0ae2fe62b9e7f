import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {attempt, readProc} from '../system/proc.js';
import type {Target} from '../target.js';

/** Threads beyond this number stay unknown (0). */
const maxThreads = 20_000;

/** Returns the Linux ids of a process's threads; none if it has ended or /proc is closed. */
export function threadIdsOf(pid: number): number[] {
	return attempt(() => readdirSync(`/proc/${pid}/task`), []).map(Number);
}

/** Returns a thread's name in the kernel, at most 15 bytes, not yet printable; empty if it has ended. */
export function kernelNameOf(pid: number, thread: number): string {
	return attempt(() => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8'), '').replace(/\n$/, '');
}

/**
Translates a target's thread ids to our pid namespace: a JVM in a container prints its own ids, while /proc/PID/task has
ours. NSpid of each thread has both (proc(5), Linux 4.1 and later). In the same namespace it looks up nothing.
*/
export class NativeIds {
	readonly #pid: number;
	readonly #isSameNamespace: boolean;
	#ours = new Map<number, number>();
	#searched = false;

	constructor(target: Pick<Target, 'pid' | 'nsPid'>) {
		this.#pid = target.pid;
		this.#isSameNamespace = target.pid === target.nsPid;
	}

	/** Returns our id of the thread with the id `inner` in the JVM's namespace; 0 if there is none. */
	ours(inner: number): number {
		if (this.#isSameNamespace || inner <= 0) {
			return Math.max(0, inner);
		}

		const known = this.#ours.get(inner);
		if (known !== undefined || this.#searched) {
			return known ?? 0;
		}

		this.#search();
		return this.#ours.get(inner) ?? 0;
	}

	/** Returns the same for a new thread: its id may be reused, so that of an ended thread is looked up again. */
	oursOfNew(inner: number): number {
		const known = this.#ours.get(inner);
		if (known !== undefined && !existsSync(`/proc/${this.#pid}/task/${known}`)) {
			this.forget();
		}

		return this.ours(inner);
	}

	/** Allows another search, which finds threads that are new since the last one. */
	newRound(): void {
		this.#searched = false;
	}

	/** Forgets all ids: they are reused, so an unreadable thread may have been replaced by another. */
	forget(): void {
		this.#ours.clear();
		this.#searched = false;
	}

	#search(): void {
		this.#searched = true;
		const found = new Map<number, number>();
		for (const thread of threadIdsOf(this.#pid).slice(0, maxThreads)) {
			const inner = /^NSpid:.*\s(\d+)$/m.exec(readProc(this.#pid, `task/${thread}/status`) ?? '')?.[1];
			if (inner) {
				found.set(Number(inner), thread);
			}
		}

		this.#ours = found;
	}
}

/**
Returns our id of the first thread with one of these names; 0 if there is none. HotSpot names its threads from JDK 8 on. A
Java thread may have the same name, but usually the JVM's own thread has the lowest id.
*/
export function namedTask(pid: number, names: readonly string[]): number {
	const threads = threadIdsOf(pid).sort((a, b) => a - b).slice(0, maxThreads);
	return threads.find(thread => names.includes(kernelNameOf(pid, thread))) ?? 0;
}
