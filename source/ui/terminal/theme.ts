import {stateLetters} from '../../query/columns/state-cells.js';
import type {CellRole} from '../../query/columns/column.js';
import {asciiOf} from '../../model/ascii.js';

/** `ascii`: only ASCII characters; `colors`: styles that replace the defaults of roles, as `readStyle` reads them. */
export type ThemeOptions = {readonly color: boolean; readonly ascii: boolean; readonly colors?: ReadonlyMap<Role, string>};

const roleOfLetter = new Map(stateLetters.map(({letter, role}) => [letter, role]));

/** How text looks: the style of each role, as escape sequences. */
export class Theme {
	readonly hasColor: boolean;
	readonly #isAscii: boolean;
	readonly #styles: ReadonlyMap<Role, Style>;
	/** The same with text and background colours swapped. */
	readonly #filledStyles: ReadonlyMap<Role, Style>;

	constructor({color, ascii, colors}: ThemeOptions) {
		this.hasColor = color;
		this.#isAscii = ascii;
		this.#styles = new Map(roles.map(role => [role, styleOf(colors?.get(role)) ?? styleOf(defaultStyles[role])!]));
		this.#filledStyles = new Map(Array.from(this.#styles, ([role, [begin, end]]) => [role, [`${begin};7`, `${end};27`]]));
	}

	/** Returns the spans as one line with escape sequences; with `ascii`, ASCII characters replace all others. */
	paint(spans: ReadonlyArray<{readonly text: string; readonly role?: Role | 'states'; readonly isFilled?: boolean}>): string {
		let line = '';
		let style = plain;
		const add = (text: string, next: Style) => {
			if (text !== '') {
				line += next === style ? text : between(style, next) + text;
				style = next;
			}
		};

		for (const {text: unicode, role, isFilled} of spans) {
			const text = this.#isAscii ? asciiOf(unicode) : unicode;
			if (role === 'states' && this.hasColor) {
				for (const letter of text) {
					add(letter, this.#styles.get(roleOfLetter.get(letter) ?? 'idle')!);
				}
			} else {
				add(text, role === undefined || role === 'states' || !this.hasColor ? plain : (isFilled ? this.#filledStyles : this.#styles).get(role)!);
			}
		}

		return line + between(style, plain);
	}
}

const plain: Style = ['', ''];

/** Returns the escape sequences from one style to the next. A colour need not end before another begins. */
function between([, end]: Style, [begin, nextEnd]: Style): string {
	const isRecoloured = end === defaultColor && nextEnd.endsWith(defaultColor);
	return (end === '' || isRecoloured ? '' : `\u001B[${end}m`) + (begin === '' ? '' : `\u001B[${begin}m`);
}

function styleOf(words: string | undefined): Style | undefined {
	const read = words === undefined ? undefined : readStyle(words);
	return read && 'style' in read ? read.style : undefined;
}

/** The meaning of a piece of text, from which the theme chooses its style. */
export type Role = Exclude<CellRole, 'states'> | 'title' | 'heading' | 'sorted' | 'good' | 'selected' | 'tab';

/** SGR parameters (ECMA-48) before and after text; empty for plain text. */
type Style = readonly [begin: string, end: string];

/** The default style of each role, as `readStyle` reads it; only of the sixteen colours that every terminal has. */
const defaultStyles: Readonly<Record<Role, string>> = {
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

export const roles = Object.keys(defaultStyles) as readonly Role[];

const colorNames = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];
/** SGR parameter of the terminal's own text colour. */
const defaultColor = '39';

const words = new Map<string, Style>([
	['plain', ['', '']],
	['bold', ['1', '22']],
	['dim', ['2', '22']],
	['underline', ['4', '24']],
	['reverse', ['7', '27']],
	...colorNames.flatMap((name, index): Array<[string, Style]> => [[name, [`3${index}`, defaultColor]], [`bright-${name}`, [`9${index}`, defaultColor]]]),
]);

export const styleWords: readonly string[] = [...words.keys()];

/** Returns the style of words such as "bold red" or a colour number from 0 to 255, or else the first unknown word. */
export function readStyle(text: string): {readonly style: Style} | {readonly unknown: string} {
	const found: Style[] = [];
	for (const word of text.trim().split(/\s+/)) {
		const style = words.get(word) ?? paletteColor(word);
		if (!style) {
			return {unknown: word};
		}

		found.push(style);
	}

	const together = (part: 0 | 1) => [...new Set(found.map(style => style[part]).filter(code => code !== ''))].join(';');
	return {style: [together(0), together(1)]};
}

function paletteColor(word: string): Style | undefined {
	return /^(?:0|[1-9]\d{0,2})$/.test(word) && Number(word) < 256 ? [`38;5;${word}`, defaultColor] : undefined;
}
