import {cStringLimit, type Reader} from './reader.js';

const blockBytes = 4096;

/** Maximum number of blocks kept; strings elsewhere are read one by one. */
const blockLimit = 1024;

/** Zero-terminated constant strings that lie close together, as those of HotSpot's tables, read by the block. */
export class Strings {
	readonly #reader: Reader;
	readonly #blocks = new Map<number, Buffer>();

	constructor(reader: Reader) {
		this.#reader = reader;
	}

	/** The string at an address. Throws `Unreadable`. */
	at(address: number): string {
		const inBlock = address % blockBytes;
		const block = this.#blockAt(address - inBlock);
		const end = block?.indexOf(0, inBlock) ?? -1;
		return block && end !== -1 && end - inBlock < cStringLimit ? block.toString('latin1', inBlock, end) : this.#reader.cString(address);
	}

	/** The readable bytes of a block. */
	#blockAt(start: number): Buffer | undefined {
		let block = this.#blocks.get(start);
		if (!block && this.#blocks.size < blockLimit) {
			block = Buffer.alloc(blockBytes);
			block = block.subarray(0, this.#reader.memory.read(start, block, 0, blockBytes));
			this.#blocks.set(start, block);
		}

		return block;
	}
}
