/** One side of a `|`: a word, a quoted text, or a regular expression. */
export type Alternative = {readonly text: string; readonly kind: 'plain' | 'quoted' | 'regex'};

/** A part of a filter between blanks. */
export type Term = {readonly isNegated: boolean; readonly alternatives: readonly Alternative[]};

/** An error in a filter, with a message for the user. */
export class FilterError extends Error {}

/** A comparison while it is typed: blanks may surround its sign, and its number may be missing. */
const comparison = /([a-z]+)\s*([<>]=?|=)\s*(-?[\d.]+%?)?(?=[\s|]|$)/iy;

/** A regular expression, in which a backslash escapes the slash. */
const regex = /\/((?:[^\\/]|\\.)*)\//sy;

/** A word up to a blank or |, which may be in quotes. */
const word = /(?:"[^"]*"|[^\s|"])*/y;

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
	for (let at = from; ; at++) {
		const [alternative, end] = readAlternative(text, at, isFigure);
		if (alternative.text) {
			alternatives.push(alternative);
		}

		at = end;
		if (text[at] !== '|') {
			return [alternatives, at];
		}
	}
}

function readAlternative(text: string, at: number, isFigure: (name: string) => boolean): [Alternative, number] {
	const [compared, name, sign, number] = matchAt(comparison, text, at);
	// Without a number, only a figure makes it a comparison: `init>` is the end of the name `<init>`.
	if (compared !== undefined && (number !== undefined || isFigure(name))) {
		return [{text: `${name}${sign}${number ?? ''}`, kind: 'plain'}, at + compared.length];
	}

	const [pattern, source] = matchAt(regex, text, at);
	if (pattern !== undefined) {
		return [{text: source.replaceAll(String.raw`\/`, '/'), kind: 'regex'}, at + pattern.length];
	}

	if (text[at] === '/') {
		throw new FilterError('the closing / is missing');
	}

	const [whole] = matchAt(word, text, at);
	const end = at + whole.length;
	if (text[end] === '"') {
		throw new FilterError('the closing " is missing');
	}

	return [{text: whole.replaceAll('"', ''), kind: text[at] === '"' ? 'quoted' : 'plain'}, end];
}

/** Returns the match of a sticky expression at an index; empty without one. */
function matchAt(expression: RegExp, text: string, at: number): readonly string[] {
	expression.lastIndex = at;
	return expression.exec(text) ?? [];
}
