import {type ProcessClock} from '../../../jvm/threads/process-clock.js';
import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';

/** How long a thread without frames is watched after it ran: compiler threads without work wake every five seconds. */
export const watchedMs = 6000;

/** Consecutive scans that must have found only watched threads running. */
const minInactiveScans = 5;

/** Each watched thread is read twice per sample. */
export const watchedLimit = 24;

/** Attempts to measure the CPU time of the unwatched threads while a watched one may be running. */
const measureTries = 4;

/** Longest time without a scan of all threads. */
const scanEveryMs = 4000;

/**
Finds out whether any threads have run besides the watched ones: a few that may run at any time. If not, the unwatched
threads need not be scanned. Their CPU time is the process's minus that of the watched threads. It is exact if the
watched threads' time did not change between the readings. The kernel updates CPU times at the next tick (up to 4 ms) or
when a thread leaves its CPU, so a thread that starts to run may be noticed a sample late. Therefore the unwatched
threads must first have been inactive for several scans.
*/
export class UnwatchedThreads {
	/** Only watched threads have run between the last two readings. */
	wereInactive = false;
	readonly #clock: ProcessClock | undefined;
	readonly #cpu: ThreadCpu;
	#watchedTids: readonly number[] = [];
	/** CPU time of the unwatched threads at the last scan; NaN if unknown. */
	#usedNs = Number.NaN;
	#inactiveScans = 0;
	#scanAtMs = 0;

	constructor(clock: ProcessClock | undefined, cpu: ThreadCpu) {
		this.#clock = clock;
		this.#cpu = cpu;
	}

	/** Whether only watched threads have run since the last scan, and no scan is due. */
	areInactive(nowMs: number): boolean {
		const usedNs = Number.isNaN(this.#usedNs) ? Number.NaN : this.#measure();
		this.wereInactive = usedNs === this.#usedNs;
		if (!this.wereInactive) {
			// If their CPU time is unknown, they may still be inactive.
			this.forget(Number.isNaN(usedNs) ? this.#inactiveScans : 0);
		}

		return this.wereInactive && nowMs < this.#scanAtMs;
	}

	/** Ends a scan. `watched`: threads that may run from now on; `isUnchanged`: no others ran since the last scan. */
	afterScan(watched: readonly number[], isUnchanged: boolean, nowMs: number): void {
		this.forget(isUnchanged ? this.#inactiveScans + 1 : 0);
		if (this.#inactiveScans >= minInactiveScans && watched.length <= watchedLimit) {
			this.#watchedTids = watched;
			this.#usedNs = this.#measure();
			this.#scanAtMs = nowMs + scanEveryMs;
		}
	}

	/** Makes the next sample scan all threads. */
	forget(inactiveScans = 0): void {
		this.wereInactive = false;
		this.#usedNs = Number.NaN;
		this.#inactiveScans = inactiveScans;
	}

	/** Returns the CPU time of the unwatched threads; NaN if a watched one was running or has ended. */
	#measure(): number {
		for (let tries = 0; tries < measureTries; tries++) {
			const watchedNs = this.#sumWatched();
			const unwatchedNs = (this.#clock?.readNs() ?? Number.NaN) - watchedNs;
			// A watched thread that runs between the readings can only increase the result, so an equal result is
			// right.
			if (unwatchedNs === this.#usedNs || this.#sumWatched() === watchedNs) {
				return unwatchedNs;
			}
		}

		return Number.NaN;
	}

	#sumWatched(): number {
		let sum = 0;
		for (const id of this.#watchedTids) {
			sum += this.#cpu.read(id) ? this.#cpu.cpuNs : Number.NaN;
		}

		return sum;
	}
}
