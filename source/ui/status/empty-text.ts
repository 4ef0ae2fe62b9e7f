import {safe, type Printable} from '../../util/printable.js';
import {stateSets} from '../../query/filter/state-sets.js';
import {eventWholes, isOfEvents} from '../../query/types/query.js';
import type {ScreenData} from '../state/screen-data.js';
import type {UiState} from '../state/state.js';

/** Returns why the view has no rows. */
export function emptyText(ui: UiState, {status, snapshot, table}: ScreenData): Printable {
	if (!snapshot || snapshot.session.samples === 0) {
		return status.phase === 'starting' || status.phase === 'sampling'
			? safe`waiting for the first sample`
			: safe`no samples were taken`;
	}

	const viewText = table?.view.emptyText?.(table, ui.query);
	if (viewText !== undefined) {
		return viewText;
	}

	const {unit, filter} = ui.query;
	if (isOfEvents(unit) && filter === '') {
		return safe`nothing of ${eventWholes[unit]} in this window; A records events, % shows CPU time`;
	}

	if (filter !== '') {
		return safe`no rows match the filter; Esc clears it`;
	}

	if (ui.query.threadKeys) {
		return safe`nothing from these threads in this window; t shows all`;
	}

	const set = stateSets.find(({id}) => id === ui.stateSet);
	return safe`nothing in this window${
		set && set.id !== 'all' ? safe` in the counted states: ${set.title}; x for others` : ''
	}`;
}
