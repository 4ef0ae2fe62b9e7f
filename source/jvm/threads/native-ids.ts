import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {readProc} from '../system/proc.js';
import type {Target} from '../target.js';

/** Threads looked at in one search; of more, some stay unknown (0). */
const maxThreads = 20_000;

/** Linux ids of a process's threads; none if it has ended or /proc is closed. */
export function threadIdsOf(pid: number): number[] {
	try {
		return readdirSync(`/proc/${pid}/task`).map(Number);
	} catch {
		return [];
	}
}

/** A thread's name in the kernel, 15 bytes at most, not yet printable; empty if it has ended. */
export function kernelNameOf(pid: number, thread: number): string {
	try {
		return readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8').replace(/\n$/, '');
	} catch {
		return '';
	}
}

/**
Linux ids of a target's threads on our side of a pid namespace: a JVM in a container prints the ids that it sees itself,
while /proc/PID/task has ours. NSpid of each thread gives both (proc(5), Linux 4.1 and later). Outside a container
nothing is looked up.
*/
export class NativeIds {
	readonly #pid: number;
	readonly #same: boolean;
	#ours = new Map<number, number>();
	#searched = false;

	constructor(target: Pick<Target, 'pid' | 'nsPid'>) {
		this.#pid = target.pid;
		this.#same = target.pid === target.nsPid;
	}

	/** Our id of the thread that the JVM knows by `inner`; 0 if it is not there (any more). */
	ours(inner: number): number {
		if (this.#same || inner <= 0) {
			return Math.max(0, inner);
		}

		const known = this.#ours.get(inner);
		if (known !== undefined || this.#searched) {
			return known ?? 0;
		}

		this.#search();
		return this.#ours.get(inner) ?? 0;
	}

	/** The same of a thread that was not known: an id that a thread had which is gone is looked up again. */
	oursOfNew(inner: number): number {
		const known = this.#ours.get(inner);
		if (known !== undefined && !existsSync(`/proc/${this.#pid}/task/${known}`)) {
			this.forget();
		}

		return this.ours(inner);
	}

	/** Allows one more search: threads that are new since the last one will be found. */
	newRound(): void {
		this.#searched = false;
	}

	/** Forgets what is known: ids are reused, so a thread that can no longer be read may be a different one by now. */
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
Our own id of the first thread with one of these names (HotSpot gives its threads names since JDK 8); 0 if there is none.
A Java thread may have the same name: as a rule, the one with the lowest id is the JVM's own.
*/
export function namedTask(pid: number, names: readonly string[]): number {
	const threads = threadIdsOf(pid).sort((a, b) => a - b).slice(0, maxThreads);
	return threads.find(thread => names.includes(kernelNameOf(pid, thread))) ?? 0;
}
