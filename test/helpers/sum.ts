/** The sum of numbers; 0 of none. */
export function sum(values: Iterable<number>): number {
	let total = 0;
	for (const value of values) {
		total += value;
	}

	return total;
}

/** The sums by name. */
export function sumsByName(entries: ReadonlyArray<readonly [string, number]>): Record<string, number> {
	const sums: Record<string, number> = {};
	for (const [name, value] of entries) {
		sums[name] = (sums[name] ?? 0) + value;
	}

	return sums;
}
