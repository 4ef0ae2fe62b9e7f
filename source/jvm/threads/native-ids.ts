import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {attempt, readProc} from '../system/proc.js';
import type {Target} from '../target.js';

/** Threads beyond this number stay unknown (0). */
const maxThreads = 20_000;

/** Returns the Linux ids of a process's threads; none if it has ended or /proc hides it. */
export function threadIdsOf(pid: number): number[] {
	return attempt(() => readdirSync(`/proc/${pid}/task`), []).map(Number);
}

/** Returns a thread's name in the kernel, at most 15 bytes, not yet printable; empty if it has ended. */
export function kernelNameOf(pid: number, thread: number): string {
	return attempt(() => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8'), '').replace(/\n$/, '');
}

/**
Translates a target's thread ids to our pid namespace: a JVM in a container has ids of its own, while /proc/PID/task has
ours. NSpid of each thread has both (proc(5), Linux 4.1 and later). If the namespace is the same, nothing is looked up.
*/
export class NativeIds {
	readonly #pid: number;
	readonly #isSameNamespace: boolean;
	/** By id in the JVM's namespace. */
	readonly #ours = new Map<number, number>();
	#hasSearched = false;

	constructor(target: Pick<Target, 'pid' | 'nsPid'>) {
		this.#pid = target.pid;
		this.#isSameNamespace = target.pid === target.nsPid;
	}

	/** Returns our id of the thread with the id `inner` in the JVM's namespace; 0 if there is none. */
	ours(inner: number): number {
		if (this.#isSameNamespace || inner <= 0) {
			return Math.max(0, inner);
		}

		if (!this.#ours.has(inner) && !this.#hasSearched) {
			this.#search();
		}

		return this.#ours.get(inner) ?? 0;
	}

	/** Returns `ours` of a new thread. If its id was that of an ended thread, it is looked up again. */
	oursOfNew(inner: number): number {
		const ours = this.#ours.get(inner);
		if (ours !== undefined && !existsSync(`/proc/${this.#pid}/task/${ours}`)) {
			this.forget();
		}

		return this.ours(inner);
	}

	/** Allows another search, which finds threads that are new since the last one. */
	newRound(): void {
		this.#hasSearched = false;
	}

	/** Forgets all ids. For use when a thread cannot be read: its id may have been reused. */
	forget(): void {
		this.#ours.clear();
		this.#hasSearched = false;
	}

	#search(): void {
		this.#hasSearched = true;
		this.#ours.clear();
		for (const thread of threadIdsOf(this.#pid).slice(0, maxThreads)) {
			const inner = /^NSpid:.*\s(\d+)$/m.exec(readProc(this.#pid, `task/${thread}/status`) ?? '')?.[1];
			if (inner) {
				this.#ours.set(Number(inner), thread);
			}
		}
	}
}

/**
Returns our id of the first thread with one of these kernel names; 0 if there is none. A Java thread may have the same
name as the JVM's own thread, which usually has the lower id.
*/
export function namedTask(pid: number, names: readonly string[]): number {
	const threads = threadIdsOf(pid).sort((a, b) => a - b).slice(0, maxThreads);
	return threads.find(thread => names.includes(kernelNameOf(pid, thread))) ?? 0;
}
