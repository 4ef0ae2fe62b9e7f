import {stateCode, threadStates} from '../model/thread-state.js';
import type {Location, Query, StateTicks} from '../query/types/rows.js';
import type {CsvColumn} from './view.js';

/*
What rows of all views have in common in files that programs read. The keys and their meaning are those of
docs/formats.md.
*/

/** A frame of a JSON document. */
export function frameOf({className, method, file, line}: Location) {
	return {
		class: className, method, file, line,
	};
}

/** With own code first, what a row's own line called: a frame, null where it stood in its own. */
export function viaOf({via}: {readonly via?: Location}, {ownFirst}: Pick<Query, 'ownFirst'>) {
	return ownFirst ? {via: via ? frameOf(via) : null} : {};
}

/** Ticks by state, the states of a live thread. */
export function statesOf(ticks: StateTicks) {
	return {
		RUNNABLE: ticks[stateCode.RUNNABLE], BLOCKED: ticks[stateCode.BLOCKED], WAITING: ticks[stateCode.WAITING], TIMED_WAITING: ticks[stateCode.TIMED_WAITING], IDLE: ticks[stateCode.IDLE],
	};
}

/** Nanoseconds as milliseconds. */
export function msOf(ns: number): number {
	return rounded(ns / 1e6);
}

/** To three decimals: microseconds where the unit is milliseconds. What could not be measured is 0. */
export function rounded(value: number): number {
	return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : 0;
}

/** A number with at most so many decimals. */
export function decimals(value: number, count: number): number {
	return Number(value.toFixed(count));
}

/** The CSV columns that say where a row is. */
export function locationColumns<Row extends Location>(): Array<CsvColumn<Row>> {
	return [
		{id: 'class', description: 'fully qualified class', cell: row => row.className},
		{id: 'method', description: 'method; empty with --by class', cell: row => row.method},
		{id: 'file', description: 'source file, empty if not known', cell: row => row.file},
		{id: 'line', description: 'source line; -1 unknown, -2 native method', cell: row => row.line},
	];
}

/** A CSV column for each state. */
export function stateColumns<Row extends {readonly states: StateTicks}>(): Array<CsvColumn<Row>> {
	return threadStates.map((state, code) => ({id: state.toLowerCase(), description: `thread samples in the state ${state}`, cell: row => row.states[code]}));
}

/** JSON texts of frames, which stand in many stacks: each is made once. */
export function frameTexts(): (frame: Location) => string {
	const texts = new Map<Location, string>();
	return frame => {
		let text = texts.get(frame);
		if (text === undefined) {
			text = JSON.stringify(frameOf(frame));
			texts.set(frame, text);
		}

		return text;
	};
}
