/** Returns a 64-bit word given its halves, exact below 2^53, as all addresses are. */
export function wordOf(low: number, high: number): number {
	return low + (high * 0x1_00_00_00_00);
}

/** Returns the little-endian word at an offset, as in `wordOf`. Throws a RangeError past the end. */
export function wordAt(view: DataView, offset: number): number {
	return wordOf(view.getUint32(offset, true), view.getUint32(offset + 4, true));
}
