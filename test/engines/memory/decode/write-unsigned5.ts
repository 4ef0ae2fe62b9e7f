/** Writes a number as HotSpot does (unsigned5.hpp), to be read back. */
export function unsigned5(value: number, excluded: number): number[] {
	const bytes: number[] = [];
	let left = value;
	for (let index = 0; index < 4; index++) {
		if (left < 192 - excluded) {
			return [...bytes, left + excluded];
		}

		left -= 192 - excluded;
		bytes.push(192 + (left % 64));
		left = Math.floor(left / 64);
	}

	return [...bytes, left + excluded];
}
