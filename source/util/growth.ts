/** Growth is that over the last minute. */
const growthMs = 60_000;

/** Readings are compared in this number of parts, and are needed over at least this time. */
const parts = 4;
const minGrowthMs = 15_000;

/** By how much a minute a number grows: what rises and falls again, as garbage does, is no growth. */
export class Growth {
	readonly #minMs: number;
	#readings: Array<{readonly ms: number; readonly count: number}> = [];

	constructor(minMs = minGrowthMs) {
		this.#minMs = minMs;
	}

	/**
	Adds a reading. Returns undefined while there are too few, and 0 unless the least reading of each quarter is above
	(or of each below) that of the quarter before, and 0 if the number was the same in the whole last quarter.
	*/
	with(ms: number, count: number): number | undefined {
		this.#readings = [...this.#readings.filter(each => ms - each.ms < growthMs), {ms, count}];
		return this.perMin();
	}

	/** Returns the growth by the readings so far. */
	perMin(): number | undefined {
		const readings = this.#readings;
		if (readings.length < parts || readings.at(-1)!.ms - readings[0].ms < this.#minMs) {
			return undefined;
		}

		const quarters = Array.from({length: parts}, (_, part) => {
			const [from, to] = [part, part + 1].map(each => Math.round(each * readings.length / parts));
			return readings.slice(from, to);
		});
		const newest = quarters.at(-1)!;
		if (newest.length > 1 && newest.every(({count}) => count === newest[0].count)) {
			return 0;
		}

		const lowest = quarters.map(quarter => quarter.toSorted((a, b) => a.count - b.count)[0]);
		const [first, last] = [lowest[0], lowest.at(-1)!];
		const steps = lowest.slice(1).map(({count}, index) => Math.sign(count - lowest[index].count));
		return steps.every(step => step === steps[0])
			? (last.count - first.count) / (last.ms - first.ms) * 60_000
			: 0;
	}
}
