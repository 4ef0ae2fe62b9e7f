import {closeSync, openSync, readFileSync, readSync} from 'node:fs';

/** status has some 60 lines, the numbers of switches near its end; schedstat one. */
const statusBytes = 4096;
const endBytes = 512;
const schedstatBytes = 80;

/** Threads whose files are kept open at most. */
const mostThreads = 32;

/** How often two readings are tried between which a thread was not given a CPU. */
const tries = 3;

/**
Where nobody is ever found on a CPU, tool and target share one: there the answers say nothing. The part of the looks
that found somebody, a running mean of some hundred looks, and from which on they are believed.
*/
const firstPart = 0.1;
const weight = 0.01;
const leastPart = 0.005;

type Files = {readonly schedstat: number; status?: number; given: number; round: number};

/**
Whether threads that could run do run: a thread is on a CPU when it was given one (third figure of schedstat) once more
often than it was switched away (voluntary_ctxt_switches and nonvoluntary_ctxt_switches of status; proc(5)); and one
that was on a CPU when it was asked to stop stands still without having been given one. A look at status costs some 30
microseconds, at schedstat alone 5.
*/
export class OnCpu {
	readonly #folder: string;
	readonly #isShared: boolean;
	readonly #buffer = Buffer.alloc(statusBytes);
	readonly #files = new Map<number, Files>();
	#round = 0;
	#found = firstPart;

	constructor(pid: number) {
		this.#folder = `/proc/${pid}/task`;
		const cpus = allowedCpus(pid);
		this.#isShared = /^\d+$/.test(cpus) && cpus === allowedCpus('self');
	}

	/** Whether answers can say anything: somebody was found on a CPU lately. */
	get isOfUse(): boolean {
		return !this.#isShared && this.#found > leastPart;
	}

	/** Begins a sample. */
	begin(): void {
		this.#round++;
	}

	/** Whether a thread that is ready to run waits for a CPU; false where that cannot be known. */
	isWaiting(nativeId: number): boolean {
		return this.#isShared ? false : this.#count(this.#isOn(nativeId));
	}

	/** Remembers how often a thread was given a CPU, until `waitedSince` or `wasGivenSince`. */
	mark(nativeId: number): void {
		try {
			const files = this.#open(nativeId);
			files.given = this.#given(files);
		} catch {
			this.#close(nativeId);
		}
	}

	/** Of a thread that stands still now: whether it had to wait for a CPU since then to come to a stop. */
	waitedSince(nativeId: number): boolean {
		return this.#isShared ? false : this.#count(this.#files.has(nativeId) ? !this.wasGivenSince(nativeId) : undefined);
	}

	/** Whether a thread was given a CPU since then: it was without one in between. */
	wasGivenSince(nativeId: number): boolean {
		const files = this.#files.get(nativeId);
		try {
			return files !== undefined && this.#given(files) !== files.given;
		} catch {
			return false;
		}
	}

	close(): void {
		for (const nativeId of this.#files.keys()) {
			this.#close(nativeId);
		}
	}

	#count(isOn: boolean | undefined): boolean {
		if (isOn === undefined) {
			return false;
		}

		this.#found += weight * ((isOn ? 1 : 0) - this.#found);
		return !isOn && this.isOfUse;
	}

	#isOn(nativeId: number): boolean | undefined {
		try {
			const files = this.#open(nativeId);
			files.status ??= openSync(`${this.#folder}/${nativeId}/status`, 'r');
			for (let count = 0; count < tries; count++) {
				const given = this.#given(files);
				const switched = this.#switched(files.status);
				files.given = this.#given(files);
				if (given === files.given) {
					return Number.isNaN(given - switched) ? undefined : given - switched === 1;
				}
			}

			// It is switched all the time.
			return false;
		} catch {
			this.#close(nativeId);
			return undefined;
		}
	}

	#open(nativeId: number): Files {
		let files = this.#files.get(nativeId);
		if (!files) {
			if (this.#files.size >= mostThreads) {
				const [oldest] = [...this.#files].sort(([, a], [, b]) => a.round - b.round);
				this.#close(oldest[0]);
			}

			files = {schedstat: openSync(`${this.#folder}/${nativeId}/schedstat`, 'r'), given: 0, round: 0};
			this.#files.set(nativeId, files);
		}

		files.round = this.#round;
		return files;
	}

	#close(nativeId: number): void {
		const files = this.#files.get(nativeId);
		if (files) {
			this.#files.delete(nativeId);
			closeSync(files.schedstat);
			if (files.status !== undefined) {
				closeSync(files.status);
			}
		}
	}

	#given({schedstat}: Files): number {
		return Number(this.#buffer.toString('latin1', 0, readSync(schedstat, this.#buffer, 0, schedstatBytes, 0)).split(' ')[2]);
	}

	#switched(status: number): number {
		const length = readSync(status, this.#buffer, 0, statusBytes, 0);
		const text = this.#buffer.toString('latin1', Math.max(0, length - endBytes), length);
		return Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(text)?.[1]) + Number(/^nonvoluntary_ctxt_switches:\s*(\d+)$/m.exec(text)?.[1]);
	}
}

/** "0-3,8" (proc(5)); empty where it cannot be read. */
function allowedCpus(pid: number | 'self'): string {
	try {
		return /^Cpus_allowed_list:\s*(\S+)$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1] ?? '';
	} catch {
		return '';
	}
}
