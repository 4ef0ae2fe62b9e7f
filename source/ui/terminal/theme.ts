import {stateLetters} from '../../query/columns/state-cells.js';
import {
	readStyle, roles, usualStyles, type Style, type Role,
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
		for (const {text, role} of spans) {
			line += role === undefined || !this.hasColor ? text : (role === 'states' ? this.#states(text) : this.#inRole(role, text));
		}

		return this.isAscii ? line.replaceAll('…', '~') : line;
	}

	#inRole(role: Role, text: string): string {
		const [begin, end] = this.#styles.get(role)!;
		return begin === '' || text === '' ? text : `\u001B[${begin}m${text}\u001B[${end}m`;
	}

	/** State letters, each run of equal ones in its colour. */
	#states(letters: string): string {
		return letters.replaceAll(/(.)\1*/g, run => this.#inRole(roleOfLetter.get(run[0]) ?? 'idle', run));
	}
}

function styleOf(words: string | undefined): Style | undefined {
	const read = words === undefined ? undefined : readStyle(words);
	return read && 'style' in read ? read.style : undefined;
}
