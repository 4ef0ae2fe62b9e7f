import {beginOf} from '../../views/changes/changes.js';
import {busiestMs, cellAfter, cellBefore, cellOf, shortestSpanMs, spans} from '../../query/past/steps.js';
import {comparingView, viewOf, views} from '../../views/registry.js';
import {clocks} from '../../query/columns/format.js';
import type {ScreenContext} from './screen-context.js';
import {goBack, goTo, say, withEffect, type UiState} from './state.js';

/** The end of the window of the past that is shown; undefined: LIVE. */
export function pastCell({pastMs, spanMs}: UiState): number | undefined {
	return pastMs === undefined ? undefined : cellOf(pastMs, spanMs);
}

/** Goes to the previous window; in a young session first to a shorter one. */
export function earlier(state: UiState, {ring, source}: ScreenContext): UiState {
	if (source === 'backend') {
		return moveSpan(state, -1);
	}

	const cellMs = pastCell(state);
	const isLive = cellMs === undefined;
	const choices = isLive ? spans.map(({ms}) => ms).filter(ms => ms <= state.spanMs) : [state.spanMs];
	for (const spanMs of choices) {
		const pastMs = cellBefore(ring, cellMs, spanMs);
		if (pastMs !== undefined) {
			return {...state, pastMs, spanMs};
		}
	}

	return say(state, isLive ? 'there is no past yet to show' : 'nothing older is kept');
}

/** Goes to the next window; past the newest, back to LIVE. */
export function later(state: UiState, {ring, source}: ScreenContext): UiState {
	if (source === 'backend') {
		return moveSpan(state, 1);
	}

	const cellMs = pastCell(state);
	return cellMs === undefined
		? say(state, source === 'recording' ? 'this is all of the recording; [ shows its last window' : 'this is LIVE; [ shows the past')
		: {...state, pastMs: cellAfter(ring, cellMs, state.spanMs)};
}

function moveSpan(state: UiState, steps: number): UiState {
	return withEffect(say(state, 'asking the backend...'), {type: 'move-span', steps});
}

/** Goes to the second with the most CPU time. */
export function busiest(state: UiState, {ring}: ScreenContext): UiState {
	const atMs = busiestMs(ring);
	return atMs === undefined
		? say(state, 'there is no past yet to show')
		: {...state, pastMs: atMs, spanMs: shortestSpanMs};
}

/** How a recording is played: a window of so long each second. */
const speeds = [1, 10, 60];

/** Plays a recording from what is shown, or its start, at the next speed; after the last one it stops. */
export function play(state: UiState, {ring}: ScreenContext): UiState {
	const speed = speeds[speeds.indexOf(state.playing ?? 0) + 1] as number | undefined;
	if (speed === undefined) {
		return say({...state, playing: undefined}, 'stopped; [ ] step, Space plays');
	}

	const spanMs = speed * 1000;
	return say({
		...state, playing: speed, spanMs, pastMs: state.pastMs ?? ring.windows.at(0)?.atMs,
	}, `playing, ${speed} ${speed === 1 ? 'second' : 'seconds'} a second; Space: faster, then stop`);
}

/** Goes to the next window of a recording that is played. */
export function played(state: UiState, {ring}: ScreenContext): UiState {
	const cellMs = pastCell(state);
	const nextMs = cellMs === undefined ? undefined : cellAfter(ring, cellMs, state.spanMs);
	return nextMs === undefined
		? say({...state, playing: undefined, pastMs: ring.windows.at(-1)?.atMs}, 'the end of the recording')
		: {...state, pastMs: nextMs};
}

/** Goes to a shorter window around the same moment, or from the shortest to the longest. */
export function nextSpan(state: UiState): UiState {
	const at = spans.findIndex(({ms}) => ms === state.spanMs);
	const {ms, title} = spans[(at + 1) % spans.length];
	return say({...state, spanMs: ms}, `windows of ${title}`);
}

/** Makes the window on the screen, live or of the past, the baseline. */
export function mark(state: UiState, {window}: ScreenContext): UiState {
	if (!window || window.snapshot.session.samples === 0) {
		return say(state, 'nothing to compare with yet');
	}

	const {snapshot} = window;
	const {query: {baseline: last}} = state;
	// The view of changes shows the window since the last baseline.
	const begin = last && viewOf(state.view).comparesWithBaseline ? beginOf(last, snapshot, window.since) : window.since;
	const since = begin === snapshot ? window.since : begin;
	const title = clocks(since?.session.takenAtMs ?? snapshot.session.startedAtMs, snapshot.session.takenAtMs);
	return say({...state, query: {...state.query, baseline: {snapshot, since, title}}}, `baseline set: ${title}; D shows what has changed since`);
}

export function changes(state: UiState): UiState {
	return viewOf(state.view).comparesWithBaseline
		? goBack(state) ?? {...state, view: views[0].id, left: 0}
		: goTo(state, comparingView.id);
}
