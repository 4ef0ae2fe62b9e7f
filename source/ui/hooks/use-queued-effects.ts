import {useLayoutEffect} from 'react';

/** Performs the queued effects of the state after drawing, and removes them from it. */
export function useQueuedEffects<Effect, State extends {readonly effects: readonly Effect[]}>(
	effects: readonly Effect[],
	dispatch: (change: (current: State) => State) => void,
	perform: (effect: Effect) => void,
): void {
	useLayoutEffect(() => {
		if (effects.length > 0) {
			dispatch(current => ({...current, effects: current.effects.filter(effect => !effects.includes(effect))}));
			for (const effect of effects) {
				perform(effect);
			}
		}
	});
}
