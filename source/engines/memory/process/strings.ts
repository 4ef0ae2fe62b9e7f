import {cStringLimit, type Reader} from './reader.js';

const blockBytes = 4096;

/** Blocks kept at most; what lies in others is read string by string. */
const blockLimit = 1024;

/**
Zero-terminated strings that lie close together, as those of a library's tables do, and do not change: memory is read by
the block. HotSpot's tables have some 4,000; a read for each of them was a third of the time that opening a JVM took.
*/
export class Strings {
	readonly #reader: Reader;
	readonly #blocks = new Map<number, Buffer>();

	constructor(reader: Reader) {
		this.#reader = reader;
	}

	/** As `cString` of the reader. */
	at(address: number): string {
		const inBlock = address % blockBytes;
		const block = this.#blockAt(address - inBlock);
		const end = block?.indexOf(0, inBlock) ?? -1;
		return block && end !== -1 && end - inBlock < cStringLimit ? block.toString('latin1', inBlock, end) : this.#reader.cString(address);
	}

	/** The bytes of a block from its start on, as far as they can be read. */
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
