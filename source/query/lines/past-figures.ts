import {alignedTo} from '../counters/aligned.js';
import {rootNode} from '../../model/frame.js';
import type {Snapshot} from '../../model/snapshot.js';
import type {PastFigures} from '../columns/column.js';
import {attributionOf} from '../counters/attribution.js';
import {effectiveUnit, isCounted, scopeOf} from '../counters/scope.js';
import {stackIndex} from '../counters/stack-index.js';
import type {Query} from '../types/rows.js';

/**
CPU time at each place of a window, or its ticks where the query that is asked by then looks at these; the filter has no
say. It costs one look at each counter, and keeps what is not nothing.
*/
export function pastOfLines(snapshot: Snapshot, since: Snapshot | undefined, query: Query): PastFigures {
	const {dictionary, counters} = snapshot;
	const scope = scopeOf(snapshot, {...query, filter: ''});
	const {groupOfFrame, locations, groupOfKey} = stackIndex(dictionary).grouping(query.by);
	const attributed = attributionOf(dictionary, query);
	const ticksOf = new Float64Array(locations.length);
	const cpuNsOf = new Float64Array(locations.length);
	const before = alignedTo(snapshot, since)?.counters;
	const known = Math.min(counters.count, before?.count ?? 0);
	const {count, thread, node: nodes, state, ticks: ticksNow, cpuNs: cpuNsNow} = counters;
	const {ticks: ticksBefore, cpuNs: cpuNsBefore} = before ?? counters;
	for (let counter = 0; counter < count; counter++) {
		const isOld = counter < known;
		const ticks = ticksNow[counter] - (isOld ? ticksBefore[counter] : 0);
		const cpuNs = cpuNsNow[counter] - (isOld ? cpuNsBefore[counter] : 0);
		const node = nodes[counter];
		if ((ticks > 0 || cpuNs !== 0) && node !== rootNode && isCounted(scope, thread[counter])) {
			const group = groupOfFrame[dictionary.nodeFrame[attributed[node]]];
			cpuNsOf[group] += cpuNs;
			ticksOf[group] += (scope.countedMask & (1 << state[counter])) === 0 ? 0 : Math.max(0, ticks);
		}
	}

	const used: number[] = [];
	for (let group = 0; group < locations.length; group++) {
		if (ticksOf[group] > 0 || cpuNsOf[group] > 0) {
			used.push(group);
		}
	}

	const groups = Int32Array.from(used);
	const [ticks, cpuNs] = [ticksOf, cpuNsOf].map(of => Float64Array.from(used, group => of[group]));
	return (key, asked) => (effectiveUnit(asked) === 'ticks' ? ticks : cpuNs)[indexOf(groups, groupOfKey.get(key) ?? 0)] ?? 0;
}

/** Where a group is among groups in their order; -1 where it is not. */
function indexOf(groups: Int32Array, wanted: number): number {
	let [low, high] = [0, groups.length];
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (groups[middle] < wanted) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return groups[low] === wanted ? low : -1;
}
