import {ticksPerSecond} from '../system/proc.js';

/** CPU time that a process had used, in clock ticks, at a moment (performance.now()). */
type CpuReading = {readonly cpuTicks: number; readonly atMs: number};

const historyMs = 60_000;

/** Readings may come a little early. */
const nearlyASecondMs = 900;

/** The CPU use of a process over the last minute. */
export class CpuHistory {
	readonly #readings: CpuReading[] = [];

	/** Adds a reading, and forgets those that are older than a minute, except the newest of them. */
	add({cpuTicks, atMs}: CpuReading): void {
		this.#readings.push({cpuTicks, atMs});
		while (this.#readings.length > 2 && this.#readings[1].atMs <= atMs - historyMs) {
			this.#readings.shift();
		}
	}

	/** Percent of a core over the last second, or since the reading before; undefined before the second reading. */
	get percent(): number | undefined {
		const now = this.#readings.at(-1);
		const before = this.#readings.findLast(({atMs}) => now !== undefined && atMs <= now.atMs - nearlyASecondMs)
			?? this.#readings.at(0);
		return now && before && percentBetween(before, now);
	}

	/**
	Returns percent of a core in each of `count` equal parts of the last minute; undefined for parts before the first
	reading.
	*/
	parts(count: number): ReadonlyArray<number | undefined> {
		const endMs = this.#readings.at(-1)?.atMs ?? 0;
		const partMs = historyMs / count;
		return Array.from({length: count}, (_, index) => {
			const toMs = endMs - ((count - 1 - index) * partMs);
			const [from, to] = [this.#at(toMs - partMs), this.#at(toMs)];
			return from && to && percentBetween(from, to);
		});
	}

	/** Returns the reading at a moment, by the two around it; for an earlier moment the first, if there is one. */
	#at(ms: number): CpuReading | undefined {
		const after = this.#readings.findIndex(({atMs}) => atMs >= ms);
		if (after <= 0) {
			return this.#readings.at(after);
		}

		const [before, next] = [this.#readings[after - 1], this.#readings[after]];
		const share = (ms - before.atMs) / (next.atMs - before.atMs);
		return {cpuTicks: before.cpuTicks + (share * (next.cpuTicks - before.cpuTicks)), atMs: ms};
	}
}

/** Returns the CPU time between two readings, percent of a core; undefined if no time passed. */
export function percentBetween(before: CpuReading, now: CpuReading): number | undefined {
	const seconds = (now.atMs - before.atMs) / 1000;
	return seconds > 0 ? Math.max(0, 100 * (now.cpuTicks - before.cpuTicks) / ticksPerSecond / seconds) : undefined;
}
