import {Ranges} from '../target/ranges.js';
import {type CodeBlob} from './code-blob.js';
import {type Vm} from './vm.js';

/**
Finds out which compiled methods are still at their addresses, many in one read. Another one at the same address differs
in its name, size, compile id or Method.
*/
export class BlobIdentities {
	readonly #ranges: Ranges;
	/** Where these values are: from `start` on in a blob, and from there on in a range. */
	readonly #start: number;
	readonly #length: number;
	readonly #name: number;
	readonly #size: number;
	readonly #compileId: number;
	readonly #method: number;

	constructor({reader, layout: {fields}}: Vm) {
		const {blobName, blobSize, nmethodCompileId, nmethodMethod} = fields;
		this.#ranges = new Ranges(reader.memory);
		this.#start = Math.min(blobName, blobSize, nmethodCompileId, nmethodMethod);
		this.#length = Math.max(blobName, blobSize, nmethodCompileId, nmethodMethod) + 8 - this.#start;
		this.#name = blobName - this.#start;
		this.#size = blobSize - this.#start;
		this.#compileId = nmethodCompileId - this.#start;
		this.#method = nmethodMethod - this.#start;
	}

	/** Returns those of the blobs that are gone or unreadable. */
	changed(blobs: readonly CodeBlob[]): readonly CodeBlob[] {
		this.#ranges.clear();
		for (const {address} of blobs) {
			this.#ranges.add(address + this.#start, this.#length);
		}

		this.#ranges.read();
		return blobs.filter((blob, range) => !this.#isSame(blob, range));
	}

	#isSame({namePointer, size, compileId, method}: CodeBlob, range: number): boolean {
		const ranges = this.#ranges;
		return ranges.isRead(range) && ranges.word(range, this.#name) === namePointer
			&& ranges.u32(range, this.#size) === size && ranges.u32(range, this.#compileId) === compileId
			&& ranges.word(range, this.#method) === method;
	}
}
