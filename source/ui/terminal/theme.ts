import type {CellRole} from '../../query/columns/column.js';
import {stateLetters} from '../../query/columns/state-cells.js';

/** How the screen may look: colours or none, characters beyond ASCII or none. */
export type ThemeOptions = {readonly color: boolean; readonly ascii: boolean};

/** What a piece of text is, whatever that looks like. */
export type Role = Exclude<CellRole, 'states'> | 'title' | 'heading' | 'sorted' | 'error' | 'good' | 'selected' | 'tab';

/** Attributes of ECMA-48 (SGR) out of the sixteen colours that every terminal has; 39, 22 and 27 take them back. */
const attributes: Readonly<Record<Role, readonly [begin: string, end: string]>> = {
	title: ['1', '22'],
	heading: ['1', '22'],
	sorted: ['1;36', '22;39'],
	dim: ['2', '22'],
	hot: ['33', '39'],
	error: ['1;31', '22;39'],
	good: ['32', '39'],
	selected: ['7', '27'],
	tab: ['7', '27'],
	key: ['36', '39'],
	running: ['32', '39'],
	blocked: ['1;31', '22;39'],
	waiting: ['34', '39'],
	timed: ['35', '39'],
	idle: ['2', '22'],
};

const roleOfLetter = new Map(stateLetters.map(({letter, role}) => [letter, role]));

/** Puts text in the theme's dress. */
export class Theme {
	readonly hasColor: boolean;
	readonly isAscii: boolean;
	/** From nothing to everything, for trends. */
	readonly levels: string;

	constructor({color, ascii}: ThemeOptions) {
		this.hasColor = color;
		this.isAscii = ascii;
		this.levels = ascii ? ' .:-=+*#' : ' ▁▂▃▄▅▆▇█';
	}

	/** A finished line with nothing but ASCII of our own, where that was asked for. */
	finish(line: string): string {
		return this.isAscii ? line.replaceAll('…', '~') : line;
	}

	paint(role: Role, text: string): string {
		if (!this.hasColor || text === '') {
			return text;
		}

		const [begin, end] = attributes[role];
		return `\u001B[${begin}m${text}\u001B[${end}m`;
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
