import {threadStates, type ThreadState} from '../../model/thread-state.js';
import type {StateSet} from '../types.js';

/** The named sets of states that --state and the x key choose from, in the key's order. */
export const stateSets: ReadonlyArray<{readonly id: StateSet; readonly title: string; readonly states: readonly ThreadState[]}> = [
	{id: 'active', title: 'active (RUNNABLE, BLOCKED)', states: ['RUNNABLE', 'BLOCKED']},
	{id: 'all', title: 'all', states: threadStates},
	{id: 'blocked', title: 'blocked', states: ['BLOCKED']},
	{id: 'waiting', title: 'waiting (WAITING, TIMED_WAITING)', states: ['WAITING', 'TIMED_WAITING']},
];
