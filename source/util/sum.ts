/** Returns the sum of a figure over items. */
export function sumOf<Item>(items: Iterable<Item>, of: (item: Item) => number): number {
	let sum = 0;
	for (const item of items) {
		sum += of(item);
	}

	return sum;
}

/** Returns the sum of a figure over the indexes below `count`. */
export function sumUpTo(count: number, of: (index: number) => number): number {
	let sum = 0;
	for (let index = 0; index < count; index++) {
		sum += of(index);
	}

	return sum;
}

/** Returns the entry with the greatest count, the first of equal ones; undefined if no count is above 0. */
export function mostOf<Key>(counts: ReadonlyMap<Key, number>): readonly [Key, number] | undefined {
	let most: readonly [Key, number] | undefined;
	for (const entry of counts) {
		most = entry[1] > (most?.[1] ?? 0) ? entry : most;
	}

	return most;
}
