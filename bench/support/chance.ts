export const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);

/**
The distance, in points of 100, between true shares and those that so many sightings show, that chance alone makes: for
each share, the mean deviation of a binomial distribution.
*/
export function chanceL1(real: ReadonlyMap<string, number>, sightings: number): number {
	const sum = sumOf(real.values());
	return sumOf([...real.values()].map(value =>
		100 * Math.sqrt(2 * (value / sum) * (1 - (value / sum)) / (Math.PI * sightings))));
}
