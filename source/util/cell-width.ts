import stringWidth from 'string-width';
import {cached} from './get-or-create.js';
import {safe, type Printable} from './printable.js';

/*
Measures and elides text in terminal cells, counted as Ink does (ink/build/output.js): by grapheme, each at least one
cell wide.
*/

/** A user-perceived character, with its combining marks or the parts of its emoji, and its width. */
type Grapheme = {readonly text: Printable; readonly cells: number};

/** Texts of characters one cell wide: printable Latin-1, and those that our bars and marks use. */
const oneCellEach = /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u00FF…─▁-▏▲▼]*$/;
/** Created at first use, as that takes long. */
let segmenter: Intl.Segmenter | undefined;

/** For other texts, most of which are the same at each refresh. */
const cachedGraphemes = new Map<string, readonly Grapheme[]>();
const cachedWidths = new Map<string, number>();
const maxCached = 1000;

/** Returns the width of a printable text, terminal cells. */
export function cellWidth(text: Printable): number {
	if (oneCellEach.test(text)) {
		return text.length;
	}

	let width = 0;
	for (const {cells} of graphemes(text)) {
		width += cells;
	}

	return width;
}

/** Splits a text into user-perceived characters. */
export function graphemes(text: Printable): readonly Grapheme[] {
	if (oneCellEach.test(text)) {
		return [...text].map(character => ({text: character, cells: 1}));
	}

	return cached(cachedGraphemes, text, maxCached, () => {
		segmenter ??= new Intl.Segmenter();
		return Array.from(segmenter.segment(text), ({segment, index}) => ({
			text: text.slice(index, index + segment.length),
			cells: cached(cachedWidths, segment, maxCached, () => Math.max(1, stringWidth(segment))),
		}));
	});
}

/** Returns the text; if it is wider than `width` cells, its start with an ellipsis in the last cell. */
export function elideEnd(text: Printable, width: number): Printable {
	if (cellWidth(text) <= width) {
		return text;
	}

	return width > 0 ? safe`${firstCells(text, width - 1)}…` : safe``;
}

/** Returns the text; if it is wider than `width` cells, its end after an ellipsis. */
export function elideStart(text: Printable, width: number): Printable {
	if (cellWidth(text) <= width) {
		return text;
	}

	const endUnits = oneCellEach.test(text) ? width - 1 : unitsThatFit(graphemes(text).toReversed(), width - 1);
	return width > 0 ? safe`…${text.slice(text.length - endUnits)}` : safe``;
}

/** Returns the text; if wider than `width` cells, its start and end around an ellipsis: thread names differ in both. */
export function elideMiddle(text: Printable, width: number): Printable {
	// The width of the end includes the ellipsis.
	const endWidth = Math.min(width, Math.floor(width / 2) + 1);
	return cellWidth(text) <= width ? text : safe`${firstCells(text, width - endWidth)}${elideStart(text, endWidth)}`;
}

/** Pads the text with blanks to `width` cells; never shortens it. */
export function pad(text: Printable, width: number, align: 'left' | 'right' = 'left'): Printable {
	const length = text.length + Math.max(0, width - cellWidth(text));
	return align === 'left' ? text.padEnd(length) : text.padStart(length);
}

/** Elides or pads the text to exactly `width` cells. */
export function fit(text: Printable, width: number, align: 'left' | 'right' = 'left'): Printable {
	if (text.length > width || !oneCellEach.test(text)) {
		return pad(elideEnd(text, width), width, align);
	}

	return align === 'left' ? text.padEnd(width) : text.padStart(width);
}

/** Returns the first characters that fit into `width` cells. */
export function firstCells(text: Printable, width: number): Printable {
	return text.slice(0, oneCellEach.test(text) ? width : unitsThatFit(graphemes(text), width));
}

/** Returns the length, in UTF-16 units, of the first graphemes that fit into `width` cells. */
function unitsThatFit(characters: readonly Grapheme[], width: number): number {
	let [usedCells, units] = [0, 0];
	for (const {text, cells} of characters) {
		usedCells += cells;
		if (usedCells > width) {
			break;
		}

		units += text.length;
	}

	return units;
}
