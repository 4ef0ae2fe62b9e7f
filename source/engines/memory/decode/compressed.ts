import {fail} from '../target/memory-reader.js';

/**
Reads HotSpot's UNSIGNED5 numbers (unsigned5.hpp; before 20 compressedStream.hpp): up to five bytes, the low part first,
six bits in each from the second on; a byte of 192 or more continues the number. `excludedBytes`: number of byte values
not used as digits, 1 since 20 (JDK-8292758), 0 before. Throws `Unreadable` at the end of the bytes.
*/
export class Unsigned5 {
	position: number;
	readonly #bytes: Uint8Array;
	readonly #excludedBytes: number;

	constructor(bytes: Uint8Array, excludedBytes: number, position = 0) {
		this.#bytes = bytes;
		this.#excludedBytes = excludedBytes;
		this.position = position;
	}

	next(): number {
		let sum = 0;
		let scale = 1;
		for (let index = 0; index < 5; index++) {
			const byte = this.byte();
			if (byte < this.#excludedBytes) {
				fail();
			}

			sum += (byte - this.#excludedBytes) * scale;
			scale *= 64;
			if (byte < 192) {
				break;
			}
		}

		return sum >>> 0;
	}

	/** Reads a signed, zig-zag encoded number. */
	nextSigned(): number {
		const value = this.next();
		return (value >>> 1) ^ -(value & 1);
	}

	byte(): number {
		if (!(this.position >= 0 && this.position < this.#bytes.length)) {
			fail();
		}

		return this.#bytes[this.position++];
	}
}

/** A field of a class. `offset`: in an object, bytes. The indices of an injected field are not of the constant pool. */
export type FieldInfo = {
	readonly nameIndex: number;
	readonly signatureIndex: number;
	readonly offset: number;
	readonly isInjected: boolean;
	readonly isStatic: boolean;
};

/** ACC_STATIC (JVMS 4.5). */
const accStatic = 0x00_08;

/** Maximum fields of a class (JVMS 4.1: a u2). */
const fieldLimit = 65_535;

/**
Decodes InstanceKlass._fields of 8 to 20 (fieldInfo.hpp): six u2 a field, the last two for offset and two flags.
`count`: of the fields before the injected ones.
*/
export function decodeFieldTuples(bytes: Uint8Array, count: number): FieldInfo[] {
	const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
	const size = 12;
	return Array.from({length: Math.min(count, Math.floor(bytes.length / size))}, (_, index) => {
		const at = index * size;
		return {
			nameIndex: view.getUint16(at + 2, true),
			signatureIndex: view.getUint16(at + 4, true),
			offset: (view.getUint16(at + 8, true) + (view.getUint16(at + 10, true) * 0x1_00_00)) >>> 2,
			isInjected: false,
			isStatic: (view.getUint16(at, true) & accStatic) !== 0,
		};
	});
}

/** Flag bits that add a number each: initial value, generic signature, contended group (fieldInfo.hpp, 21+). */
const addsNumber = [0, 2, 4];

/** Decodes InstanceKlass._fieldinfo_stream of 21 and later (JDK-8292818). Throws `Unreadable` on invalid bytes. */
export function decodeFieldStream(bytes: Uint8Array): FieldInfo[] {
	const stream = new Unsigned5(bytes, 1);
	const [declared, injected] = [stream.next(), stream.next()];
	return Array.from({length: Math.min(declared + injected, fieldLimit)}, (_, index) => {
		const nameIndex = stream.next();
		const signatureIndex = stream.next();
		const offset = stream.next();
		const access = stream.next();
		const flags = stream.next();
		for (const bit of addsNumber) {
			if (flags & (1 << bit)) {
				stream.next();
			}
		}

		return {nameIndex, signatureIndex, offset, isInjected: index >= declared, isStatic: (access & accStatic) !== 0};
	});
}

/** A method's line numbers, in no particular order: the code from bytecode index `bcis[i]` on is on `lines[i]`. */
export type LineTable = {readonly bcis: readonly number[]; readonly lines: readonly number[]};

/** Maximum entries of a table: a method has at most 65,535 bytes of code. */
const entryLimit = 65_536;

/** Byte before two signed deltas; any other byte holds both, in 5 and 3 bits. */
const escape = 0xFF;

/**
Decodes a compressed line number table (CompressedLineNumberReadStream of method.hpp). For a truncated table, returns
the complete entries and sets `isTruncated`. `excludedBytes`: see `Unsigned5`.
*/
export function decodeLineTable(bytes: Uint8Array, excludedBytes: number): LineTable & {readonly isTruncated: boolean} {
	const stream = new Unsigned5(bytes, excludedBytes);
	const bcis: number[] = [];
	const lines: number[] = [];
	let bci = 0;
	let line = 0;
	try {
		while (bcis.length < entryLimit) {
			const byte = stream.byte();
			if (byte === 0) {
				return {bcis, lines, isTruncated: false};
			}

			if (byte === escape) {
				bci += stream.nextSigned();
				line += stream.nextSigned();
			} else {
				bci += byte >> 3;
				line += byte & 7;
			}

			bcis.push(bci);
			lines.push(line);
		}
	} catch {}

	return {bcis, lines, isTruncated: true};
}

/** Returns the line of the nearest entry at or before a bytecode index (Method::line_number_from_bci), if any. */
export function lineAt(table: LineTable, bci: number): number | undefined {
	let best = -1;
	let line: number | undefined;
	for (let index = 0; index < table.bcis.length; index++) {
		const entry = table.bcis[index];
		// As in HotSpot: the first exact match, otherwise the first of the nearest.
		if (entry === bci) {
			return table.lines[index];
		}

		if (entry < bci && entry > best) {
			best = entry;
			line = table.lines[index];
		}
	}

	return line;
}
