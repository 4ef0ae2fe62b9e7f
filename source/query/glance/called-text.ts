import {nameWith} from '../columns/names.js';
import {placeKey} from '../facts/place.js';
import {mostOf} from '../standing-now.js';
import type {LineRow, Place} from '../types.js';

/** Rows looked at: nobody reads further down. */
const maxRows = 20;

/** A line that led to less of the CPU time than this, in percent, explains too little. */
const leastPercent = 50;

/** Cells of a place in a sentence. */
const placeRoom = 60;

/**
The line of the program's own that led to most of what the hottest rows are, where these are others' code; undefined
where there is no such line.
*/
export function calledText(rows: readonly LineRow[]): string | undefined {
	const percents = new Map<string, number>();
	const places = new Map<string, Place>();
	for (const {own, selfPercent} of rows.slice(0, maxRows)) {
		if (own) {
			const key = placeKey(own, 'line');
			places.set(key, own);
			percents.set(key, selfPercent + (percents.get(key) ?? 0));
		}
	}

	const [key, percent] = mostOf(percents) ?? ['', 0];
	return percent >= leastPercent ? `${Math.round(percent)}% is what ${nameWith(places.get(key)!, [], placeRoom)} called; press a to count it there.` : undefined;
}
