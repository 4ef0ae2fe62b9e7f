/** The value of a key, found when it is asked for first; a map with `most` values is emptied before it takes another. */
export function remembered<Key, Value>(values: Map<Key, Value>, key: Key, most: number, find: () => Value): Value {
	let value = values.get(key);
	if (value === undefined) {
		value = find();
		if (values.size >= most) {
			values.clear();
		}

		values.set(key, value);
	}

	return value;
}
