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
at threads that can run that found them on one, a running mean of some hundred, and from which on they are believed.
*/
const firstPart = 0.1;
const weight = 0.01;
const leastPart = 0.005;

type Files = {readonly schedstat: number; status?: number; given: number; ranNs: number; round: number};

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

	/** Whether a thread has no CPU: it sleeps, or is ready to run and waits for one; false where that cannot be known. */
	isOff(nativeId: number): boolean {
		const found = this.#look(nativeId);
		return found === 'asleep' || (found !== undefined && this.#count(found === 'on'));
	}

	/** Remembers how often a thread was given a CPU, until `waitedSince` or `mayHaveLeft`. */
	mark(nativeId: number): void {
		try {
			const files = this.#open(nativeId);
			[files.ranNs, files.given] = this.#counts(files);
		} catch {
			this.#close(nativeId);
		}
	}

	/** Of a thread that stands still now: whether it had to wait for a CPU since then to come to a stop. */
	waitedSince(nativeId: number): boolean {
		const since = this.#since(nativeId);
		return since !== undefined && this.#count(!since.wasGiven);
	}

	/** Whether a thread that was on a CPU at the last look or mark may have left it since. */
	mayHaveLeft(nativeId: number): boolean {
		const since = this.#since(nativeId);
		return since !== undefined && (since.wasGiven || since.hasRun);
	}

	close(): void {
		for (const nativeId of this.#files.keys()) {
			this.#close(nativeId);
		}
	}

	#count(isOn: boolean): boolean {
		this.#found += weight * ((isOn ? 1 : 0) - this.#found);
		return !isOn && this.isOfUse;
	}

	#look(nativeId: number): 'on' | 'ready' | 'asleep' | undefined {
		try {
			const files = this.#open(nativeId);
			files.status ??= openSync(`${this.#folder}/${nativeId}/status`, 'r');
			for (let count = 0; count < tries; count++) {
				const [, given] = this.#counts(files);
				const {isAsleep, switched} = this.#status(files.status);
				[files.ranNs, files.given] = this.#counts(files);
				if (isAsleep) {
					return 'asleep';
				}

				if (Number.isNaN(given - switched)) {
					return undefined;
				}

				if (given === files.given) {
					return given - switched === 1 ? 'on' : 'ready';
				}
			}

			// It is switched all the time.
			return 'ready';
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

			files = {schedstat: openSync(`${this.#folder}/${nativeId}/schedstat`, 'r'), given: 0, ranNs: 0, round: 0};
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

	/** What has changed since the last look or mark: a thread's CPU time is brought up to date when it leaves a CPU. */
	#since(nativeId: number): {readonly wasGiven: boolean; readonly hasRun: boolean} | undefined {
		const files = this.#files.get(nativeId);
		try {
			const [ranNs, given] = files ? this.#counts(files) : [];
			return files && {wasGiven: given !== files.given, hasRun: ranNs !== files.ranNs};
		} catch {
			return undefined;
		}
	}

	/** CPU nanoseconds, and how often it was given a CPU. */
	#counts({schedstat}: Files): readonly [ranNs: number, given: number] {
		const [ranNs, , given] = this.#buffer.toString('latin1', 0, readSync(schedstat, this.#buffer, 0, schedstatBytes, 0)).split(' ');
		return [Number(ranNs), Number(given)];
	}

	#status(file: number): {readonly isAsleep: boolean; readonly switched: number} {
		const text = this.#buffer.toString('latin1', 0, readSync(file, this.#buffer, 0, statusBytes, 0));
		const end = text.slice(-endBytes);
		return {
			isAsleep: !/^State:\tR/m.test(text),
			switched: Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(end)?.[1]) + Number(/^nonvoluntary_ctxt_switches:\s*(\d+)$/m.exec(end)?.[1]),
		};
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
