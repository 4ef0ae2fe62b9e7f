/** How often the rate is looked at again, and over how long the CPU time is measured, milliseconds. */
const lookEveryMs = 1000;
const overMs = 3000;

/** Start-up, and code of ours that is not compiled yet, say nothing of what samples cost. */
const settleMs = 4000;

/** The most by which a look makes the interval longer, and shorter. */
const longerBy = 1.5;
const shorterBy = 1.15;

/** Below this part of the budget samples may come more often again; what lies between is left alone. */
const room = 0.85;

/**
Sampling does not get slower than this by what we use, milliseconds, nor than this many times the interval asked for:
what the screen uses while somebody scrolls must not make us blind.
*/
const longestMs = 1000;
const longestTimes = 10;

/**
Keeps the CPU time of our own process below a share of a core, by making the interval longer and, when there is room,
shorter again, in small steps: what else we do (the screen) is in what is measured, so that the cost of a sample alone
is not known.
*/
export class CpuBudget {
	readonly #share: number;
	/** By how much the interval is longer than the one asked for. */
	#times = 1;
	#firstMs: number | undefined;
	#lookedMs = 0;
	/** Readings of the last seconds: when, and CPU time until then. */
	readonly #readings: Array<{readonly atMs: number; readonly cpuMs: number}> = [];

	/** `percent` of a core; no budget at all at 100 or more. */
	constructor(percent: number) {
		this.#share = percent / 100;
	}

	/** Whether it is time to say how much CPU time was used: to ask the system at each sample would cost some, too. */
	isDue(nowMs: number): boolean {
		this.#firstMs ??= nowMs;
		return this.#share < 1 && nowMs - this.#firstMs >= settleMs && nowMs - this.#lookedMs >= lookEveryMs;
	}

	/** At `nowMs` (monotone) our process had used so much CPU time, while `requestedMs` was asked for. */
	record(nowMs: number, cpuMs: number, requestedMs: number): void {
		if (!this.isDue(nowMs)) {
			return;
		}

		this.#lookedMs = nowMs;
		const readings = this.#readings;
		readings.push({atMs: nowMs, cpuMs});
		while (readings.length > 2 && nowMs - readings[1].atMs >= overMs) {
			readings.shift();
		}

		const [first] = readings;
		if (nowMs > first.atMs) {
			this.#adjust((cpuMs - first.cpuMs) / (nowMs - first.atMs) / this.#share, requestedMs);
		}
	}

	/** What was used in a time that is not to count, as a pause, is not held against anybody. */
	restart(): void {
		this.#readings.length = 0;
	}

	/** The interval to use, milliseconds, when `requestedMs` is wanted. */
	intervalMs(requestedMs: number): number {
		return requestedMs * Math.min(this.#times, mostTimes(requestedMs));
	}

	/** `used`: part of the budget. */
	#adjust(used: number, requestedMs: number): void {
		if (used > 1) {
			this.#times = Math.min(mostTimes(requestedMs), this.#times * Math.min(longerBy, used));
		} else if (used < room) {
			this.#times = Math.max(1, this.#times / Math.min(shorterBy, room / Math.max(used, 0.01)));
		}
	}
}

function mostTimes(requestedMs: number): number {
	return Math.max(longestTimes, longestMs / requestedMs);
}
