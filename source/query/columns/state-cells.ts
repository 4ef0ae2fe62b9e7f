import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import type {StateRole} from '../../model/role.js';
import {stateCode, type ThreadState} from '../../model/thread-state.js';
import type {StateTicks} from '../types/query.js';

export type StateLetter = {
	readonly letter: Printable;
	readonly word: string;
	readonly role: StateRole;
	readonly states: readonly ThreadState[];
};

/** The letters in the order of `stateCells`. NEW and TERMINATED count as IDLE. */
export const stateLetters: readonly StateLetter[] = [
	{letter: safe`R`, word: 'RUN', role: 'running', states: ['RUNNABLE']},
	{letter: safe`B`, word: 'BLK', role: 'blocked', states: ['BLOCKED']},
	{letter: safe`w`, word: 'WAIT', role: 'waiting', states: ['WAITING']},
	{letter: safe`t`, word: 'TIMED', role: 'timed', states: ['TIMED_WAITING']},
	{letter: safe`.`, word: 'IDLE', role: 'idle', states: ['IDLE', 'NEW', 'TERMINATED']},
];

export function stateWord(state: ThreadState): Printable {
	return state === 'NEW' || state === 'TERMINATED'
		? (state === 'NEW' ? safe`NEW` : safe`DEAD`)
		: printable(letterOf(state).word);
}

export function stateRole(state: ThreadState): StateRole {
	return letterOf(state).role;
}

function letterOf(state: ThreadState): StateLetter {
	return stateLetters.find(({states}) => states.includes(state))!;
}

/** Returns `cells` letters in proportion to ticks: `RRRRBBw.`. Each letter with ticks gets a cell if possible. */
export function stateCells(ticks: StateTicks, cells = 8): Printable {
	const weights = stateLetters.map(({states}) => sumOf(states, state => Math.max(0, ticks[stateCode[state]] ?? 0)));
	return joined(divide(weights, cells).map((count, index) => stateLetters[index].letter.repeat(count)), safe``);
}

/** Divides `cells` by weight: first one for each weight above 0, then by largest remainders. */
function divide(weights: readonly number[], cells: number): number[] {
	const whole = sumOf(weights, weight => weight);
	const shares = weights.map(() => 0);
	const remainder = (index: number) => (weights[index] / whole * cells) - shares[index];
	const isBefore = (a: number, b: number) =>
		(Number(shares[a] === 0) - Number(shares[b] === 0) || remainder(a) - remainder(b) || weights[a] - weights[b])
		> 0;
	for (let left = whole > 0 ? cells : 0; left > 0; left--) {
		let next = -1;
		for (const [index, weight] of weights.entries()) {
			next = weight > 0 && (next < 0 || isBefore(index, next)) ? index : next;
		}

		shares[next]++;
	}

	return shares;
}
