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
