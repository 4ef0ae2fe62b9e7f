import {stateLetters} from '../../query/columns/state-cells.js';
import {
	color, readStyle, roles, usualStyles, type Style, type Role,
} from './colors.js';

export type {Role} from './colors.js';

/** Whether there are colours and characters beyond ASCII, and which colours replace the usual ones. */
export type ThemeOptions = {readonly color: boolean; readonly ascii: boolean; readonly colors?: ReadonlyMap<Role, string>};

const roleOfLetter = new Map(stateLetters.map(({letter, role}) => [letter, role]));

/** Turns roles into colours. */
export class Theme {
	readonly hasColor: boolean;
	readonly isAscii: boolean;
	/** Characters of a trend, from the lowest level to the highest. */
	readonly levels: string;
	readonly #styles: ReadonlyMap<Role, Style>;

	constructor({color, ascii, colors}: ThemeOptions) {
		this.hasColor = color;
		this.isAscii = ascii;
		this.levels = ascii ? ' .:-=+*#' : ' ▁▂▃▄▅▆▇█';
		this.#styles = new Map(roles.map(role => [role, styleOf(colors?.get(role)) ?? styleOf(usualStyles[role])!]));
	}

	/** Spans as a terminal takes them: with escape sequences, and in ASCII if that was asked for. */
	paint(spans: ReadonlyArray<{readonly text: string; readonly role?: Role | 'states'}>): string {
		let line = '';
		let style = plain;
		const add = (text: string, next: Style) => {
			if (text !== '') {
				line += next === style ? text : between(style, next) + text;
				style = next;
			}
		};

		for (const {text, role} of spans) {
			if (role === 'states' && this.hasColor) {
				for (const letter of text) {
					add(letter, this.#styles.get(roleOfLetter.get(letter) ?? 'idle')!);
				}
			} else {
				add(text, role === undefined || role === 'states' || !this.hasColor ? plain : this.#styles.get(role)!);
			}
		}

		line += between(style, plain);
		return this.isAscii ? line.replaceAll('…', '~') : line;
	}
}

const plain: Style = ['', ''];

/** What ends a style and begins the next. A colour need not be ended before another one. */
function between([, end]: Style, [begin, nextEnd]: Style): string {
	const isRecoloured = end === color && nextEnd.endsWith(color);
	return (end === '' || isRecoloured ? '' : `\u001B[${end}m`) + (begin === '' ? '' : `\u001B[${begin}m`);
}

function styleOf(words: string | undefined): Style | undefined {
	const read = words === undefined ? undefined : readStyle(words);
	return read && 'style' in read ? read.style : undefined;
}
