/** Marks an unused segment of a code heap (codeHeap: free_sentinel). */
const free = 0xFF;

/** Most steps taken back: the largest blob of 16 MB has 262,144 segments of 64 bytes, and each step may go back 254. */
const stepLimit = 300_000;

/**
Goes back from a segment to the first one of its block: each byte of the map says how many segments back the next hint
is, or 0 at the start (heap.cpp). Returns the index of that first segment, or -1 if the segment is free or the map makes
no sense. `byteAt` gives the byte of the map at an index, or -1 if it cannot be read.
*/
export function blockStart(byteAt: (index: number) => number, segment: number): number {
	for (let step = 0, index = segment; step < stepLimit; step++) {
		const byte = byteAt(index);
		if (byte === 0) {
			return index;
		}

		if (byte < 0 || byte === free || byte > index) {
			return -1;
		}

		index -= byte;
	}

	return -1;
}
