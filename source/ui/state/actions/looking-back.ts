import {
	cellAfter, cellBefore, cellOf, spans,
} from '../../../query/past/steps.js';
import type {Step} from '../reduce-menu.js';
import type {UiState} from '../state.js';
import type {Surroundings} from '../surroundings.js';

/** The end of the cell of the past that is looked at; undefined: LIVE. */
export function lookedAtCell({lookedAtMs, spanMs}: UiState): number | undefined {
	return lookedAtMs === undefined ? undefined : cellOf(lookedAtMs, spanMs);
}

/** Goes to the window before the one that is looked at; of a young session at first to a shorter one. */
export function earlier(state: UiState, {ring}: Surroundings): Step {
	const cellMs = lookedAtCell(state);
	const isLive = cellMs === undefined;
	const choices = isLive ? spans.map(({ms}) => ms).filter(ms => ms <= state.spanMs) : [state.spanMs];
	for (const spanMs of choices) {
		const lookedAtMs = cellBefore(ring, cellMs, spanMs);
		if (lookedAtMs !== undefined) {
			return {state: {...state, lookedAtMs, spanMs}};
		}
	}

	return {state: {...state, message: {text: isLive ? 'there is no past yet to look back at' : 'nothing older is kept', tone: 'plain'}}};
}

/** Goes to the window after it; past the newest, back to what happens now. */
export function later(state: UiState, {ring}: Surroundings): Step {
	const cellMs = lookedAtCell(state);
	return cellMs === undefined
		? {state: {...state, message: {text: 'this is LIVE; [ looks back', tone: 'plain'}}}
		: {state: {...state, lookedAtMs: cellAfter(ring, cellMs, state.spanMs)}};
}

/** Looks at a shorter window around the same moment, or, from the shortest, at the longest. */
export function nextSpan(state: UiState): Step {
	const at = spans.findIndex(({ms}) => ms === state.spanMs);
	const {ms, title} = spans[(at + 1) % spans.length];
	return {state: {...state, spanMs: ms, message: {text: `windows of ${title}`, tone: 'plain'}}};
}
