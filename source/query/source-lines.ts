import type {Snapshot} from '../model/snapshot.js';
import {queryLines} from './lines.js';
import type {Place, Query} from './types.js';

/** What stands beside a line of a source: at it and in what it called. */
export type LineFigures = {readonly ticks: number; readonly cpuNs: number};

/** The class that a source file is named for by all classes in it: without what is nested. */
function fileOf({className, file}: Place): string {
	return `${className.slice(0, className.lastIndexOf('.') + 1)}/${file}`;
}

/** Ticks of counted states and CPU time of each line of the file that a place is in, by the line's number. */
export function querySourceLines(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, place: Place): ReadonlyMap<number, LineFigures> {
	const figures = new Map<number, LineFigures>();
	for (const row of queryLines(snapshot, baseline, {...query, by: 'line'}).rows) {
		if (row.line > 0 && fileOf(row) === fileOf(place)) {
			const before = figures.get(row.line);
			figures.set(row.line, {ticks: row.totalTicks + (before?.ticks ?? 0), cpuNs: row.totalCpuNs + (before?.cpuNs ?? 0)});
		}
	}

	return figures;
}
