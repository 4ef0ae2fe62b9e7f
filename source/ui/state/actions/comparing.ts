import {beginOf} from '../../../query/changes/changes.js';
import {comparingView, viewOf, views} from '../../../views/registry.js';
import {clocks} from '../../text/clock.js';
import type {Step} from '../reduce-menu.js';
import type {UiState} from '../state.js';
import type {Surroundings} from '../surroundings.js';

/** Marks the window that is on the screen, live or of the past. */
export function mark(state: UiState, {window}: Surroundings): Step {
	if (!window || window.snapshot.session.samples === 0) {
		return said(state, 'there is nothing to mark yet');
	}

	const {snapshot} = window;
	const {query: {mark: last}} = state;
	// What changed since the last mark is what is on the screen there.
	const begin = last && viewOf(state.view).comparesWithMark ? beginOf(last, snapshot, window.baseline) : window.baseline;
	const baseline = begin === snapshot ? window.baseline : begin;
	const title = clocks(baseline?.session.takenAtMs ?? snapshot.session.startedAtMs, snapshot.session.takenAtMs);
	return said({...state, query: {...state.query, mark: {snapshot, baseline, title}}}, `marked ${title}; D shows what has changed since`);
}

/** Goes to the view of changes, or from there back. */
export function changes(state: UiState): Step {
	return viewOf(state.view).comparesWithMark
		? {state: {...state, view: state.cameFrom ?? views[0].id, cameFrom: undefined, left: 0}}
		: {state: {...state, view: comparingView.id, cameFrom: state.view, left: 0}};
}

function said(state: UiState, text: string): Step {
	return {state: {...state, message: {text, tone: 'plain'}}};
}
