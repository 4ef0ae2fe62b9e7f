import {gunzipSync, gzipSync} from 'node:zlib';
import {type Registers} from '../../../source/engines/memory/arch/architecture.js';
import {type Symbols} from '../../../source/engines/memory/hotspot/vm-structs.js';
import {type Memory} from '../../../source/engines/memory/target/memory.js';

/** Bytes kept together: small, since most reads are. */
export const granule = 128;

/** What an image is made of beside the memory: where the tables are, and what a live session saw. */
export type ImageFacts = {
	readonly release: number;
	readonly symbols: Array<[string, number]>;
	readonly threads: string[];
	/** Of an image with records of running threads: what the kernel wrote, and the frames that a live session saw. */
	readonly records?: RecordedThread[];
};

/** `stack`: in base 64; `base`: where the thread's stack ends. */
export type RecordedThread = {
	readonly registers: Registers;
	readonly stack: string;
	readonly base: number;
	readonly frames: string[];
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

/** A live memory that keeps everything that is read of it, as it was at the first read. */
export class RecordingMemory implements Memory {
	readonly #kept = new Map<number, Uint8Array>();

	constructor(readonly live: Memory) {}

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		const got = this.live.read(address, into, offset, length);
		for (let at = address - (address % granule); at < address + got; at += granule) {
			if (!this.#kept.has(at)) {
				const bytes = new Uint8Array(granule);
				const count = this.live.read(at, bytes, 0, granule);
				this.#kept.set(at, bytes.subarray(0, count));
			}
		}

		return got;
	}

	/** Everything kept, as a compressed file: facts as JSON in a line, then each piece's address, length and bytes. */
	save(facts: ImageFacts): Buffer {
		const pieces = [...this.#kept].sort(([a], [b]) => a - b).map(([address, bytes]) => {
			const head = Buffer.alloc(9);
			head.writeDoubleLE(address);
			head[8] = bytes.length;
			return Buffer.concat([head, bytes]);
		});
		return gzipSync(Buffer.concat([Buffer.from(`${JSON.stringify(facts)}\n`), ...pieces]), {level: 9});
	}
}
