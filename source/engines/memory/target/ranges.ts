import {wordOf, isAddress, maxVectors, bytesPerVector, type Memory} from './memory.js';

const initialRanges = 128;
const initialBytes = 1 << 14;

/** Bytes read again through /proc/PID/mem, to check that the process has not called exec. */
const checkBytes = 4;

/**
Ranges of the target's memory that are read together, in the order in which they were added: much cheaper than one by
one, but not atomic. process_vm_readv takes the process id, so after an exec it reads the new program. /proc/PID/mem,
opened before, then reads nothing: one more read through it shows whether the results are valid.
*/
export class Ranges {
	count = 0;
	#totalBytes = 0;
	/** The contents of all ranges, one after the other, as bytes and as 32-bit words. */
	#bytes = new Uint8Array(initialBytes);
	#words = new Uint32Array(this.#bytes.buffer);
	readonly #memory: Memory;
	/** An array of struct iovec (64-bit address and length), as 32-bit words and as bytes. */
	#vectors = new Uint32Array(initialRanges * bytesPerVector / 4);
	#vectorsAsBytes = new Uint8Array(this.#vectors.buffer);
	/** Start of each range in `#bytes`, and the end of the last. */
	#starts = new Uint32Array(initialRanges + 1);
	/** By range: 1 if the last `read` got it. */
	#isRead = new Uint8Array(initialRanges);
	readonly #check = new Uint8Array(checkBytes);

	constructor(memory: Memory) {
		this.#memory = memory;
	}

	clear(): void {
		this.count = 0;
		this.#totalBytes = 0;
	}

	/** Adds a range and returns its index; `length`: bytes, a multiple of four. */
	add(address: number, length: number): number {
		if (this.count === this.#isRead.length) {
			this.#grow();
		}

		const at = this.count * bytesPerVector / 4;
		const isAllowed = isAddress(address);
		this.#vectors[at] = isAllowed ? address % 0x1_00_00_00_00 : 0;
		this.#vectors[at + 1] = isAllowed ? Math.floor(address / 0x1_00_00_00_00) : 0;
		this.#vectors[at + 2] = length;
		this.#vectors[at + 3] = 0;
		this.#totalBytes += length;
		this.#starts[this.count + 1] = this.#totalBytes;
		return this.count++;
	}

	/** Reads all ranges; `isRead` tells which were readable. */
	read(): void {
		if (this.#totalBytes > this.#bytes.length) {
			this.#bytes = new Uint8Array(2 ** Math.ceil(Math.log2(this.#totalBytes)));
			this.#words = new Uint32Array(this.#bytes.buffer);
		}

		this.#isRead.fill(0, 0, this.count);
		let next = 0;
		/** The last range that was read in a call for many; -1 for none. */
		let lastTogether = -1;
		while (next < this.count) {
			const batchEnd = Math.min(next + maxVectors, this.count);
			const end = batchEnd - next < 2 ? -1 : this.#readTogether(next, batchEnd);
			if (end < 0) {
				break;
			}

			lastTogether = end > next ? end - 1 : lastTogether;
			// The call ends at an unreadable range: skip that.
			next = end < batchEnd ? end + 1 : end;
		}

		// After an exec, the bytes read together are another program's.
		if (
			lastTogether >= 0
			&& this.#memory.read(this.#addressOf(lastTogether), this.#check, 0, checkBytes) !== checkBytes
		) {
			this.#isRead.fill(0, 0, next);
		}

		for (; next < this.count; next++) {
			this.#readOne(next);
		}
	}

	/** Whether the last `read` got the whole range. */
	isRead(range: number): boolean {
		return this.#isRead[range] === 1;
	}

	/** Returns the 8-byte word at an offset (a multiple of four) of a range, exact below 2^53. */
	word(range: number, offset: number): number {
		const at = (this.#starts[range] + offset) / 4;
		return wordOf(this.#words[at], this.#words[at + 1]);
	}

	/** Returns the 4-byte word at an offset (a multiple of four) of a range. */
	u32(range: number, offset: number): number {
		return this.#words[(this.#starts[range] + offset) / 4];
	}

	/**
	Reads ranges up to `batchEnd` in one call; returns the first that was not read, -1 if the call is not available.
	*/
	#readTogether(first: number, batchEnd: number): number {
		const starts = this.#starts;
		const got
			= this.#memory.readMany?.(
				this.#vectorsAsBytes,
				first,
				batchEnd - first,
				this.#bytes,
				starts[first],
				starts[batchEnd] - starts[first],
			) ?? -1;
		if (got < 0) {
			return -1;
		}

		let end = first;
		while (end < batchEnd && starts[end + 1] - starts[first] <= got) {
			this.#isRead[end++] = 1;
		}

		return end;
	}

	#readOne(range: number): void {
		const start = this.#starts[range];
		const length = this.#starts[range + 1] - start;
		this.#isRead[range] = this.#memory.read(this.#addressOf(range), this.#bytes, start, length) === length ? 1 : 0;
	}

	#addressOf(range: number): number {
		const at = range * bytesPerVector / 4;
		return wordOf(this.#vectors[at], this.#vectors[at + 1]);
	}

	#grow(): void {
		const size = this.count * 2;
		const vectors = new Uint32Array(size * bytesPerVector / 4);
		vectors.set(this.#vectors);
		this.#vectors = vectors;
		this.#vectorsAsBytes = new Uint8Array(vectors.buffer);
		const starts = new Uint32Array(size + 1);
		starts.set(this.#starts);
		this.#starts = starts;
		this.#isRead = new Uint8Array(size);
	}
}
