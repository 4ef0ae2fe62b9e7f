import {fstatSync} from 'node:fs';
import {inflateRawSync} from 'node:zlib';
import {readAt} from '../jvm/system/proc.js';

/*
Reads jars: PKWARE's APPNOTE 6.3.10, sections 4.3.7 (local header), 4.3.12 (central directory) and 4.3.16 (its end), not
ZIP64. Jars are untrusted: each length and offset is bounded and checked against the file before it is used.
*/

const endSignature = 0x06_05_4B_50;
const entrySignature = 0x02_01_4B_50;
const localSignature = 0x04_03_4B_50;
const endBytes = 22;
const entryBytes = 46;
const localBytes = 30;
/** The length of the comment after the end record has 16 bits. */
const maxCommentBytes = 0xFF_FF;

/** The directory of the JDK's src.zip has 4 MB and 27,000 files. */
const maxDirectoryBytes = 16 * 1024 * 1024;
const maxEntries = 100_000;
/** Compression methods. */
const stored = 0;
const deflated = 8;

/** An entry of the directory; `at`: offset of its local header. */
type Entry = {readonly method: number; readonly packedBytes: number; readonly bytes: number; readonly at: number};

/** A zip file, with those of its entries that are wanted. */
export class Zip {
	readonly #fd: number;
	readonly #maxBytes: number;
	readonly #entries: ReadonlyMap<string, Entry>;

	/**
	Reads the directory of an open file; the caller keeps and closes it. Skips entries longer than `maxBytes`. Throws an
	Error if it is not a zip file.
	*/
	constructor(fd: number, isWanted: (name: string) => boolean, maxBytes: number) {
		this.#fd = fd;
		this.#maxBytes = maxBytes;
		this.#entries = this.#readDirectory(isWanted);
	}

	get names(): Iterable<string> {
		return this.#entries.keys();
	}

	/** Returns an entry's content; undefined if there is no such entry. Throws an Error if it is damaged. */
	read(name: string): Buffer | undefined {
		const entry = this.#entries.get(name);
		if (!entry) {
			return undefined;
		}

		const local = this.#bytes(entry.at, localBytes);
		if (local.readUInt32LE(0) !== localSignature) {
			throw new Error('damaged zip file: no entry where one should be');
		}

		const packed = this.#bytes(
			entry.at + localBytes + local.readUInt16LE(26) + local.readUInt16LE(28),
			entry.packedBytes,
		);
		return entry.method === stored
			? packed
			: inflateRawSync(packed, {maxOutputLength: Math.max(1, this.#maxBytes)});
	}

	#readDirectory(isWanted: (name: string) => boolean): Map<string, Entry> {
		const tail = readAt(
			this.#fd,
			Math.max(0, fstatSync(this.#fd).size - endBytes - maxCommentBytes),
			endBytes + maxCommentBytes,
		);
		let end = tail.length - endBytes;
		while (end >= 0 && tail.readUInt32LE(end) !== endSignature) {
			end--;
		}

		if (end < 0) {
			throw new Error('not a zip file');
		}

		const size = tail.readUInt32LE(end + 12);
		if (size > maxDirectoryBytes) {
			throw new Error('too large a zip directory');
		}

		const directory = this.#bytes(tail.readUInt32LE(end + 16), size);
		const entries = new Map<string, Entry>();
		let count = 0;
		for (let at = 0; at + entryBytes <= directory.length && count < maxEntries; count++) {
			if (directory.readUInt32LE(at) !== entrySignature) {
				break;
			}

			const nameBytes = directory.readUInt16LE(at + 28);
			const name = directory.toString(
				'utf8',
				at + entryBytes,
				Math.min(directory.length, at + entryBytes + nameBytes),
			);
			const entry: Entry = {
				method: directory.readUInt16LE(at + 10),
				packedBytes: directory.readUInt32LE(at + 20),
				bytes: directory.readUInt32LE(at + 24),
				at: directory.readUInt32LE(at + 42),
			};
			const isReadable = (entry.method === stored && entry.bytes === entry.packedBytes)
				|| entry.method === deflated;
			if (isReadable && entry.bytes <= this.#maxBytes && entry.packedBytes <= this.#maxBytes && isWanted(name)) {
				entries.set(name, entry);
			}

			at += entryBytes + nameBytes + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32);
		}

		return entries;
	}

	#bytes(at: number, length: number): Buffer {
		const bytes = readAt(this.#fd, at, length);
		if (bytes.length < length) {
			throw new Error('damaged zip file: it ends too early');
		}

		return bytes;
	}
}
