import type {Snapshot} from '../../model/snapshot.js';
import {stateSets} from '../filter/state-sets.js';
import {circleText, deadlocksOf} from '../locks/deadlocks.js';
import type {SummaryOptions, Query} from '../types/rows.js';
import {summaryQuery} from './lines.js';
import {jvmText} from './jvm-text.js';
import {contentionBesides, waitsText} from './waits-text.js';

/** Something about the program that matters more than any row, in a sentence. */
export type Finding = {
	readonly text: string;
	/** It does not pass by itself. */
	readonly isAlarm?: true;
};

/**
What is wrong with the program between `baseline` (undefined: the session's start) and `snapshot`, the worst first:
deadlocks, threads that are held up or wait together, what the JVM itself does. Of all threads, with any filter.
*/
export function findingsOf(snapshot: Snapshot, since: Snapshot | undefined, query: Query, known: Omit<SummaryOptions, 'showsWaits'> = {}): readonly Finding[] {
	const whole: Query = {
		...query, filter: '', threadKeys: undefined, ownFirst: true, states: stateSets[0].states, unit: 'cpu', summary: {...known, showsWaits: true},
	};
	const asked = summaryQuery(snapshot, since, whole);
	const waits = asked === whole ? contentionBesides(snapshot, whole) : waitsText(snapshot, asked);
	const jvm = jvmText(snapshot, since, known.vitals);
	return [
		...deadlocksOf(snapshot).map((deadlock): Finding => ({text: `DEADLOCK: ${circleText(deadlock)}`, isAlarm: true})),
		...[waits, jvm].filter(text => text !== undefined).map(text => ({text})),
	];
}
