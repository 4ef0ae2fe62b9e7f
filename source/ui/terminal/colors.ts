import type {CellRole} from '../../query/columns/column.js';

/** What a piece of text is; the theme decides how it looks. */
export type Role = Exclude<CellRole, 'states'> | 'title' | 'heading' | 'sorted' | 'error' | 'good' | 'selected' | 'tab';

/** SGR parameters (ECMA-48) before and after a text; empty for plain text. */
export type Style = readonly [begin: string, end: string];

/** The style of each role, as `readStyle` takes it; only of the sixteen colours that every terminal has. */
export const usualStyles: Readonly<Record<Role, string>> = {
	title: 'bold',
	heading: 'bold',
	sorted: 'bold cyan',
	dim: 'dim',
	hot: 'yellow',
	error: 'bold red',
	good: 'green',
	selected: 'reverse',
	tab: 'reverse',
	key: 'cyan',
	running: 'green',
	blocked: 'bold red',
	waiting: 'blue',
	timed: 'magenta',
	idle: 'dim',
};

export const roles = Object.keys(usualStyles) as readonly Role[];

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
/** Back to the terminal's own colour. */
export const color = '39';

/** The style of each word. */
const words = new Map<string, Style>([
	['plain', ['', '']],
	['bold', ['1', '22']],
	['dim', ['2', '22']],
	['underline', ['4', '24']],
	['reverse', ['7', '27']],
	...names.flatMap((name, index): Array<[string, Style]> => [[name, [`3${index}`, color]], [`bright-${name}`, [`9${index}`, color]]]),
]);

/** The words of styles, for error messages. */
export const styleWords: readonly string[] = [...words.keys()];

/** The style of words such as "bold red", or of a number from 0 to 255; otherwise the first unknown word. */
export function readStyle(text: string): {readonly style: Style} | {readonly unknown: string} {
	const found: Style[] = [];
	for (const word of text.trim().split(/\s+/)) {
		const style = words.get(word) ?? numbered(word);
		if (!style) {
			return {unknown: word};
		}

		found.push(style);
	}

	const together = (part: 0 | 1) => [...new Set(found.map(style => style[part]).filter(code => code !== ''))].join(';');
	return {style: [together(0), together(1)]};
}

function numbered(word: string): Style | undefined {
	return /^(?:0|[1-9]\d{0,2})$/.test(word) && Number(word) < 256 ? [`38;5;${word}`, color] : undefined;
}
