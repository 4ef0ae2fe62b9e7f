import {closeSync, openSync, readSync} from 'node:fs';
import {getOrCreate} from '../../util/get-or-create.js';
import {attempt, readProc} from '../system/proc.js';
import type {ThreadCpu} from './thread-cpu.js';

/** A status file has some 60 lines, with the context switches near its end. */
const statusBytes = 4096;
const endBytes = 512;

/** When this many files are open, all are closed. */
const maxOpenFiles = 32;

/** A check is valid if the number of timeslices was the same before and after status was read. */
const maxAttempts = 3;

/**
If no runnable thread is ever found on a CPU, we run on the same CPU as the target, and the answers mean nothing. So we
keep the fraction of checks that found one on a CPU: its initial value, the weight of a check in the moving average, and
the least for answers that mean something.
*/
const initialFraction = 0.1;
const weight = 0.01;
const minFraction = 0.005;

type Counts = {readonly ranNs: number; readonly timeslices: number};

/**
Tells whether runnable threads are on a CPU. A thread is on one if its timeslices (third figure of schedstat) exceed its
switches away (voluntary_ctxt_switches and nonvoluntary_ctxt_switches of status; proc(5)) by one. A thread that was on a
CPU when asked to stop comes to a stop without another timeslice.
*/
export class OnCpu {
	readonly #folder: string;
	readonly #cpu: ThreadCpu;
	/** Whether the target and we may use only one CPU, the same. */
	readonly #isShared: boolean;
	readonly #buffer = Buffer.alloc(statusBytes);
	readonly #statusFiles = new Map<number, number>();
	/** Each thread's figures when it was last checked or marked in this sample; undefined if unreadable. */
	readonly #marks = new Map<number, Counts | undefined>();
	#onCpuFraction = initialFraction;

	constructor(pid: number, cpu: ThreadCpu) {
		this.#folder = `/proc/${pid}/task`;
		this.#cpu = cpu;
		const cpus = allowedCpus(pid);
		this.#isShared = /^\d+$/.test(cpus) && cpus === allowedCpus('self');
	}

	/** Whether answers mean anything: some thread was found on a CPU recently. */
	get isReliable(): boolean {
		return !this.#isShared && this.#onCpuFraction > minFraction;
	}

	/** Begins a sample. */
	begin(): void {
		this.#marks.clear();
	}

	/** Whether a thread has no CPU: it sleeps, or is runnable and waits for one; false if unknown. */
	isOffCpu(nativeId: number): boolean {
		const state = this.#check(nativeId);
		return state === 'asleep' || (state !== undefined && this.#countCheck(state === 'on'));
	}

	/** Notes a thread's timeslices, for `waitedSince` or `mayHaveLeft`. */
	mark(nativeId: number): void {
		this.#marks.set(nativeId, this.#counts(nativeId));
	}

	/** Whether a stopped thread had to wait for a CPU, after `mark`, to come to its stop. Updates `isReliable`. */
	waitedSince(nativeId: number): boolean {
		const change = this.#changeSince(nativeId);
		return change !== undefined && this.#countCheck(!change.hadTimeslice);
	}

	/** Whether a thread that was on a CPU at the last `isOffCpu` or `mark` may have left it since. */
	mayHaveLeft(nativeId: number): boolean {
		const change = this.#changeSince(nativeId);
		return change !== undefined && (change.hadTimeslice || change.hasRun);
	}

	close(): void {
		for (const file of this.#statusFiles.values()) {
			closeSync(file);
		}

		this.#statusFiles.clear();
	}

	/** Counts a check of a runnable thread; returns whether it is off CPU, false if that is not reliable. */
	#countCheck(isOn: boolean): boolean {
		this.#onCpuFraction += weight * ((isOn ? 1 : 0) - this.#onCpuFraction);
		return !isOn && this.isReliable;
	}

	/** Returns whether a thread is on a CPU, runnable without one, or asleep; undefined if unknown. */
	#check(nativeId: number): 'on' | 'runnable' | 'asleep' | undefined {
		for (let count = 0; count < maxAttempts; count++) {
			const before = this.#counts(nativeId);
			const status = this.#status(nativeId);
			const after = this.#counts(nativeId);
			this.#marks.set(nativeId, after);
			if (status?.isAsleep) {
				return 'asleep';
			}

			if (!before || !status || !after || Number.isNaN(status.switchesAway)) {
				return undefined;
			}

			if (before.timeslices === after.timeslices) {
				return after.timeslices - status.switchesAway === 1 ? 'on' : 'runnable';
			}
		}

		// It gets and loses its CPU all the time.
		return 'runnable';
	}

	/** Returns what has changed since the last check or mark; a thread's CPU time is updated when it leaves a CPU. */
	#changeSince(nativeId: number): {readonly hadTimeslice: boolean; readonly hasRun: boolean} | undefined {
		const [then, now] = [this.#marks.get(nativeId), this.#counts(nativeId)];
		return then && now && {hadTimeslice: now.timeslices !== then.timeslices, hasRun: now.ranNs !== then.ranNs};
	}

	#counts(nativeId: number): Counts | undefined {
		return this.#cpu.read(nativeId) ? {ranNs: this.#cpu.cpuNs, timeslices: this.#cpu.timeslices} : undefined;
	}

	#status(nativeId: number): {readonly isAsleep: boolean; readonly switchesAway: number} | undefined {
		const text = attempt(
			() => this.#buffer.toString('latin1', 0, readSync(this.#fileOf(nativeId), this.#buffer, 0, statusBytes, 0)),
			undefined,
		);
		if (text === undefined) {
			// The thread has ended, and another may get its id.
			this.close();
			return undefined;
		}

		const end = text.slice(-endBytes);
		return {
			isAsleep: !/^State:\tR/m.test(text),
			switchesAway: Number(/^voluntary_ctxt_switches:\s*(\d+)$/m.exec(end)?.[1])
				+ Number(/^nonvoluntary_ctxt_switches:\s*(\d+)$/m.exec(end)?.[1]),
		};
	}

	#fileOf(nativeId: number): number {
		return getOrCreate(this.#statusFiles, nativeId, () => {
			if (this.#statusFiles.size === maxOpenFiles) {
				this.close();
			}

			return openSync(`${this.#folder}/${nativeId}/status`, 'r');
		});
	}
}

/** Returns the CPUs that a process may use, such as "0-3,8" (proc(5)); empty if unreadable. */
function allowedCpus(pid: number | 'self'): string {
	return /^Cpus_allowed_list:\s*(\S+)$/m.exec(attempt(() => readProc(pid, 'status'), undefined) ?? '')?.[1] ?? '';
}
