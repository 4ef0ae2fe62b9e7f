import {Unsigned5} from './unsigned5.js';

/** A method's lines: `bcis[i]` is the first bytecode index of a run at `lines[i]`; runs are in no particular order. */
export type LineTable = {readonly bcis: readonly number[]; readonly lines: readonly number[]};

/** Most entries in one table: a method has at most 65,535 bytes of code. */
const entryLimit = 65_536;

/** What follows the bytecodes is longer than any table kept: an entry takes at most 11 bytes, most take one. */
export const lineTableBytes = 4096;

const escape = 0xFF;

/**
Decodes a compressed line number table (CompressedLineNumberReadStream of method.hpp). A truncated table gives the
entries before the cut, and sets `cut`.
*/
export function decodeLineTable(bytes: Uint8Array, excluded: number): LineTable & {readonly cut: boolean} {
	const stream = new Unsigned5(bytes, excluded);
	const bcis: number[] = [];
	const lines: number[] = [];
	let bci = 0;
	let line = 0;
	try {
		while (bcis.length < entryLimit) {
			const byte = stream.byte();
			if (byte === 0) {
				return {bcis, lines, cut: false};
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

	return {bcis, lines, cut: true};
}

/**
The line at a bytecode index: that of the largest entry at or before it, as Method::line_number_from_bci does; undefined
before the first.
*/
export function lineAt(table: LineTable, bci: number): number | undefined {
	let best = -1;
	let line: number | undefined;
	for (let index = 0; index < table.bcis.length; index++) {
		const entry = table.bcis[index];
		if (entry <= bci && entry >= best) {
			// Of several entries at one index HotSpot takes an exact match at once, otherwise the first of the largest.
			if (entry === bci) {
				return table.lines[index];
			}

			if (entry > best) {
				best = entry;
				line = table.lines[index];
			}
		}
	}

	return line;
}
