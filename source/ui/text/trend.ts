/** How far a trend goes back, and in how many steps. */
const trendMs = 60_000;
const trendSteps = 12;

/** Rows kept of one refresh: more than a screen shows. */
const maxRows = 300;

type Point = {readonly atMs: number; readonly shares: ReadonlyMap<string, number>};

/** A row's share over the last minute, oldest first; 0 to 1 of the row's own highest. */
export type Trend = readonly number[];

/** What rows had of a figure in the refreshes of the last minute. */
export class Trends {
	#points: Point[] = [];

	clear(): void {
		this.#points = [];
	}

	/** Adds the rows of one refresh's window. */
	add<Row extends {readonly key: string}>(atMs: number, rows: readonly Row[], figureOf: (row: Row) => number): void {
		this.#points = this.#points.filter(point => point.atMs > atMs - trendMs && point.atMs < atMs);
		this.#points.push({atMs, shares: new Map(rows.slice(0, maxRows).map(row => [row.key, figureOf(row)]))});
	}

	/**
	The row's mean share in each step, oldest first, of its own highest step (0 to 1); undefined before the second
	refresh.
	*/
	of(key: string): Trend | undefined {
		const last = this.#points.at(-1);
		if (!last || this.#points.length < 2) {
			return undefined;
		}

		const sums = Array.from({length: trendSteps}, () => ({share: 0, points: 0}));
		for (const {atMs, shares} of this.#points) {
			const step = trendSteps - 1 - Math.floor((last.atMs - atMs) / (trendMs / trendSteps));
			if (step >= 0) {
				sums[step].share += shares.get(key) ?? 0;
				sums[step].points++;
			}
		}

		const means = sums.map(({share, points}) => points === 0 ? 0 : share / points);
		const highest = Math.max(...means);
		return means.map(mean => highest > 0 ? mean / highest : 0);
	}
}

/** A trend as one character a step; `levels` from nothing to the highest. */
export function sparkline(trend: Trend, width: number, levels: string): string {
	const characters = [...levels];
	return trend.slice(-width).map(value => characters[value <= 0 ? 0 : Math.max(1, Math.min(characters.length - 1, Math.ceil(value * (characters.length - 1))))]).join('').padStart(width);
}
