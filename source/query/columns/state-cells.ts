import {sumOf} from '../../model/sum.js';
import {stateCode, type ThreadState} from '../../model/thread-state.js';
import type {StateTicks} from '../types/query.js';

/** What a state is on the screen, however that is drawn. */
export type StateRole = 'running' | 'blocked' | 'waiting' | 'timed' | 'idle';

/** A state of a picture, or some that are drawn alike. */
export type StateLetter = {readonly letter: string; readonly word: string; readonly role: StateRole; readonly states: readonly ThreadState[]};

/** The states of a picture in its order. NEW and TERMINATED are drawn as idle. */
export const stateLetters: readonly StateLetter[] = [
	{letter: 'R', word: 'RUN', role: 'running', states: ['RUNNABLE']},
	{letter: 'B', word: 'BLK', role: 'blocked', states: ['BLOCKED']},
	{letter: 'w', word: 'WAIT', role: 'waiting', states: ['WAITING']},
	{letter: 't', word: 'TIMED', role: 'timed', states: ['TIMED_WAITING']},
	{letter: '.', word: 'IDLE', role: 'idle', states: ['IDLE', 'NEW', 'TERMINATED']},
];

/** The heading's word for a state. */
export function stateWord(state: ThreadState): string {
	return state === 'NEW' || state === 'TERMINATED' ? (state === 'NEW' ? 'NEW' : 'DEAD') : letterOf(state).word;
}

/** What a state is on the screen. */
export function stateRole(state: ThreadState): StateRole {
	return letterOf(state).role;
}

function letterOf(state: ThreadState): StateLetter {
	return stateLetters.find(({states}) => states.includes(state))!;
}

/** States in proportion, as many letters as `cells`: `RRRRBBw.`. Each state that was seen gets one if possible. */
export function stateCells(ticks: StateTicks, cells = 8): string {
	const weights = stateLetters.map(({states}) => sumOf(states, state => Math.max(0, ticks[stateCode[state]] ?? 0)));
	return shareOut(weights, cells).map((count, index) => stateLetters[index].letter.repeat(count)).join('');
}

/** `cells` shared out by weight, at least one for each weight above 0 if possible; the rest by largest remainders. */
function shareOut(weights: readonly number[], cells: number): number[] {
	const whole = sumOf(weights, weight => weight);
	const shares = weights.map(() => 0);
	const lack = (index: number) => (weights[index] / whole * cells) - shares[index];
	const isBefore = (a: number, b: number) => (Number(shares[a] === 0) - Number(shares[b] === 0) || lack(a) - lack(b) || weights[a] - weights[b]) > 0;
	for (let left = whole > 0 ? cells : 0; left > 0; left--) {
		let next = -1;
		for (const [index, weight] of weights.entries()) {
			next = weight > 0 && (next < 0 || isBefore(index, next)) ? index : next;
		}

		shares[next]++;
	}

	return shares;
}
