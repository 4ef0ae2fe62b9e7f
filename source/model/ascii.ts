import {graphemes} from './cell-width.js';

/** ASCII characters for those that we draw with. */
const asciiCharacters: Readonly<Record<string, string>> = {
	'…': '~', '─': '-', '▏': '|', '▲': '^', '▼': 'v',
	'▁': '.', '▂': ':', '▃': '-', '▄': '=', '▅': '+', '▆': '*', '▇': '#', '█': '#',
};

/** Returns the text in ASCII characters, as wide as before; letters of names that are none become question marks. */
export function asciiOf(text: string): string {
	if (/^[ -~]*$/.test(text)) {
		return text;
	}

	return graphemes(text).map(({text: character, cells}) => {
		const isAscii = /^[ -~]$/.test(character);
		return isAscii ? character : asciiCharacters[character] ?? '?'.repeat(cells);
	}).join('');
}
