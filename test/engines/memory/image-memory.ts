import {gunzipSync} from 'node:zlib';
import {type Symbols} from '../../../source/engines/memory/hotspot/vm-structs.js';
import {type Memory} from '../../../source/engines/memory/target/memory.js';

/** Bytes kept together: small, since most reads are. */
export const granule = 128;

/** What an image is made of beside the memory: where the tables are, and what a live session saw. */
export type ImageFacts = {
	readonly release: number;
	readonly symbols: Array<[string, number]>;
	readonly threads: string[];
};

/** A recorded memory: what was not read then cannot be read now. */
export class ImageMemory implements Memory {
	readonly facts: ImageFacts;
	readonly pieces = new Map<number, Uint8Array>();

	constructor(file: Uint8Array) {
		const bytes = gunzipSync(file);
		const end = bytes.indexOf(10);
		this.facts = JSON.parse(bytes.toString('utf8', 0, end)) as ImageFacts;
		for (let at = end + 1; at < bytes.length; at += 9 + bytes[at + 8]) {
			this.pieces.set(bytes.readDoubleLE(at), bytes.subarray(at + 9, at + 9 + bytes[at + 8]));
		}
	}

	get symbols(): Symbols {
		return new Map(this.facts.symbols);
	}

	/** Changes bytes that were recorded; others stay unreadable. */
	write(address: number, bytes: Uint8Array): void {
		for (const [index, byte] of bytes.entries()) {
			const at = address + index;
			const piece = this.pieces.get(at - (at % granule));
			if (piece && at % granule < piece.length) {
				piece[at % granule] = byte;
			}
		}
	}

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		let done = 0;
		while (done < length) {
			const at = address + done;
			const piece = this.pieces.get(at - (at % granule));
			const part = piece?.subarray(at % granule, (at % granule) + length - done);
			if (!part || part.length === 0) {
				break;
			}

			into.set(part, offset + done);
			done += part.length;
		}

		return done;
	}
}
