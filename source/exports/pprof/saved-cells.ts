import {units, type Unit} from '../../model/column-types.js';
import {noFrame} from '../../model/frame.js';
import {lockKinds, type LockKind} from '../../model/sample.js';
import {threadStates} from '../../model/thread-state.js';
import {amount, moment, oneOf, text, whole} from './checked.js';

/*
How a value of each unit stands in the session data of a saved file: strings and texts, states and lock kinds by their names; a
stack as an index into the profile's samples followed by the stacks that no sample has, -1 for no Java
frames; a frame as a location id, 0 for none; a thread as an index, -1 for none.
*/

/** A value in a file. */
export type Cell = number | string;

/** How the writer numbers what it refers to. */
export type CellContext = {
	readonly strings: readonly string[];
	stackOf(node: number): number;
	locationOf(frame: number): number;
};

/** How many of what a value may refer to there are in the file. */
export type CellSizes = {readonly stacks: number; readonly locations: number; readonly threads: number};

const maxInt = 2_147_483_647;
const maxByte = 255;

/**
The value as it is saved. Numbers that could not be measured (NaN) must not make a file that cannot be opened again.
*/
export function cellOf(unit: Exclude<Unit, 'text'>, value: number, {strings, stackOf, locationOf}: CellContext): Cell {
	switch (unit) {
		case 'string': {
			return strings[value];
		}

		case 'state': {
			return threadStates[value];
		}

		case 'lockKind': {
			return lockKinds[value];
		}

		case 'stack': {
			return stackOf(value);
		}

		case 'frame': {
			return value === noFrame ? 0 : locationOf(value);
		}

		case 'key':
		case 'thread':
		case 'threadOrNone':
		case 'flags':
		case 'yesNo': {
			return value;
		}

		case 'nativeId':
		case 'index':
		case 'ticks':
		case 'ns':
		case 'us':
		case 'ms':
		case 'moment':
		case 'count':
		case 'bytes': {
			return sane(value);
		}
	}
}

/**
The saved value, checked: strings printable, states and lock kinds as codes, references within the sizes. Throws
RangeError.
*/
export function checkedCell(unit: Unit, value: unknown, {stacks, locations, threads}: CellSizes): Cell {
	switch (unit) {
		case 'string':
		case 'text': {
			return text(value);
		}

		case 'state': {
			return oneOf(threadStates, value);
		}

		case 'lockKind': {
			return oneOf<LockKind>(lockKinds, value);
		}

		case 'stack': {
			return whole(value, -1, stacks - 1);
		}

		case 'frame': {
			return whole(value, 0, locations);
		}

		case 'key': {
			return whole(value, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
		}

		case 'thread': {
			return whole(value, 0, threads - 1);
		}

		case 'threadOrNone': {
			return whole(value, -1, threads - 1);
		}

		case 'flags': {
			return whole(value, 0, maxByte);
		}

		case 'yesNo': {
			return whole(value, 0, 1);
		}

		case 'nativeId':
		case 'index':
		case 'ticks': {
			return whole(value, 0, maxInt);
		}

		case 'moment': {
			return moment(value);
		}

		case 'ns':
		case 'us':
		case 'ms':
		case 'count':
		case 'bytes': {
			return amount(value);
		}
	}
}

/** What stands for a value that a file of an earlier version lacks. */
export function missingCell(unit: Unit): Cell {
	if (unit === 'string') {
		return '';
	}

	return unit === 'stack' ? -1 : units[unit].none;
}

/** The id or code of a checked cell, given how the reader numbers what it refers to. */
export function valueOf(unit: Unit, cell: Cell, {internString, nodeAt, frameAt}: {internString(text: string): number; nodeAt(stack: number): number; frameAt(location: number): number}): number {
	if (typeof cell === 'string') {
		return internString(cell);
	}

	return unit === 'stack' ? nodeAt(cell) : (unit === 'frame' ? frameAt(cell) : cell);
}

/** The number, or 0 for a negative one, an infinite one or none. */
export function sane(value: number): number {
	return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
}
