import {closeSync, openSync, readSync} from 'node:fs';

/** status has some 60 lines, the numbers of switches at its end; schedstat one. */
const statusBytes = 4096;
const endBytes = 512;
const schedstatBytes = 80;

/** Threads whose files are kept open at most. */
const mostThreads = 32;

/** How often two readings are tried between which a thread was not given a CPU. */
const tries = 3;

/**
Where nobody is ever found on a CPU, tool and target share one: there the answers say nothing. The part of the looks
that found somebody is a running mean, of some hundred looks.
*/
const weight = 0.02;
const least = 0.05;

type Files = {readonly status: number; readonly schedstat: number; round: number};

/**
Whether threads that could run do run: a thread is on a CPU when it was given one (third figure of schedstat) once more
often than it was switched away (voluntary_ctxt_switches and nonvoluntary_ctxt_switches of status; proc(5)). A look
costs some 30 microseconds.
*/
export class OnCpu {
	readonly #folder: string;
	readonly #buffer = Buffer.alloc(statusBytes);
	readonly #files = new Map<number, Files>();
	#round = 0;
	#found = 1;

	constructor(pid: number) {
		this.#folder = `/proc/${pid}/task`;
	}

	/** Begins a sample. */
	begin(): void {
		this.#round++;
	}

	/**
	Whether a thread that is ready to run waits for a CPU; false where that cannot be known, or where nobody is ever found
	on one.
	*/
	isWaiting(nativeId: number): boolean {
		const isOn = this.#isOn(nativeId);
		if (isOn === undefined) {
			return false;
		}

		this.#found += weight * ((isOn ? 1 : 0) - this.#found);
		return !isOn && this.#found > least;
	}

	close(): void {
		for (const files of this.#files.values()) {
			closeSync(files.status);
			closeSync(files.schedstat);
		}

		this.#files.clear();
	}

	#isOn(nativeId: number): boolean | undefined {
		try {
			const files = this.#open(nativeId);
			files.round = this.#round;
			for (let count = 0; count < tries; count++) {
				const given = this.#given(files.schedstat);
				const switched = this.#switched(files.status);
				if (given === this.#given(files.schedstat)) {
					return Number.isNaN(given - switched) ? undefined : given - switched === 1;
				}
			}
		} catch {
			this.#close(nativeId);
		}

		return undefined;
	}

	#open(nativeId: number): Files {
		const known = this.#files.get(nativeId);
		if (known) {
			return known;
		}

		if (this.#files.size >= mostThreads) {
			const [oldest] = [...this.#files].sort(([, a], [, b]) => a.round - b.round);
			this.#close(oldest[0]);
		}

		const schedstat = openSync(`${this.#folder}/${nativeId}/schedstat`, 'r');
		let status;
		try {
			status = openSync(`${this.#folder}/${nativeId}/status`, 'r');
		} catch (error) {
			closeSync(schedstat);
			throw error;
		}

		const files = {status, schedstat, round: this.#round};
		this.#files.set(nativeId, files);
		return files;
	}

	#close(nativeId: number): void {
		const files = this.#files.get(nativeId);
		if (files) {
			this.#files.delete(nativeId);
			closeSync(files.status);
			closeSync(files.schedstat);
		}
	}

	#given(file: number): number {
		return Number(this.#buffer.toString('latin1', 0, readSync(file, this.#buffer, 0, schedstatBytes, 0)).split(' ')[2]);
	}

	#switched(file: number): number {
		const length = readSync(file, this.#buffer, 0, statusBytes, 0);
		const text = this.#buffer.toString('latin1', Math.max(0, length - endBytes), length);
		return Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(text)?.[1]) + Number(/^nonvoluntary_ctxt_switches:\s*(\d+)$/m.exec(text)?.[1]);
	}
}
