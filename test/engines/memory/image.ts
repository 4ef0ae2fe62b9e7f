import {gunzipSync, gzipSync} from 'node:zlib';
import {type Memory} from '../../../source/engines/memory/target/memory.js';
import {type Symbols} from '../../../source/engines/memory/hotspot/vm-structs.js';

/** Bytes kept together: small, since most reads are. */
const granule = 128;

/** What an image is made of beside the memory: where the tables are, and what a live session saw. */
export type ImageFacts = {readonly release: number; readonly symbols: Array<[string, number]>; readonly threads: string[]};

/** A live memory that keeps everything that is read of it, as it was at the first read. */
export class RecordingMemory implements Memory {
	readonly #live: Memory;
	readonly #kept = new Map<number, Uint8Array>();

	constructor(live: Memory) {
		this.#live = live;
	}

	read(address: number, into: Uint8Array, offset: number, length: number): number {
		const got = this.#live.read(address, into, offset, length);
		for (let at = address - (address % granule); at < address + got; at += granule) {
			if (!this.#kept.has(at)) {
				const bytes = new Uint8Array(granule);
				const count = this.#live.read(at, bytes, 0, granule);
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
