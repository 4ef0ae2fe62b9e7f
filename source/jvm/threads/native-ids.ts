import {readdirSync} from 'node:fs';
import {readProc} from '../system/proc.js';
import type {Target} from '../target.js';

/** Threads looked at in one search; with more of them, some stay unknown (0) rather than holding us up. */
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
