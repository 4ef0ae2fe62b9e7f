import {stateCode} from '../../model/thread-state.js';
import type {StateTicks} from '../types.js';
import type {Column} from './column.js';
import {formatCount} from './format.js';
import {byNumber} from './sort.js';
import type {StateLetter} from './state-cells.js';

/** A column with the ticks of a state, or of some that are drawn alike; on screens alone, as files have them all. */
export function stateColumn<Row extends {readonly states: StateTicks}>({word, role, states}: StateLetter, {fromColumns, description}: Pick<Column<Row>, 'fromColumns' | 'description'>): Column<Row> {
	const ticksOf = (row: Row) => {
		let ticks = 0;
		for (const state of states) {
			ticks += row.states[stateCode[state]];
		}

		return ticks;
	};

	return {
		id: states[0].toLowerCase().replaceAll('_', '-'), heading: word, title: `${word} ticks`, width: 5, align: 'right', fromColumns, screenOnly: true,
		description: `${description} ${states.join(', ')}`,
		value: row => formatCount(ticksOf(row)),
		role: () => role,
		compare: (a, b) => byNumber(ticksOf(a), ticksOf(b)),
	};
}
