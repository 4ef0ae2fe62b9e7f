import {type ProcessClock} from '../../../jvm/threads/process-clock.js';
import {type ThreadCpu} from '../../../jvm/threads/thread-cpu.js';

/** So many looks in a row must have found that nobody but the watched threads did anything. */
const calmLooks = 5;

/** Threads watched at most: each is read twice a look. */
const watchedLimit = 24;

/** Below this many threads, looking at each costs less than asking. */
const leastThreads = 8;

/**
Looks in a row that may not tell, as a watched thread's time was brought up to date meanwhile: the next that tells does
so for them, too.
*/
const unsureLimit = 3;

/** How often it is measured what all others have used, until that can be told. */
const measureTries = 4;

/** All threads are looked at so often at the least, milliseconds. */
const lookEveryMs = 1000;

/**
Whether any thread has run but a few that are watched: then all others stand where they stood, and need not be looked
at. The process's CPU time less that of the watched threads is what all others have used; it is exact, as both are the
same counters of the kernel, if no watched thread's moved between the readings. What a thread uses is counted at its
next scheduler tick (4 ms at most on most kernels) or when it leaves its CPU: who has just begun to run is noticed a
sample later. So this is asked only where the others have rested for a while.
*/
export class OthersAtRest {
	readonly #clock: ProcessClock | undefined;
	readonly #cpu: ThreadCpu;
	#watched: number[] = [];
	/** What all others had used when everybody was looked at last; NaN where that is not known. */
	#usedNs = Number.NaN;
	#calm = 0;
	#unsure = 0;
	#lookAtMs = 0;
	/** Since when nobody else has run; Infinity where somebody may have. */
	#sinceMs = Number.POSITIVE_INFINITY;

	constructor(clock: ProcessClock | undefined, cpu: ThreadCpu) {
		this.#clock = clock;
		this.#cpu = cpu;
	}

	/** Since when none but the watched threads has run (performance.now); Infinity where that is not known. */
	get sinceMs(): number {
		return this.#sinceMs;
	}

	/**
	Whether none but the watched ones can have done anything since everybody was looked at. What is read of these for
	that counts as what they used until this sample (`ThreadCpu.beginMoment`).
	*/
	areAtRest(nowMs: number): boolean {
		if (Number.isNaN(this.#usedNs)) {
			return false;
		}

		this.#cpu.beginMoment();
		const usedNs = this.#measure();
		this.#unsure = Number.isNaN(usedNs) ? this.#unsure + 1 : 0;
		if (this.#unsure > unsureLimit) {
			this.forget(this.#calm);
			return false;
		}

		if (this.#unsure === 0 && usedNs !== this.#usedNs) {
			this.forget();
			return false;
		}

		return nowMs < this.#lookAtMs;
	}

	/**
	Everybody was looked at: `watched` are the Linux ids of those that may go on, `isCalm` says that no other one did
	anything since the look before.
	*/
	looked(watched: readonly number[], threads: number, isCalm: boolean, nowMs: number): void {
		this.#calm = isCalm ? this.#calm + 1 : 0;
		const isWorthIt = this.#clock !== undefined && this.#calm >= calmLooks && threads >= leastThreads && watched.length <= watchedLimit;
		if (!isWorthIt) {
			this.forget(this.#calm);
			return;
		}

		this.#watched = [...watched];
		this.#unsure = 0;
		let usedNs = Number.NaN;
		for (let tries = 0; tries < measureTries && Number.isNaN(usedNs); tries++) {
			usedNs = this.#measure();
		}

		if (!Number.isFinite(usedNs)) {
			this.forget(this.#calm);
			return;
		}

		this.#usedNs = usedNs;
		this.#lookAtMs = nowMs + lookEveryMs;
		this.#sinceMs = Math.min(this.#sinceMs, nowMs);
	}

	/** Nothing is known of them: everybody must be looked at. */
	forget(calm = 0): void {
		this.#usedNs = Number.NaN;
		this.#calm = calm;
		this.#sinceMs = Number.POSITIVE_INFINITY;
	}

	/**
	What all others have used; NaN if it cannot be told now, as a watched one was just at work; Infinity if a watched
	one, or the process, has ended.
	*/
	#measure(): number {
		const before = this.#sumNs();
		const wholeNs = this.#clock?.readNs() ?? Number.NaN;
		if (before === Number.POSITIVE_INFINITY || Number.isNaN(wholeNs)) {
			return Number.POSITIVE_INFINITY;
		}

		return this.#sumNs() === before ? wholeNs - before : Number.NaN;
	}

	/** What the watched ones have used; Infinity if one has ended. */
	#sumNs(): number {
		let sum = 0;
		for (const nativeId of this.#watched) {
			sum += this.#cpu.read(nativeId) ? this.#cpu.cpuNs : Number.POSITIVE_INFINITY;
		}

		return sum;
	}
}
