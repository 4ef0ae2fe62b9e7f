import {Unsigned5} from './unsigned5.js';

/** A method's line numbers, in no particular order: the code from bytecode index `bcis[i]` on is on `lines[i]`. */
export type LineTable = {readonly bcis: readonly number[]; readonly lines: readonly number[]};

/** Maximum entries of a table: a method has at most 65,535 bytes of code. */
const entryLimit = 65_536;

/** Usual maximum bytes of a table; an entry takes at most 11 bytes, usually one. */
export const lineTableBytes = 4096;

/** Byte before two signed deltas; any other byte has both, in 5 and 3 bits. */
const escape = 0xFF;

/**
Decodes a compressed line number table (CompressedLineNumberReadStream of method.hpp). For a truncated table, returns
the complete entries and sets `isTruncated`. `excluded`: see `Unsigned5`.
*/
export function decodeLineTable(bytes: Uint8Array, excluded: number): LineTable & {readonly isTruncated: boolean} {
	const stream = new Unsigned5(bytes, excluded);
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
