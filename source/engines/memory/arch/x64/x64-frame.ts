/** Returns the offset of the slot with the bytecode pointer (frame_x86.hpp). */
export function bcpOffset(release: number): number {
	return release >= 9 ? -64 : -56;
}
