import {
	matching, placeOfRows, type ChoiceColumn, type ChoiceRow, type ChooserState,
} from '../state/chooser-state.js';
import type {Theme} from '../terminal/theme.js';
import {cellWidth} from '../../model/cell-width.js';
import {cut, pad} from './cells.js';

const pidWidth = 7;
const gap = ' ';

/** A heading, and below it `room` lines: the rows around the cursor, or why there are none. */
export function choiceLines(state: ChooserState, rows: readonly ChoiceRow[], {columns, room, width, theme}: {readonly columns: readonly ChoiceColumn[]; readonly room: number; readonly width: number; readonly theme: Theme}): string[] {
	const line = lineOf(columns, rows, width);
	const shown = matching(rows, state.filter);
	const {top, at} = placeOfRows(state, shown, room);
	const lines = shown.slice(top, top + room).map((row, index) => {
		const isSelected = top + index === at;
		const text = (isSelected ? '>' : ' ') + line(String(row.pid), row.cells, `${row.name}${row.problem === undefined ? '' : ` (${row.problem})`}`);
		return isSelected ? theme.paint('selected', text) : (row.problem === undefined ? text : theme.paint('dim', text));
	});
	if (lines.length === 0 && room > 0) {
		lines.push(theme.paint('dim', cut(rows.length === 0 ? 'no JVMs found; one that starts will appear here' : 'no JVMs match; Esc clears the filter', width)));
	}

	return [
		theme.paint('heading', ` ${line('PID', columns.map(({heading}) => heading), 'MAIN CLASS')}`),
		...lines,
		...Array.from({length: room - lines.length}, () => ''),
	];
}

/** Writes a line of the columns that a screen of this width shows, each as wide as its longest cell. */
function lineOf(columns: readonly ChoiceColumn[], rows: readonly ChoiceRow[], width: number): (pid: string, cells: readonly string[], name: string) => string {
	const places = columns.map(({heading, align, fromColumns}, index) => ({
		index, align, isShown: width + 1 >= fromColumns, cells: Math.max(cellWidth(heading), ...rows.map(row => cellWidth(row.cells[index]))),
	})).filter(({isShown}) => isShown);
	return (pid, cells, name) => cut([pad(pid, pidWidth, 'right'), ...places.map(place => pad(cells[place.index], place.cells, place.align)), name].join(gap), Math.max(0, width - 1));
}
