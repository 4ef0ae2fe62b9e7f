/** Returns the value of a key, creating it at first use. */
export function getOrCreate<Key, Value>(values: {get(key: Key): Value | undefined; set(key: Key, value: Value): unknown}, key: Key, make: () => Value): Value {
	let value = values.get(key);
	if (value === undefined) {
		value = make();
		values.set(key, value);
	}

	return value;
}
