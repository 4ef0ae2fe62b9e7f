import {type ProcessClock} from '../../../jvm/threads/process-clock.js';
import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';

/** Scans in a row that must have found only watched threads running. */
const minIdleScans = 5;

/** Maximum number of watched threads: each is read twice per sample. */
const watchedLimit = 24;

/** With fewer threads, scanning them is cheaper. */
const minThreads = 8;

/**
Readings in a row that may be inconclusive because a watched thread was running; the next conclusive one covers them.
*/
const maxInconclusive = 3;

/** Attempts to measure the CPU time of all other threads. */
const measureTries = 4;

/** Maximum time between scans of all threads, milliseconds. */
const scanEveryMs = 4000;

/**
Tells whether any thread but a few watched ones has run; if not, the others need not be read. The process's CPU time
less that of the watched threads is exact if no watched thread's moved between the readings. The kernel updates it at
the next tick (up to 4 ms) or when a thread leaves its CPU, so a thread that starts to run is noticed a sample late;
used only after the others have been idle for a while.
*/
export class OtherThreadsIdle {
	/** Between the last two readings only watched threads have run, for certain. */
	wereIdle = false;
	readonly #clock: ProcessClock | undefined;
	readonly #cpu: ThreadCpu;
	/** Linux ids of threads that may run at any time. */
	#watched: readonly number[] = [];
	/** CPU time of all others at the last scan; NaN if unknown. */
	#usedNs = Number.NaN;
	#idleScans = 0;
	#inconclusive = 0;
	#scanAtMs = 0;

	constructor(clock: ProcessClock | undefined, cpu: ThreadCpu) {
		this.#clock = clock;
		this.#cpu = cpu;
	}

	/**
	Whether only watched threads can have run since the last scan. CPU times read for this count as those of this sample
	(`ThreadCpu.nextMoment`).
	*/
	areIdle(nowMs: number): boolean {
		this.wereIdle = false;
		if (Number.isNaN(this.#usedNs)) {
			return false;
		}

		const usedNs = this.#measure();
		this.#inconclusive = Number.isNaN(usedNs) ? this.#inconclusive + 1 : 0;
		if (this.#inconclusive > maxInconclusive) {
			this.forget(this.#idleScans);
			return false;
		}

		if (this.#inconclusive === 0 && usedNs !== this.#usedNs) {
			this.forget();
			return false;
		}

		this.wereIdle = this.#inconclusive === 0;
		return nowMs < this.#scanAtMs;
	}

	/**
	All threads were read: the watched ones may run from now on; `isUnchanged`: no other thread has run since the previous
	scan.
	*/
	scanned(watched: readonly number[], threads: number, isUnchanged: boolean, nowMs: number): void {
		this.#idleScans = isUnchanged ? this.#idleScans + 1 : 0;
		const isWorthIt = this.#clock !== undefined && this.#idleScans >= minIdleScans && threads >= minThreads && watched.length <= watchedLimit;
		if (!isWorthIt) {
			this.forget(this.#idleScans);
			return;
		}

		const isKnown = this.wereIdle && watched.length === this.#watched.length && watched.every((id, index) => id === this.#watched[index]);
		if (!isKnown && !this.#measureAnew(watched)) {
			this.forget(this.#idleScans);
			return;
		}

		this.#scanAtMs = nowMs + scanEveryMs;
	}

	/** Discards what is known: the next sample scans all threads. */
	forget(idleScans = 0): void {
		this.wereIdle = false;
		this.#usedNs = Number.NaN;
		this.#idleScans = idleScans;
	}

	/** Measures the CPU time of all but the watched threads; false if that fails. */
	#measureAnew(watched: readonly number[]): boolean {
		this.#watched = watched;
		this.#inconclusive = 0;
		this.#usedNs = Number.NaN;
		for (let tries = 0; tries < measureTries && Number.isNaN(this.#usedNs); tries++) {
			this.#usedNs = this.#measure();
		}

		return Number.isFinite(this.#usedNs);
	}

	/**
	CPU time of all other threads; NaN if a watched one was running meanwhile, Infinity if a watched one or the process
	has ended.
	*/
	#measure(): number {
		const before = this.#sumWatched();
		const wholeNs = this.#clock?.readNs() ?? Number.NaN;
		if (before === Number.POSITIVE_INFINITY || Number.isNaN(wholeNs)) {
			return Number.POSITIVE_INFINITY;
		}

		return wholeNs - before === this.#usedNs || this.#sumWatched() === before ? wholeNs - before : Number.NaN;
	}

	/** CPU time of the watched threads; Infinity if one has ended. */
	#sumWatched(): number {
		let sum = 0;
		for (const id of this.#watched) {
			sum += this.#cpu.read(id) ? this.#cpu.cpuNs : Number.POSITIVE_INFINITY;
		}

		return sum;
	}
}
