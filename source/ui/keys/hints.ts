import {cellWidth} from '../../model/cell-width.js';
import {viewOf} from '../../views/registry.js';
import type {Hint} from '../../views/view.js';
import {actionOf, keyOf} from '../state/keys.js';
import {rowsOf, type ScreenData} from '../state/screen-data.js';
import {queryOf, type UiState} from '../state/state.js';
import type {Theme} from '../terminal/theme.js';
import {fitPieces, type Piece} from '../text/cells.js';
import {shownKeys} from './key-changes.js';

/** Where there are no rows. */
const withoutRows: readonly Hint[] = [{key: 'x', title: 'other states', short: 'states'}, {key: 'i', title: 'idle threads', short: 'idle'}, {key: 'tab', title: 'next view', short: 'view'}];
const whileFiltered: readonly Hint[] = [{key: 'escape', title: 'clear the filter', short: 'clear'}, {key: '/', title: 'another filter', short: 'filter'}, {key: 'x', title: 'other states', short: 'states'}];

/** The keys that help most with the selected row, which the state has followed, or where there is none. */
export function hintsFor(state: UiState, data: ScreenData): readonly Hint[] {
	const row = rowsOf(data).at(state.selections[state.view].index);
	if (!row) {
		return state.query.filter === '' ? viewOf(state.view).emptyHints ?? withoutRows : whileFiltered;
	}

	const isOnly = ({key}: Hint) => state.onlyThreads !== undefined && actionOf(state.view, key) === 'only-threads';
	return viewOf(state.view).hints(row, queryOf(state)).map(hint => isOnly(hint) ? {...hint, title: 'all threads', short: 'all'} : hint);
}

/**
The same as pieces of a line that has so many cells for them, such as `Enter: who holds the lock`, or `Enter:holder`
where not all of them find room.
*/
export function hintPieces(state: UiState, data: ScreenData, width: number, theme: Theme): Piece[] {
	const hints = hintsFor(state, data).flatMap(({key, title, short}) => {
		const row = keyOf(state.view, key, data.status.phase === 'recording');
		const [name] = row ? shownKeys({...row, shown: shownOf(row.shown, row.keys, key)}, state.keyChanges).split(' ') : [''];
		return name === '' ? [] : [{name, title: ` ${title}`, short}];
	});
	const isLong = cellWidth(hints.map(({name, title}) => `${name}:${title}`).join(hintGap)) <= width;
	return hints.map(({name, title, short}, index) => ({
		text: `${name}:${isLong ? title : short}`, rank: index, look: text => theme.paint('key', text.slice(0, name.length + 1)) + text.slice(name.length + 1),
	}));
}

/** The hint line, of so many cells. */
export function hintLine(state: UiState, data: ScreenData, width: number, theme: Theme): string {
	return fitPieces(hintPieces(state, data, width, theme), width, hintGap);
}

const hintGap = '   ';

/** A row's keys as people write them, the one that is meant first. */
function shownOf(shown: string, keys: readonly string[], key: string): string {
	const words = shown.split(' ');
	const at = keys.indexOf(key);
	return words.length === keys.length && at > 0 ? [words[at], ...words.toSpliced(at, 1)].join(' ') : shown;
}
