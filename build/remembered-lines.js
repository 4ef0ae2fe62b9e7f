/*
Ink puts a frame together from a cell object for every character of the screen, styles and all, each time anew
(ink/build/output.js). This stands in for it: a line on which nothing changed stays as it is, and one whose texts lie
side by side is those texts. All else (texts that overlap, wide characters, clipping) is left to Ink. It is performance
only: without it the screen is the same.
*/
import InkOutput from '../node_modules/ink/build/output.js';

/** Characters that take a cell each: ASCII, and those that our own words and bars are made of. */
const narrow = '[ -~…─▁-█▲▼]';
const color = String.raw`(?:[39]\d|38;5;\d{1,3})`;
/**
Such characters, and pieces of them in attributes that are taken back at their end: nothing reaches beyond the text.
*/
const closed = new RegExp(String.raw`^(?:${narrow}|\u001B\[(?:[12]m${narrow}+\u001B\[22|[12];${color}m${narrow}+\u001B\[22;39|${color}m${narrow}+\u001B\[39|7m${narrow}+\u001B\[27)m)*$`);
const attribute = /\u001B\[[\d;]*m/g;
/** Attributes taken back where the same are set again, and a colour where another one is. */
const needless = /\u001B\[(?:[\d;]+m(?<=\u001B\[([\d;]+)m[^\u001B]*\u001B\[[\d;]+m)\u001B\[\1m|39m(?=\u001B\[(?:1;)?[39]\dm))/g;

/** Lines of the frame before: what each was made of, and the line. */
let before = [];

export default class Output extends InkOutput {
	get() {
		const lines = piecesOfLines(this.operations, this.height);
		if (!lines) {
			return super.get();
		}

		before = lines.map((pieces, index) => before[index] && isSame(pieces, before[index].pieces) ? before[index] : {pieces, line: lineOf(pieces, this.width)});
		return {output: before.map(({line}) => line).join('\n'), height: lines.length};
	}
}

/** The line that texts make, each written over those before it; `x` is the cell that it begins at. */
export function lineOf(pieces, width) {
	const line = sideBySide(pieces);
	if (line !== undefined) {
		return line;
	}

	const output = new InkOutput({width, height: 1});
	for (const {x, text} of pieces) {
		output.write(x, 0, text, {transformers: []});
	}

	return output.get().output;
}

/** What is written to each line, in order; undefined where something is clipped. */
function piecesOfLines(operations, height) {
	const lines = Array.from({length: height}, () => []);
	for (const {type, x, y, text, transformers} of operations) {
		if (type !== 'write') {
			return undefined;
		}

		for (const [index, written] of text.split('\n').entries()) {
			let line = written;
			for (const transformer of transformers) {
				line = transformer(line, index);
			}

			if (line !== '') {
				lines[y + index]?.push({x, text: line});
			}
		}
	}

	return lines;
}

function isSame(a, b) {
	return a.length === b.length && a.every(({x, text}, index) => x === b[index].x && text === b[index].text);
}

/** The line, where each text begins behind the end of the one before; undefined for all others. */
function sideBySide(pieces) {
	let [line, end] = ['', 0];
	for (const {x, text} of pieces) {
		if (text === '') {
			continue;
		}

		if (x < end || !closed.test(text)) {
			return undefined;
		}

		line += ' '.repeat(x - end) + text;
		end = x + (text.includes('\u001B') ? text.replaceAll(attribute, '').length : text.length);
	}

	return line.replaceAll(needless, '').trimEnd();
}
