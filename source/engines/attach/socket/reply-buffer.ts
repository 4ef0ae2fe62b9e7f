/**
Largest reply taken. 1,000 threads of 200 frames give 7 MB; a dump of this size stops the target for most of a second,
and sampling by dumps makes no sense.
*/
export const maxReplyBytes = 64 * 1024 * 1024;
const firstBytes = 64 * 1024;
/** The size of one read: a Unix socket hands out about 200 KB at most by default (net.core.wmem_default). */
const scratchBytes = 128 * 1024;

/** Bytes of one reply after the other in one growing buffer, so that a dump leaves no garbage of its own size. */
export class ReplyBuffer {
	/** Where the connection puts what it has just read. */
	readonly scratch = Buffer.allocUnsafeSlow(scratchBytes);
	#bytes = Buffer.allocUnsafeSlow(firstBytes);
	#length = 0;
	readonly #maxBytes: number;

	constructor(maxBytes = maxReplyBytes) {
		this.#maxBytes = maxBytes;
	}

	get length(): number {
		return this.#length;
	}

	clear(): void {
		this.#length = 0;
	}

	/** Copies bytes to the end; false, with nothing copied, when there would be more than the bound. */
	append(bytes: Uint8Array, count: number): boolean {
		const needed = this.#length + count;
		if (needed > this.#maxBytes) {
			return false;
		}

		if (needed > this.#bytes.length) {
			const grown = Buffer.allocUnsafeSlow(Math.min(this.#maxBytes, Math.max(needed, this.#bytes.length * 2)));
			this.#bytes.copy(grown, 0, 0, this.#length);
			this.#bytes = grown;
		}

		this.#bytes.set(bytes.length === count ? bytes : bytes.subarray(0, count), this.#length);
		this.#length = needed;
		return true;
	}

	/** The bytes from `start` on: a view, valid until the next `clear`. */
	view(start = 0): Buffer {
		return this.#bytes.subarray(start, this.#length);
	}
}
