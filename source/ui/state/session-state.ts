import {pressMouse} from '../mouse/press-mouse.js';
import type {MouseInput} from '../terminal/mouse.js';
import {askToTrace} from './actions/trace.js';
import {press} from './reduce.js';
import type {Effect, Step} from './reduce-menu.js';
import type {Message, UiState} from './state.js';
import type {Surroundings} from './surroundings.js';

/** What the session's screen keeps: what the keys decided, and what is still to be done beside drawing. */
export type SessionState = {readonly ui: UiState; readonly effects: readonly Effect[]};

export type SessionAction =
	| {readonly type: 'key'; readonly key: string}
	| {readonly type: 'mouse'; readonly input: MouseInput}
	/** Rows came, went or moved. */
	| {readonly type: 'follow'; readonly ui: UiState}
	/** These effects were begun. */
	| {readonly type: 'performed'; readonly effects: readonly Effect[]}
	| {readonly type: 'say'; readonly message: Message}
	/** What a pattern of methods means is known: whether to trace it. */
	| {readonly type: 'ask-to-trace'; readonly question: string; readonly about: string}
	/** So many resets there are now. */
	| {readonly type: 'resets'; readonly resets: number};

/** The next state. Pure; `around` says what is on the screen in a state. */
export function reduceSession(state: SessionState, action: SessionAction, around: (ui: UiState) => Surroundings): SessionState {
	const {ui, effects} = state;
	switch (action.type) {
		case 'key': {
			return after(press(ui, action.key, around(ui)), effects);
		}

		case 'mouse': {
			return after(pressMouse(ui, action.input, around(ui)), effects);
		}

		case 'follow': {
			return {...state, ui: action.ui};
		}

		case 'performed': {
			return {...state, effects: effects.filter(effect => !action.effects.includes(effect))};
		}

		case 'say': {
			return {...state, ui: {...ui, message: action.message}};
		}

		case 'ask-to-trace': {
			return {...state, ui: askToTrace(ui, action)};
		}

		case 'resets': {
			return {...state, ui: {...ui, resets: action.resets, window: action.resets > 0 ? 'reset' : 'start'}};
		}
	}
}

function after({state, effect}: Step, effects: readonly Effect[]): SessionState {
	return {ui: state, effects: effect ? [...effects, effect] : effects};
}
