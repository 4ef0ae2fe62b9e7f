/** One side of a `|`: a word, a quoted text, or a regular expression. `at` is its index in the filter. */
export type Alternative = {readonly text: string; readonly kind: 'plain' | 'quoted' | 'regex'; readonly at: number};

/** A part of a filter between blanks. */
export type Term = {readonly isNegated: boolean; readonly alternatives: readonly Alternative[]};

/** An error in a filter: a message for the user, and the index where it is. */
export class FilterError extends Error {
	readonly at: number;

	constructor(message: string, at: number) {
		super(message);
		this.at = at;
	}
}

/** A comparison while it is typed: blanks may surround its sign, and its number may be missing. */
const comparison = /([a-z]+)\s*([<>]=?|=)\s*(-?[\d.]+%?)?(?=[\s|]|$)/iy;

/** Splits a filter into its terms. `isFigure`: whether a comparison may begin with the word. Throws FilterError. */
export function splitFilter(text: string, isFigure: (name: string) => boolean): Term[] {
	const terms: Term[] = [];
	let at = 0;
	while (at < text.length) {
		if (/\s/.test(text[at])) {
			at++;
			continue;
		}

		const isNegated = text[at] === '!';
		const [alternatives, end] = readAlternatives(text, at + Number(isNegated), isFigure);
		at = end;
		// A filter being typed may end in ! or |.
		if (alternatives.length > 0) {
			terms.push({isNegated, alternatives});
		}
	}

	return terms;
}

function readAlternatives(text: string, from: number, isFigure: (name: string) => boolean): [Alternative[], number] {
	const alternatives: Alternative[] = [];
	let at = from;
	for (;;) {
		const [alternative, end] = text[at] === '/' ? readRegex(text, at) : readComparison(text, at, isFigure) ?? readWord(text, at);
		if (alternative.text) {
			alternatives.push(alternative);
		}

		at = end;
		if (text[at] !== '|') {
			return [alternatives, at];
		}

		at++;
	}
}

function readRegex(text: string, from: number): [Alternative, number] {
	for (let at = from + 1; at < text.length; at++) {
		if (text[at] === '\\') {
			at++;
		} else if (text[at] === '/') {
			return [{text: text.slice(from + 1, at).replaceAll(String.raw`\/`, '/'), kind: 'regex', at: from}, at + 1];
		}
	}

	throw new FilterError('the closing / is missing', from);
}

/** Reads a comparison without its blanks; only that of a figure may lack the number. */
function readComparison(text: string, from: number, isFigure: (name: string) => boolean): [Alternative, number] | undefined {
	comparison.lastIndex = from;
	const [whole, name, sign, number] = comparison.exec(text) ?? [];
	return whole !== undefined && (number !== undefined || isFigure(name))
		? [{text: `${name}${sign}${number ?? ''}`, kind: 'plain', at: from}, from + whole.length]
		: undefined;
}

/** Reads a word up to a blank or |; in quotes it may contain both. */
function readWord(text: string, from: number): [Alternative, number] {
	let word = '';
	let at = from;
	while (at < text.length && !/[\s|]/.test(text[at])) {
		if (text[at] === '"') {
			const end = text.indexOf('"', at + 1);
			if (end === -1) {
				throw new FilterError('the closing " is missing', at);
			}

			word += text.slice(at + 1, end);
			at = end + 1;
		} else {
			word += text[at++];
		}
	}

	return [{text: word, kind: text[from] === '"' ? 'quoted' : 'plain', at: from}, at];
}
