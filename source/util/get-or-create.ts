/** Returns the value of a key, creating it at first use. */
export function getOrCreate<Key, Value>(
	values: {get(key: Key): Value | undefined; set(key: Key, value: Value): unknown},
	key: Key,
	make: () => Value,
): Value {
	let value = values.get(key);
	if (value === undefined) {
		value = make();
		values.set(key, value);
	}

	return value;
}

/** Returns a key's value, computed at first use. A full map, of `maxSize` values, is emptied before one is added. */
export function cached<Key, Value>(values: Map<Key, Value>, key: Key, maxSize: number, compute: () => Value): Value {
	return values.get(key) ?? getOrCreate(bounded(values, maxSize), key, compute);
}

/** Returns a key's value, created at first use; a full map, of `maxSize` values, does not keep it. */
export function getOrCreateUpTo<Key, Value>(
	values: Map<Key, Value>,
	key: Key,
	maxSize: number,
	make: (isFull: boolean) => Value,
): Value {
	return values.size < maxSize ? getOrCreate(values, key, () => make(false)) : values.get(key) ?? make(true);
}

/** Empties a map of `maxSize` entries, so that another can be added; returns the map. */
export function bounded<Key, Value>(values: Map<Key, Value>, maxSize: number): Map<Key, Value> {
	if (values.size >= maxSize) {
		values.clear();
	}

	return values;
}
