/** The value of a key, made when it is asked for first. */
export function madeOnce<Key, Value>(values: {get(key: Key): Value | undefined; set(key: Key, value: Value): unknown}, key: Key, make: () => Value): Value {
	let value = values.get(key);
	if (value === undefined) {
		value = make();
		values.set(key, value);
	}

	return value;
}
