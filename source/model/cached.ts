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
