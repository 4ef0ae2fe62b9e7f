import {Buffer} from 'node:buffer';
import {decodeModifiedUtf8} from '../util/printable.js';

/*
Reads the attribute of a class file that holds its SMAP (JVMS 4.1, 4.4, 4.7.11). Class files are untrusted: every read
is checked against the end of the file.
*/

const magic = 0xCA_FE_BA_BE;

/** Bytes after the tag of each kind of constant (JVMS table 4.4-A); those of a Utf8 (1) are counted by its length. */
const constantBytes: Readonly<Record<number, number>> = {
	3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4, 19: 2, 20: 2,
};

const utf8Tag = 1;
/** Constants of these kinds take two numbers: Long and Double. */
const wideTags = new Set([5, 6]);

/** Longer SMAPs are ignored. */
const maxExtensionBytes = 256 * 1024;

/** Returns the text of a class file's SourceDebugExtension; undefined if it has none or is damaged. */
export function sourceDebugExtension(bytes: Uint8Array): string | undefined {
	try {
		return new ClassFile(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)).extension();
	} catch (error) {
		if (error instanceof RangeError) {
			return undefined;
		}

		throw error;
	}
}

/** A cursor over a class file. Reads beyond its end throw a RangeError. */
class ClassFile {
	readonly #bytes: Buffer;
	#at = 0;

	constructor(bytes: Buffer) {
		this.#bytes = bytes;
	}

	extension(): string | undefined {
		if (this.#u4() !== magic) {
			return undefined;
		}

		this.#skip(4);
		const nameIndexes = this.#constants();
		this.#skip(6);
		this.#skip(2 * this.#u2());
		// Fields, then methods.
		for (let kind = 0; kind < 2; kind++) {
			for (let members = this.#u2(); members > 0; members--) {
				this.#skip(6);
				this.#attribute(new Set());
			}
		}

		return this.#attribute(nameIndexes);
	}

	/** Passes the constant pool; returns the indexes of the constant that names the attribute. */
	#constants(): ReadonlySet<number> {
		const found = new Set<number>();
		const count = this.#u2();
		for (let index = 1; index < count; index++) {
			const tag = this.#bytes.readUInt8(this.#skip(1));
			if (tag === utf8Tag) {
				const length = this.#u2();
				const start = this.#skip(length);
				if (this.#bytes.toString('latin1', start, start + length) === 'SourceDebugExtension') {
					found.add(index);
				}

				continue;
			}

			if (constantBytes[tag] === undefined) {
				throw new RangeError('unknown constant');
			}

			this.#skip(constantBytes[tag]);
			index += Number(wideTags.has(tag));
		}

		return found;
	}

	/** Passes a table of attributes; returns the text of the one with such a name. */
	#attribute(nameIndexes: ReadonlySet<number>): string | undefined {
		let text: string | undefined;
		for (let attributes = this.#u2(); attributes > 0; attributes--) {
			const isWanted = nameIndexes.has(this.#u2());
			const length = this.#u4();
			const start = this.#skip(length);
			if (isWanted && length <= maxExtensionBytes) {
				text = decodeModifiedUtf8(this.#bytes, start, start + length);
			}
		}

		return text;
	}

	#u2(): number {
		return this.#bytes.readUInt16BE(this.#skip(2));
	}

	#u4(): number {
		return this.#bytes.readUInt32BE(this.#skip(4));
	}

	/** Passes these bytes; returns where they start. */
	#skip(length: number): number {
		const start = this.#at;
		if (start + length > this.#bytes.length) {
			throw new RangeError('the class file ends too early');
		}

		this.#at += length;
		return start;
	}
}
