import type {CellRole} from '../../query/columns/column.js';

/** What a piece of text is, whatever that looks like. */
export type Role = Exclude<CellRole, 'states'> | 'title' | 'heading' | 'sorted' | 'error' | 'good' | 'selected' | 'tab';

/** How a piece of text looks: parameters of ECMA-48's SGR that begin it, and those that take them back; none for plain. */
export type Look = readonly [begin: string, end: string];

/** Looks as people name them: words as `readLook` takes them. Out of the sixteen colours that every terminal has. */
export const usualLooks: Readonly<Record<Role, string>> = {
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

export const roles = Object.keys(usualLooks) as readonly Role[];

const names = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
const color = '39';

/** What each word sets, and what takes that back. */
const words = new Map<string, Look>([
	['plain', ['', '']],
	['bold', ['1', '22']],
	['dim', ['2', '22']],
	['underline', ['4', '24']],
	['reverse', ['7', '27']],
	...names.flatMap((name, index): Array<[string, Look]> => [[name, [`3${index}`, color]], [`bright-${name}`, [`9${index}`, color]]]),
]);

/** The words of looks, for those who misspell one. */
export const lookWords: readonly string[] = [...words.keys()];

/** Words such as "bold red", or a number for one of 256 colours, as a look; otherwise the first word that is not known. */
export function readLook(text: string): {readonly look: Look} | {readonly unknown: string} {
	const found: Look[] = [];
	for (const word of text.trim().split(/\s+/)) {
		const look = words.get(word) ?? numbered(word);
		if (!look) {
			return {unknown: word};
		}

		found.push(look);
	}

	const together = (part: 0 | 1) => [...new Set(found.map(look => look[part]).filter(code => code !== ''))].join(';');
	return {look: [together(0), together(1)]};
}

function numbered(word: string): Look | undefined {
	return /^(?:0|[1-9]\d{0,2})$/.test(word) && Number(word) < 256 ? [`38;5;${word}`, color] : undefined;
}
