/** The growth of a number is that over the last minute, and needs readings of at least eight seconds. */
const growthMs = 60_000;
const minGrowthMs = 8000;

/** By how much a minute the least value of a number rises from each third of the last minute to the next. */
export class Growth {
	#readings: Array<{readonly ms: number; readonly count: number}> = [];

	/** Adds a reading; returns undefined while there are too few, and 0 unless the number rises in both steps. */
	with(ms: number, count: number): number | undefined {
		this.#readings = [...this.#readings.filter(each => ms - each.ms < growthMs), {ms, count}];
		const startMs = this.#readings[0].ms;
		const thirdMs = (ms - startMs) / 3;
		if (ms - startMs < minGrowthMs) {
			return undefined;
		}

		const [oldest, middle, newest] = [0, 1, 2].map(third => Math.min(...this.#readings
			.filter(each => Math.min(2, Math.floor((each.ms - startMs) / thirdMs)) === third).map(each => each.count)));
		return oldest < middle && middle < newest ? (newest - oldest) / (2 * thirdMs) * 60_000 : 0;
	}
}
