/* eslint-disable import-x/no-extraneous-dependencies, n/no-extraneous-import -- The tokeniser comes with Ink, for which this is. */
/*
Ink takes every text of the screen apart again for each frame, as its caches end with the frame (ink/build/output.js).
This stands in for the tokeniser there and remembers texts for longer: most stay the same from frame to frame. It is
performance only: without it the same bytes are written.
*/
import {styledCharsFromTokens as charsOf, tokenize as tokensOf} from '@alcalzone/ansi-tokenize';

export {styledCharsToString} from '@alcalzone/ansi-tokenize';

/** Texts remembered, some megabytes at most: a screen of 200 x 60 has about a thousand. */
const maxTexts = 3000;

let tokens = new Map();
let characters = new WeakMap();

export function tokenize(text) {
	let found = tokens.get(text);
	if (!found) {
		if (tokens.size >= maxTexts) {
			tokens = new Map();
			characters = new WeakMap();
		}

		found = tokensOf(text);
		tokens.set(text, found);
	}

	return found;
}

export function styledCharsFromTokens(tokensOfText) {
	let found = characters.get(tokensOfText);
	if (!found) {
		found = charsOf(tokensOfText);
		characters.set(tokensOfText, found);
	}

	return found;
}
