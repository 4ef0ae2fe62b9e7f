import type {CellRole} from '../../query/columns/column.js';
import {stateLetters} from '../../query/columns/state-cells.js';
import {
	readLook, roles, usualLooks, type Look, type Role,
} from './colors.js';

export type {Role} from './colors.js';

/** How the screen may look: colours or none, and of what else than usually; characters beyond ASCII or none. */
export type ThemeOptions = {readonly color: boolean; readonly ascii: boolean; readonly colors?: ReadonlyMap<Role, string>};

const roleOfLetter = new Map(stateLetters.map(({letter, role}) => [letter, role]));

/** Puts text in the theme's dress. */
export class Theme {
	readonly hasColor: boolean;
	readonly isAscii: boolean;
	/** From nothing to everything, for trends. */
	readonly levels: string;
	readonly #looks: ReadonlyMap<Role, Look>;

	constructor({color, ascii, colors}: ThemeOptions) {
		this.hasColor = color;
		this.isAscii = ascii;
		this.levels = ascii ? ' .:-=+*#' : ' ▁▂▃▄▅▆▇█';
		this.#looks = new Map(roles.map(role => [role, lookOf(colors?.get(role)) ?? lookOf(usualLooks[role])!]));
	}

	/** A finished line with nothing but ASCII of our own, where that was asked for. */
	finish(line: string): string {
		return this.isAscii ? line.replaceAll('…', '~') : line;
	}

	paint(role: Role, text: string): string {
		if (!this.hasColor || text === '') {
			return text;
		}

		const [begin, end] = this.#looks.get(role)!;
		return begin === '' ? text : `\u001B[${begin}m${text}\u001B[${end}m`;
	}

	/** A cell of a table by what it is; blanks stay as they are. */
	paintCell(role: CellRole | undefined, text: string): string {
		return role === undefined || text.trim() === '' ? text : (role === 'states' ? this.paintStates(text) : this.paint(role, text));
	}

	/** State letters, each run of equal ones in its colour. */
	paintStates(letters: string): string {
		return this.hasColor ? letters.replaceAll(/(.)\1*/g, run => this.paint(roleOfLetter.get(run[0]) ?? 'idle', run)) : letters;
	}
}

function lookOf(words: string | undefined): Look | undefined {
	const read = words === undefined ? undefined : readLook(words);
	return read && 'look' in read ? read.look : undefined;
}
