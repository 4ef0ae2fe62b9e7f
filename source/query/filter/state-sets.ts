import {safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import {stateCode, threadStates, type ThreadState} from '../../model/thread-state.js';
import type {StateSet} from '../types/query.js';

/** The named sets of states that --state and the x key choose from, in the key's order. */
export const stateSets: ReadonlyArray<
	{readonly id: StateSet; readonly title: Printable; readonly states: readonly ThreadState[]}
> = [
	{id: 'active', title: safe`active (RUNNABLE, BLOCKED)`, states: ['RUNNABLE', 'BLOCKED']},
	{id: 'all', title: safe`all`, states: threadStates},
	{id: 'blocked', title: safe`blocked`, states: ['BLOCKED']},
	{id: 'waiting', title: safe`waiting (WAITING, TIMED_WAITING)`, states: ['WAITING', 'TIMED_WAITING']},
];

const letters: Readonly<Record<string, ThreadState>> = {
	n: 'NEW', r: 'RUNNABLE', b: 'BLOCKED', w: 'WAITING', t: 'TIMED_WAITING', i: 'IDLE', '.': 'IDLE',
};

/** The accepted names of states, for hints. */
export const stateNames = `${stateSets.map(({id}) => id).join(', ')}, R B W T I, or ${threadStates.join(', ')}`;

/** Returns the states of a comma-separated list of sets, names and letters (--state, `state:`), or an unknown word. */
export function parseStates(list: string): {readonly states: readonly ThreadState[]} | {readonly unknown: string} {
	const states = new Set<ThreadState>();
	for (const word of list.split(',').map(part => part.trim()).filter(Boolean)) {
		const found = statesOfWord(word);
		if (!found) {
			return {unknown: word};
		}

		for (const state of found) {
			states.add(state);
		}
	}

	return {states: [...states]};
}

function statesOfWord(word: string): readonly ThreadState[] | undefined {
	const name = word.toLowerCase();
	const state = Object.hasOwn(letters, name)
		? letters[name]
		: threadStates.find(candidate => candidate.toLowerCase() === name.replaceAll('-', '_'));
	// `waiting` is the set, `WAITING` the state.
	return stateSets.find(({id}) => id === (state ? word : name))?.states ?? (state && [state]);
}

/** Returns a mask with the bits of the states' codes. */
export function maskOf(states: readonly ThreadState[]): number {
	return sumOf(new Set(states), state => 1 << stateCode[state]);
}
