import stringWidth from 'string-width';
import {remembered} from './remembered.js';

/*
Text by terminal cells, counted as Ink counts them when it puts a line together (ink/build/output.js): by what a reader
takes for one character, each at least one cell wide. Texts are printable: no escape sequences.
*/

/** A character as a reader sees it, with its combining marks or the parts of its picture, and the cells it takes. */
type Grapheme = {readonly text: string; readonly cells: number};

/** Latin, and what our own words and bars are made of. */
const oneCellEach = /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u00FF…─▁-█▲▼]*$/;
/** Made with the first other text: 15 ms. */
let segmenter: Intl.Segmenter | undefined;

/** Other texts taken apart, and cells of their characters: most are the same at each refresh. */
const known = new Map<string, readonly Grapheme[]>();
const knownCells = new Map<string, number>();
const maxKnown = 1000;

/** Terminal cells that a printable text takes. */
export function cellWidth(text: string): number {
	if (oneCellEach.test(text)) {
		return text.length;
	}

	let width = 0;
	for (const {cells} of graphemes(text)) {
		width += cells;
	}

	return width;
}

/** The characters of a text. */
export function graphemes(text: string): readonly Grapheme[] {
	if (oneCellEach.test(text)) {
		return Array.from(text, character => ({text: character, cells: 1}));
	}

	return remembered(known, text, maxKnown, () => {
		segmenter ??= new Intl.Segmenter();
		return Array.from(segmenter.segment(text), ({segment}) => ({
			text: segment,
			cells: remembered(knownCells, segment, maxKnown, () => Math.max(1, stringWidth(segment))),
		}));
	});
}

/** The text cut at its end to a number of cells, with an ellipsis in the last one. */
export function cut(text: string, width: number): string {
	if (cellWidth(text) <= width) {
		return text;
	}

	return width > 0 ? `${firstCells(text, width - 1)}…` : '';
}

/** The end of a text, with an ellipsis before it where it had to be cut to take no more than `room` cells. */
export function cutStart(text: string, room: number): string {
	if (cellWidth(text) <= room) {
		return text;
	}

	return room > 0 ? `…${text.slice(text.length - (oneCellEach.test(text) ? room - 1 : unitsOf(graphemes(text).toReversed(), room - 1)))}` : '';
}

/** The start and the end of a text that had to be cut, with an ellipsis between them: names of threads differ in their ends. */
export function cutMiddle(text: string, room: number): string {
	const end = Math.min(room, Math.floor(room / 2) + 1);
	return cellWidth(text) <= room ? text : cut(text, room - end + 1).slice(0, -1) + cutStart(text, end);
}

/** The text padded with blanks to a number of cells; not shortened. */
export function pad(text: string, width: number, align: 'left' | 'right' = 'left'): string {
	const blanks = ' '.repeat(Math.max(0, width - cellWidth(text)));
	return align === 'left' ? text + blanks : blanks + text;
}

/** The text cut or padded to a number of cells. */
export function fit(text: string, width: number, align: 'left' | 'right' = 'left'): string {
	if (text.length > width || !oneCellEach.test(text)) {
		return pad(cut(text, width), width, align);
	}

	return align === 'left' ? text.padEnd(width) : text.padStart(width);
}

/** The first characters that fit into a number of cells. */
export function firstCells(text: string, room: number): string {
	return text.slice(0, oneCellEach.test(text) ? room : unitsOf(graphemes(text), room));
}

/** Length in UTF-16 units of the first characters that fit into `room` cells. */
function unitsOf(characters: readonly Grapheme[], room: number): number {
	let [used, units] = [0, 0];
	for (const {text, cells} of characters) {
		used += cells;
		if (used > room) {
			break;
		}

		units += text.length;
	}

	return units;
}
