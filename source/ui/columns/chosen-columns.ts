import type {Column} from '../../query/columns/column.js';
import {viewOf} from '../../views/registry.js';
import type {ViewRow} from '../../views/view.js';
import type {UiState} from '../state/state.js';

/**
The columns of a view that may be on the screen: those that the user chose, in that order and at any width, or all, each
from its own width on. The one that takes the rest, the name, is always there.
*/
export function columnsOf(viewId: string, chosen: UiState['columns']): ReadonlyArray<Column<ViewRow>> {
	const {columns} = viewOf(viewId);
	const ids = chosen[viewId];
	if (ids === undefined) {
		return columns;
	}

	const known = ids.flatMap(id => columns.find(column => column.id === id) ?? []);
	const rest = known.some(({width}) => width === 0) ? [] : columns.filter(({width}) => width === 0);
	return [...known, ...rest].map(column => ({...column, fromColumns: 0}));
}
