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
	let value = values.get(key);
	if (value === undefined) {
		value = compute();
		if (values.size >= maxSize) {
			values.clear();
		}

		values.set(key, value);
	}

	return value;
}
