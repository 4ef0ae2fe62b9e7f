import type {Printable} from './printable.js';
import {graphemes} from './cell-width.js';

/** ASCII characters for those that we draw with. */
const asciiCharacters: Readonly<Record<string, string>> = {
	'…': '~', '─': '-', '│': '|', '▏': '|', '▲': '^', '▼': 'v', '↗': '^', '↘': 'v',
	'▁': '.', '▂': ':', '▃': '-', '▄': '=', '▅': '+', '▆': '*', '▇': '#', '█': '#',
	'▎': '|', '▍': '|', '▌': '|', '▋': '#', '▊': '#', '▉': '#',
};

/** Returns the text in ASCII, as wide as before; other letters of names become question marks. */
export function asciiOf(text: Printable): string {
	if (/^[ -~]*$/.test(text)) {
		return text;
	}

	return graphemes(text).map(({text: character, cells}) => {
		const isAscii = /^[ -~]$/.test(character);
		return isAscii ? character : asciiCharacters[character] ?? '?'.repeat(cells);
	}).join('');
}
