import {cellWidth, cut, graphemes} from '../../model/cell-width.js';

export {cut, fit, pad} from '../../model/cell-width.js';

/*
Text by terminal cells: every line of the screen is cut and padded here, before any colour goes in.
*/

/** The text without its first cells. */
export function dropCells(text: string, count: number): string {
	let [dropped, from] = [0, 0];
	for (const {text: character, cells} of graphemes(text)) {
		if (dropped >= count) {
			break;
		}

		dropped += cells;
		from += character.length;
	}

	return ' '.repeat(Math.max(0, dropped - count)) + text.slice(from);
}

/** The characters of a text that fit into so many cells; one at least. */
function firstCells(text: string, width: number): string {
	let [kept, used] = ['', 0];
	for (const {text: character, cells} of graphemes(text)) {
		used += cells;
		if (used > width && kept !== '') {
			break;
		}

		kept += character;
	}

	return kept;
}

/**
The text in lines of at most `width` cells, broken at blanks; a word that is longer than a line is broken where the line
ends. At least one line.
*/
export function wrapped(text: string, width: number): string[] {
	const room = Math.max(1, width);
	const lines: string[] = [];
	let line = '';
	for (const word of text.split(' ')) {
		if (line !== '' && cellWidth(line) + 1 + cellWidth(word) > room) {
			lines.push(line);
			line = word;
		} else {
			line = line === '' ? word : `${line} ${word}`;
		}

		while (cellWidth(line) > room) {
			const head = firstCells(line, room);
			lines.push(head);
			line = line.slice(head.length);
		}
	}

	return [...lines, line];
}

/** A part of a line, and how much it matters: what matters least goes first when the line is too narrow. 0 stays. */
export type Piece = {readonly text: string; /** What it stands for, for who clicks on it. */ readonly id?: string; readonly rank: number; readonly look?: (text: string) => string};

/**
Pieces in one line no wider than `width`, parted by `separator`; the least important ones left out, the last one left
cut.
*/
export function fitPieces(pieces: readonly Piece[], width: number, separator: string): string {
	const kept = keptPieces(pieces, width, separator);
	return kept.map(({text, look}) => {
		const fitting = kept.length === 1 ? cut(text, width) : text;
		return look ? look(fitting) : fitting;
	}).join(separator);
}

/** The id of the piece at a cell of such a line; undefined for none. */
export function pieceAt(at: number, pieces: readonly Piece[], width: number, separator: string): string | undefined {
	let start = 0;
	for (const {text, id} of keptPieces(pieces, width, separator)) {
		const end = start + cellWidth(text);
		if (at >= start && at < end) {
			return id;
		}

		start = end + separator.length;
	}

	return undefined;
}

function keptPieces(pieces: readonly Piece[], width: number, separator: string): readonly Piece[] {
	let kept = pieces.filter(({text}) => text !== '');
	while (kept.length > 1 && lengthOf(kept, separator) > width) {
		const worst = Math.max(...kept.map(({rank}) => rank));
		const at = kept.findLastIndex(({rank}) => rank === worst);
		kept = kept.toSpliced(at, 1);
	}

	return kept;
}

function lengthOf(pieces: readonly Piece[], separator: string): number {
	let length = separator.length * (pieces.length - 1);
	for (const {text} of pieces) {
		length += cellWidth(text);
	}

	return length;
}

const attribute = /\u001B\[[\d;]*m/g;

/** Terminal cells of a line that may have colours. */
export function styledWidth(line: string): number {
	return cellWidth(line.includes('\u001B') ? line.replaceAll(attribute, '') : line);
}

/**
A finished line cut to `width` cells, its colours kept and closed: the last guard against lines that would wrap on
screens of a few cells.
*/
export function clip(line: string, width: number): string {
	if (styledWidth(line) <= width) {
		return line;
	}

	let [kept, used] = ['', 0];
	for (const [part] of line.matchAll(/\u001B\[[\d;]*m|[^\u001B]+/g)) {
		if (part.startsWith('\u001B')) {
			kept += part;
			continue;
		}

		for (const {text, cells} of graphemes(part)) {
			const fits = used + cells <= width;
			kept += fits ? text : '';
			used = fits ? used + cells : width;
		}
	}

	return kept;
}
