import type {Location, Query} from '../../query/types/rows.js';
import type {UiState} from './state.js';

/** What the app is to do beside drawing. */
export type Effect =
	| {readonly type: 'quit' | 'redraw' | 'suspend' | 'reset' | 'undo-reset' | 'sampling' | 'holders' | 'trace' | 'forget-methods'}
	| {readonly type: 'edit' | 'copy'; readonly location: Location}
	| {readonly type: 'save'; readonly name?: string; readonly format?: string}
	/** The columns of a view as the user chose them, undefined for the usual ones, are to be kept. */
	| {readonly type: 'keep-columns'; readonly view: string; readonly columns: readonly string[] | undefined}
	| {readonly type: 'find-methods'; readonly pattern: string};

export type Step = {readonly state: UiState; readonly effect?: Effect};

/** The state with something of the query changed. */
export function withQuery(state: UiState, change: Partial<Query>): UiState {
	return {...state, query: {...state.query, ...change}};
}

/** The state with the cursor at the top: rows of another grouping have other keys. */
export function forgetRow(state: UiState): UiState {
	return {...state, selections: {...state.selections, [state.view]: {index: 0, top: 0}}};
}

/** The state with a message. */
export function say(state: UiState, text: string): Step {
	return {state: {...state, message: {text, tone: 'plain'}}};
}
