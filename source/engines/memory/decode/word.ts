/** A word of 64 bits from its halves, as a number: exact below 2^53, which every address is. */
export function wordOf(low: number, high: number): number {
	return low + (high * 0x1_00_00_00_00);
}

/** The little-endian word at an offset of some bytes, as `wordOf` has it. Throws a RangeError beyond their end. */
export function wordAt(view: DataView, offset: number): number {
	return wordOf(view.getUint32(offset, true), view.getUint32(offset + 4, true));
}
