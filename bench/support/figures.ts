/** The value in the middle; of an even count the upper of the two. */
export function median(values: readonly number[]): number {
	return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
}

/** A measured figure beside what it must reach. */
export type Figure = {
	readonly what: string;
	readonly value: number;
	readonly unit: string;
	/** Below this it is reached; left out where there is no goal. */
	readonly below?: number;
	/** How many measurements, and under which conditions. */
	readonly of: string;
};

/** Prints figures as a table, and says how many goals were missed. */
export function printFigures(figures: readonly Figure[]): void {
	console.table(figures.map(({what, value, unit, below, of}) => ({
		what,
		figure: `${Number(value.toPrecision(3))} ${unit}`,
		goal: below === undefined ? '' : `< ${below} ${unit}`,
		reached: below === undefined ? '' : (value < below ? 'yes' : 'NO'),
		of,
	})));
}

/** Slope of values that are a second apart, per minute (least squares). */
export function slopePerMinute(values: readonly number[]): number {
	const middle = (values.length - 1) / 2;
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	let [covariance, variance] = [0, 0];
	for (const [index, value] of values.entries()) {
		covariance += (index - middle) * (value - mean);
		variance += (index - middle) ** 2;
	}

	return variance > 0 ? 60 * covariance / variance : 0;
}
