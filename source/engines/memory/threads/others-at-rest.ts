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

/** All threads are looked at so often at the least, milliseconds; and where nobody at all runs at a line. */
const lookEveryMs = 1000;
const restingLookEveryMs = 4000;

/** Linux ids of threads that may run at any time: those that stand at lines of code, and those that have none. */
export type Watched = {readonly atLines: readonly number[]; readonly nowhere: readonly number[]};

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
	/** How many of them, the first, stand at lines; and what these had used when they were asked for last. */
	#atLines = 0;
	#atLinesNs = Number.NaN;
	/** What all others had used when everybody was looked at last; NaN where that is not known. */
	#usedNs = Number.NaN;
	#calm = 0;
	#unsure = 0;
	#hasRested = false;
	#haveOthersRested = false;
	#lookAtMs = 0;
	/**
	What the whole process, and the watched ones that stand at no line, had used when they were asked for last; NaN where
	the newest look did not begin with it.
	*/
	#wholeNs = Number.NaN;
	#nowhereNs = Number.NaN;
	/** What of the process's time is known to be these threads' since then. */
	#stillNs = 0;
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
	It is sure that none had run between the last two times that this was asked for but watched ones that stand at no
	line, whether all are to be looked at or not.
	*/
	get haveRested(): boolean {
		return this.#hasRested;
	}

	/** The same with watched ones of any kind. */
	get haveOthersRested(): boolean {
		return this.#haveOthersRested;
	}

	/**
	Whether none but the watched ones can have done anything since everybody was looked at. What is read of these for
	that counts as what they used until this sample (`ThreadCpu.beginMoment`).
	*/
	areAtRest(nowMs: number): boolean {
		this.#hasRested = false;
		this.#haveOthersRested = false;
		this.#wholeNs = Number.NaN;
		if (Number.isNaN(this.#usedNs)) {
			return false;
		}

		this.#cpu.beginMoment();
		const atLinesNs = this.#atLinesNs;
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

		this.#haveOthersRested = this.#unsure === 0;
		this.#hasRested = this.#haveOthersRested && this.#atLinesNs === atLinesNs;
		return nowMs < this.#lookAtMs;
	}

	/**
	Everybody was looked at: `atLines` and `nowhere` are the Linux ids of those that may go on, `isCalm` says that no other
	one did anything since the look before.
	*/
	looked({atLines, nowhere}: Watched, threads: number, isCalm: boolean, nowMs: number): void {
		this.#calm = isCalm ? this.#calm + 1 : 0;
		const isWorthIt = this.#clock !== undefined && this.#calm >= calmLooks && threads >= leastThreads && atLines.length + nowhere.length <= watchedLimit;
		if (!isWorthIt) {
			this.forget(this.#calm);
			return;
		}

		const watched = [...atLines, ...nowhere];
		const isKnown = !Number.isNaN(this.#wholeNs) && atLines.length === this.#atLines && watched.length === this.#watched.length && watched.every((id, index) => id === this.#watched[index]);
		if (!isKnown && !this.#measureAnew(watched, atLines.length)) {
			this.forget(this.#calm);
			return;
		}

		this.#lookAtMs = nowMs + (isKnown && this.#hasRested ? restingLookEveryMs : lookEveryMs);
		this.#sinceMs = Math.min(this.#sinceMs, nowMs);
	}

	/**
	Whether nobody at all has run since the newest look began, or none but the watched ones that stand at no line, and
	these for less than so many nanoseconds: no thread is looked at for that, and of those with lines nobody's CPU time
	either. False when it is time to look at all.
	*/
	areStill(nowMs: number, mostNs: number): boolean {
		if (nowMs >= this.#lookAtMs || Number.isNaN(this.#wholeNs)) {
			return false;
		}

		const ranNs = (this.#clock?.readNs() ?? Number.NaN) - this.#wholeNs;
		if (ranNs !== this.#stillNs && ranNs < mostNs && this.#sumNs(this.#atLines) - this.#nowhereNs === ranNs) {
			this.#stillNs = ranNs;
		}

		return ranNs === this.#stillNs;
	}

	/** Nothing is known of them: everybody must be looked at. */
	forget(calm = 0): void {
		this.#hasRested = false;
		this.#haveOthersRested = false;
		this.#wholeNs = Number.NaN;
		this.#usedNs = Number.NaN;
		this.#calm = calm;
		this.#sinceMs = Number.POSITIVE_INFINITY;
	}

	/** Measures what all but these have used, of whom the first stand at lines; false where that cannot be told. */
	#measureAnew(watched: number[], atLines: number): boolean {
		const wholeNs = this.#wholeNs;
		this.#watched = watched;
		this.#atLines = atLines;
		this.#unsure = 0;
		this.#usedNs = Number.NaN;
		for (let tries = 0; tries < measureTries && Number.isNaN(this.#usedNs); tries++) {
			this.#usedNs = this.#measure();
		}

		this.#wholeNs = wholeNs === this.#wholeNs ? wholeNs : Number.NaN;
		return Number.isFinite(this.#usedNs);
	}

	/**
	What all others have used; NaN if it cannot be told now, as a watched one was just at work; Infinity if a watched
	one, or the process, has ended.
	*/
	#measure(): number {
		const before = this.#sumWatched();
		const wholeNs = this.#clock?.readNs() ?? Number.NaN;
		if (before === Number.POSITIVE_INFINITY || Number.isNaN(wholeNs)) {
			return Number.POSITIVE_INFINITY;
		}

		const isSure = wholeNs - before === this.#usedNs || this.#sumWatched() === before;
		this.#wholeNs = isSure ? wholeNs : Number.NaN;
		this.#stillNs = 0;
		return isSure ? wholeNs - before : Number.NaN;
	}

	/** What the watched ones have used; Infinity if one has ended. */
	#sumWatched(): number {
		this.#atLinesNs = this.#sumNs(0, this.#atLines);
		this.#nowhereNs = this.#sumNs(this.#atLines);
		return this.#atLinesNs + this.#nowhereNs;
	}

	#sumNs(first: number, end = this.#watched.length): number {
		let sum = 0;
		for (let index = first; index < end; index++) {
			sum += this.#cpu.read(this.#watched[index]) ? this.#cpu.cpuNs : Number.POSITIVE_INFINITY;
		}

		return sum;
	}
}
