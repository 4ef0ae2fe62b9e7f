/** Marks a segment of a code heap that nothing uses (codeHeap: free_sentinel). */
const free = 0xFF;

/**
Longest way back taken: the largest blob of 16 MB has 262,144 segments of 64 bytes, and each step may go back 254.
*/
const stepLimit = 300_000;

/**
Goes back from a segment to the first one of its block: a byte of the map says how many segments back the next hint or
the start (0) is (heap.cpp). Returns that segment's index, -1 where it is free or the map makes no sense. `byteAt` gives
the map's byte at an index, -1 where it cannot be read.
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
