/** Returns the value of a key, creating it at first use. */
export function getOrCreate<Key, Value>(values: {get(key: Key): Value | undefined; set(key: Key, value: Value): unknown}, key: Key, make: () => Value): Value {
	let value = values.get(key);
	if (value === undefined) {
		value = make();
		values.set(key, value);
	}

	return value;
}

/** Returns a key's value, computed at first use. A map with `maxSize` values is emptied before another is added. */
export function cached<Key, Value>(values: Map<Key, Value>, key: Key, maxSize: number, compute: () => Value): Value {
	return values.get(key) ?? getOrCreate(bounded(values, maxSize), key, compute);
}

/** Returns a key's value, made at first use. With `maxSize` values the map is full: those of other keys are not kept. */
export function getOrCreateUpTo<Key, Value>(values: Map<Key, Value>, key: Key, maxSize: number, make: (isFull: boolean) => Value): Value {
	const known = values.get(key);
	if (known !== undefined) {
		return known;
	}

	const isFull = values.size >= maxSize;
	const value = make(isFull);
	if (!isFull) {
		values.set(key, value);
	}

	return value;
}

/** Returns a map that serves as a cache, emptied first if it has `maxSize` entries. */
export function bounded<Key, Value>(values: Map<Key, Value>, maxSize: number): Map<Key, Value> {
	if (values.size >= maxSize) {
		values.clear();
	}

	return values;
}
