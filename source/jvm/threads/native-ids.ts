import {existsSync, readdirSync, readFileSync} from 'node:fs';
import {readProc} from '../system/proc.js';
import type {Target} from '../target.js';

/** Threads read in one search; of more, some stay unknown (0). */
const maxThreads = 20_000;

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
		let names: string[];
		try {
			names = readdirSync(`/proc/${this.#pid}/task`);
		} catch {
			return;
		}

		for (const name of names.slice(0, maxThreads)) {
			const inner = /^NSpid:.*\s(\d+)$/m.exec(readProc(this.#pid, `task/${name}/status`) ?? '')?.[1];
			if (inner) {
				found.set(Number(inner), Number(name));
			}
		}

		this.#ours = found;
	}
}

/** Threads read in one search: ids wrap around, so that the JVM's first threads may have the highest. */
const maxTasks = 20_000;

/**
Our own id of the first thread with one of these names, as the kernel has them (/proc/PID/task/TID/comm, cut to 15 bytes
by the kernel; HotSpot gives its threads names since JDK 8); 0 if there is none or /proc is closed. A Java thread may
have the same name: as a rule, the one with the lowest id is the JVM's own.
*/
export function namedTask(pid: number, names: readonly string[]): number {
	try {
		const tasks = readdirSync(`/proc/${pid}/task`).map(Number).sort((a, b) => a - b).slice(0, maxTasks);
		return tasks.find(task => names.includes(commOf(pid, task))) ?? 0;
	} catch {
		return 0;
	}
}

function commOf(pid: number, task: number): string {
	try {
		return readFileSync(`/proc/${pid}/task/${task}/comm`, 'latin1').trimEnd();
	} catch {
		// It has ended meanwhile.
		return '';
	}
}
