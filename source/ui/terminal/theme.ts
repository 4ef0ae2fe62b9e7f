import type {TextProps} from 'ink';
import type {Printable} from '../../util/printable.js';
import {stateLetters} from '../../query/columns/state-cells.js';
import type {Role} from '../../model/role.js';
import type {CodeKind} from '../../query/counters/own-code.js';
import {asciiOf} from '../../util/ascii.js';

/**
`has256Colors`: more than 16 may be used; `ascii`: only ASCII characters; `colors`: styles that replace the defaults of
roles, as `readStyle` reads them.
*/
export type ThemeOptions = {
	readonly color: boolean;
	readonly has256Colors?: boolean;
	readonly ascii: boolean;
	readonly colors?: ReadonlyMap<Role, string>;
};

const roleOfLetter = new Map<string, Role>(stateLetters.map(({letter, role}) => [letter, role]));

/** How a piece of text looks, as properties of Ink's `Text`; colours by chalk's names or `ansi256(N)`. */
type TextStyle = Pick<TextProps, 'color' | 'backgroundColor' | 'bold' | 'dimColor' | 'underline' | 'inverse'>;

const plain: TextStyle = {};

/** How text looks: the style of each role, and the characters that the terminal can show. */
export class Theme {
	readonly hasColor: boolean;
	readonly #isAscii: boolean;
	readonly #styles: ReadonlyMap<Role, TextStyle>;
	readonly #has256Colors: boolean;
	readonly #chosen: ReadonlySet<Role>;

	constructor({color, has256Colors = false, ascii, colors}: ThemeOptions) {
		this.hasColor = color;
		this.#has256Colors = color && has256Colors;
		this.#chosen = new Set(colors?.keys());
		this.#isAscii = ascii;
		this.#styles = new Map(roles.map(role => [role, styleOf(colors?.get(role)) ?? styleOf(defaultStyles[role])!]));
	}

	/** Returns the style of a role. `isFilled`: text and background colours are swapped. */
	styleOf(role: Role | undefined, isFilled = false): TextStyle {
		const style = role !== undefined && this.hasColor ? this.#styles.get(role)! : plain;
		return isFilled && style !== plain ? {...style, inverse: true} : style;
	}

	/**
	Returns the fill of a box with a frame, one of 256 colours: by whose code it is, by its package, and in shades by
	its depth. Undefined if there are only 16, or the user chose the style of the box's role.
	*/
	boxColor(role: Role, kind: CodeKind, packageHash: number, depth: number): number | undefined {
		const hues = boxColors[kind];
		const shades = hues[packageHash % hues.length];
		return this.#has256Colors && !this.#chosen.has(role) ? shades[depth % shades.length] : undefined;
	}

	/** Splits the letters of thread states into runs of one state, each with the role of its state. */
	stateRuns(letters: Printable): ReadonlyArray<{readonly text: Printable; readonly role: Role}> {
		return [...letters.matchAll(/(.)\1*/g)].map(({0: run, 1: letter, index}) => ({
			text: letters.slice(index, index + run.length), role: roleOfLetter.get(letter) ?? 'idle',
		}));
	}

	/** Returns the text as it is shown: with `ascii`, ASCII characters replace all others. */
	shown(text: Printable): string {
		return this.#isAscii ? asciiOf(text) : text;
	}
}

/** Fills of boxes, muted colours of the 256: for each hue two shades, both bright enough for black text. */
const boxColors: Readonly<Record<CodeKind, ReadonlyArray<readonly [number, number]>>> = {
	own: [[179, 136], [187, 144], [180, 137]],
	library: [[110, 67], [109, 66], [115, 72], [146, 103]],
	other: [[250, 246]],
};

/** Returns the style of a box filled with one of 256 colours. */
export function boxStyle(color: number): TextStyle {
	return {backgroundColor: `ansi256(${color})`, color: 'ansi256(16)'};
}

function styleOf(words: string | undefined): TextStyle | undefined {
	const read = words === undefined ? undefined : readStyle(words);
	return read && 'style' in read ? read.style : undefined;
}

/** The default style of each role, as `readStyle` reads it; only of the sixteen colours that every terminal has. */
const defaultStyles: Readonly<Record<Role, string>> = {
	title: 'bold',
	heading: 'bold',
	sorted: 'bold cyan',
	own: 'bold',
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

const words = new Map<string, TextStyle>([
	['plain', plain],
	['bold', {bold: true}],
	['dim', {dimColor: true}],
	['underline', {underline: true}],
	['reverse', {inverse: true}],
	...colorNames.map((name): [string, TextStyle] => [name, {color: name}]),
	...colorNames.map((name): [string, TextStyle] => [`bright-${name}`, {color: `${name}Bright`}]),
]);

export const styleWords: readonly string[] = [...words.keys()];

/** Returns the style of words such as "bold red" or a colour number from 0 to 255, or else the first unknown word. */
export function readStyle(text: string): {readonly style: TextStyle} | {readonly unknown: string} {
	let style = plain;
	for (const word of text.trim().split(/\s+/)) {
		const found = words.get(word) ?? paletteColor(word);
		if (!found) {
			return {unknown: word};
		}

		style = {...style, ...found};
	}

	return {style};
}

function paletteColor(word: string): TextStyle | undefined {
	return /^(?:0|[1-9]\d{0,2})$/.test(word) && Number(word) < 256 ? {color: `ansi256(${word})`} : undefined;
}
