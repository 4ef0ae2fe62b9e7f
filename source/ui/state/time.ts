import {safe} from '../../util/printable.js';
import {comparedFrom} from '../../views/changes/changes.js';
import {
	busiestMs, intervalAfter, intervalBefore, intervalEnd, intervalLengths, shortestSpanMs,
} from '../../query/past/steps.js';
import {comparingView, viewOf, views} from '../../views/view-registry.js';
import {clocks, plural} from '../../query/columns/format.js';
import type {ScreenContext} from './screen-context.js';
import {goBack, goTo, withMessage, withEffect, type UiState} from './state.js';

/** Returns the end of the window of the past on the screen, epoch milliseconds; undefined: LIVE. */
export function pastWindowEndMs({pastMs, spanMs}: UiState): number | undefined {
	return pastMs === undefined ? undefined : intervalEnd(pastMs, spanMs);
}

/** Goes to the previous window; from LIVE, if the session is too young for one, to a shorter one. */
export function earlier(state: UiState, {ring, source}: ScreenContext): UiState {
	if (source === 'backend') {
		return moveSpan(state, -1);
	}

	const endMs = pastWindowEndMs(state);
	const isLive = endMs === undefined;
	const choices = isLive ? intervalLengths.map(({ms}) => ms).filter(ms => ms <= state.spanMs) : [state.spanMs];
	for (const spanMs of choices) {
		const pastMs = intervalBefore(ring, endMs, spanMs);
		if (pastMs !== undefined) {
			return {...state, pastMs, spanMs};
		}
	}

	return withMessage(state, isLive ? safe`there is no past yet to show` : safe`nothing older is kept`);
}

/** Goes to the next window; past the newest, back to LIVE. */
export function later(state: UiState, {ring, source}: ScreenContext): UiState {
	if (source === 'backend') {
		return moveSpan(state, 1);
	}

	const endMs = pastWindowEndMs(state);
	return endMs === undefined
		? withMessage(
			state,
			source === 'recording'
				? safe`this is all of the recording; [ shows its last window`
				: safe`this is LIVE; [ shows the past`,
		)
		: {...state, pastMs: intervalAfter(ring, endMs, state.spanMs)};
}

function moveSpan(state: UiState, steps: number): UiState {
	return withEffect(withMessage(state, safe`asking the backend...`), {type: 'move-span', steps});
}

/** Goes to the second with the most CPU time. */
export function busiest(state: UiState, {ring}: ScreenContext): UiState {
	const atMs = busiestMs(ring);
	return atMs === undefined
		? withMessage(state, safe`there is no past yet to show`)
		: {...state, pastMs: atMs, spanMs: shortestSpanMs};
}

/** Speeds at which a recording is played: seconds of it that are shown in a second. */
const speeds = [1, 10, 60];

/** Plays a recording from what is shown, or its start, at the next speed; after the last one it stops. */
export function play(state: UiState, {ring}: ScreenContext): UiState {
	const playSpeed = speeds[speeds.indexOf(state.playSpeed ?? 0) + 1] as number | undefined;
	return playSpeed === undefined
		? withMessage({...state, playSpeed}, safe`stopped; [ ] step, Space plays`)
		: withMessage(
			{...state, playSpeed, spanMs: playSpeed * 1000, pastMs: state.pastMs ?? ring.windows.at(0)?.atMs},
			safe`playing, ${plural(playSpeed, safe`second`)} a second; Space: faster, then stop`,
		);
}

/** Goes to the next window of a recording that is played; at its end, stops. */
export function playNext(state: UiState, {ring}: ScreenContext): UiState {
	const endMs = pastWindowEndMs(state);
	const nextMs = endMs === undefined ? undefined : intervalAfter(ring, endMs, state.spanMs);
	return nextMs === undefined
		? withMessage({...state, playSpeed: undefined, pastMs: ring.windows.at(-1)?.atMs}, safe`the end of the recording`)
		: {...state, pastMs: nextMs};
}

/** Goes to a shorter window around the same moment, or from the shortest to the longest. */
export function nextSpan(state: UiState): UiState {
	const at = intervalLengths.findIndex(({ms}) => ms === state.spanMs);
	const {ms, title} = intervalLengths[(at + 1) % intervalLengths.length];
	return withMessage({...state, spanMs: ms}, safe`windows of ${title}`);
}

/** Makes the window on the screen, live or of the past, the baseline. */
export function setBaseline(state: UiState, {window}: ScreenContext): UiState {
	if (!window || window.snapshot.session.samples === 0) {
		return withMessage(state, safe`nothing to compare with yet`);
	}

	const {snapshot} = window;
	const {query: {baseline: previous}} = state;
	// The view of changes shows the window since the previous baseline, or nothing if no sample was taken since.
	const from = previous && viewOf(state.view).comparesWithBaseline
		? comparedFrom(previous, snapshot, window.since)
		: window.since;
	const since = from === snapshot ? window.since : from;
	const title = clocks(since?.session.takenAtMs ?? snapshot.session.startedAtMs, snapshot.session.takenAtMs);
	return withMessage(
		{...state, query: {...state.query, baseline: {snapshot, since, title}}},
		safe`baseline set: ${title}; D shows what has changed since`,
	);
}

/** Goes to the view of changes, or back from it. */
export function toggleChanges(state: UiState): UiState {
	return viewOf(state.view).comparesWithBaseline
		? goBack(state) ?? {...state, view: views[0].id, scrollLeft: 0}
		: goTo(state, comparingView.id);
}
