import {closeSync, openSync, readSync} from 'node:fs';
import {attempt, readProc} from '../system/proc.js';

/** status has some 60 lines, with the context switches near its end; schedstat has one. */
const statusBytes = 4096;
const endBytes = 512;
const schedstatBytes = 80;

const maxOpenThreads = 32;

/** To read the same number of timeslices before and after status. */
const maxAttempts = 3;

/**
If no runnable thread is ever found on a CPU, we share one with the target, and the answers say nothing. The fraction of
checks that found one on a CPU: initial value, weight of a check in its moving average, and minimum for reliable answers.
*/
const firstFraction = 0.1;
const weight = 0.01;
const minFraction = 0.005;

type Files = {readonly schedstat: number; status?: number; timeslices: number; ranNs: number; round: number};

/**
Tells whether runnable threads are on a CPU. A thread is on one if its timeslices (third figure of schedstat) exceed its
switches away (voluntary_ctxt_switches and nonvoluntary_ctxt_switches of status; proc(5)) by one. A thread that was on a
CPU when asked to stop comes to a stop without another timeslice.
*/
export class OnCpu {
	readonly #folder: string;
	readonly #isShared: boolean;
	readonly #buffer = Buffer.alloc(statusBytes);
	readonly #files = new Map<number, Files>();
	#round = 0;
	#onCpuFraction = firstFraction;

	constructor(pid: number) {
		this.#folder = `/proc/${pid}/task`;
		const cpus = allowedCpus(pid);
		this.#isShared = /^\d+$/.test(cpus) && cpus === allowedCpus('self');
	}

	/** Whether answers mean anything: some thread was found on a CPU recently. */
	get isReliable(): boolean {
		return !this.#isShared && this.#onCpuFraction > minFraction;
	}

	begin(): void {
		this.#round++;
	}

	/** Whether a thread has no CPU: it sleeps, or is runnable and waits for one; false if unknown. */
	isOffCpu(nativeId: number): boolean {
		const found = this.#check(nativeId);
		return found === 'asleep' || (found !== undefined && this.#countCheck(found === 'on'));
	}

	/** Records a thread's timeslices, for `waitedSince` or `mayHaveLeft`. */
	mark(nativeId: number): void {
		try {
			const files = this.#open(nativeId);
			[files.ranNs, files.timeslices] = this.#counts(files);
		} catch {
			this.#close(nativeId);
		}
	}

	/** Whether a stopped thread had to wait for a CPU, after `mark`, to come to its stop. Updates `isReliable`. */
	waitedSince(nativeId: number): boolean {
		const since = this.#since(nativeId);
		return since !== undefined && this.#countCheck(!since.hadTimeslice);
	}

	/** Whether a thread that was on a CPU at the last `isOffCpu` or `mark` may have left it since. */
	mayHaveLeft(nativeId: number): boolean {
		const since = this.#since(nativeId);
		return since !== undefined && (since.hadTimeslice || since.hasRun);
	}

	close(): void {
		for (const nativeId of this.#files.keys()) {
			this.#close(nativeId);
		}
	}

	/** Counts a check of a runnable thread; returns whether it is off CPU, false if that is not reliable. */
	#countCheck(isOn: boolean): boolean {
		this.#onCpuFraction += weight * ((isOn ? 1 : 0) - this.#onCpuFraction);
		return !isOn && this.isReliable;
	}

	/** Returns whether a thread is on a CPU, runnable without one, or asleep; undefined if unknown. */
	#check(nativeId: number): 'on' | 'runnable' | 'asleep' | undefined {
		try {
			const files = this.#open(nativeId);
			files.status ??= openSync(`${this.#folder}/${nativeId}/status`, 'r');
			for (let count = 0; count < maxAttempts; count++) {
				const [, timeslices] = this.#counts(files);
				const {isAsleep, switched} = this.#status(files.status);
				[files.ranNs, files.timeslices] = this.#counts(files);
				if (isAsleep) {
					return 'asleep';
				}

				if (Number.isNaN(timeslices - switched)) {
					return undefined;
				}

				if (timeslices === files.timeslices) {
					return timeslices - switched === 1 ? 'on' : 'runnable';
				}
			}

			// It is switched constantly.
			return 'runnable';
		} catch {
			this.#close(nativeId);
			return undefined;
		}
	}

	#open(nativeId: number): Files {
		let files = this.#files.get(nativeId);
		if (!files) {
			if (this.#files.size >= maxOpenThreads) {
				const [oldest] = [...this.#files].sort(([, a], [, b]) => a.round - b.round);
				this.#close(oldest[0]);
			}

			files = {schedstat: openSync(`${this.#folder}/${nativeId}/schedstat`, 'r'), timeslices: 0, ranNs: 0, round: 0};
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

	/** Returns what has changed since the last check or mark; a thread's CPU time is updated when it leaves a CPU. */
	#since(nativeId: number): {readonly hadTimeslice: boolean; readonly hasRun: boolean} | undefined {
		const files = this.#files.get(nativeId);
		const counts = files && attempt(() => this.#counts(files), undefined);
		return counts && {hadTimeslice: counts[1] !== files.timeslices, hasRun: counts[0] !== files.ranNs};
	}

	#counts({schedstat}: Files): readonly [ranNs: number, timeslices: number] {
		const [ranNs, , timeslices] = this.#buffer.toString('latin1', 0, readSync(schedstat, this.#buffer, 0, schedstatBytes, 0)).split(' ');
		return [Number(ranNs), Number(timeslices)];
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

/** Returns the CPUs that a process may use, such as "0-3,8" (proc(5)); empty if unreadable. */
function allowedCpus(pid: number | 'self'): string {
	return /^Cpus_allowed_list:\s*(\S+)$/m.exec(attempt(() => readProc(pid, 'status'), undefined) ?? '')?.[1] ?? '';
}
