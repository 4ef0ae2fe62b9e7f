import {rootNode} from '../../model/frame.js';
import type {Snapshot} from '../../model/snapshot.js';
import type {PastFigures} from '../columns/column.js';
import {attributionOf} from '../facts/attribution.js';
import {effectiveUnit, isCounted, scopeOf} from '../facts/scope.js';
import {stackIndex} from '../facts/stack-index.js';
import type {Query} from '../types.js';

/**
CPU time at each place of a window, or its ticks where the query that is asked by then looks at these; the filter has no
say. It costs one look at each fact, and keeps what is not nothing.
*/
export function pastOfLines(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): PastFigures {
	const {dictionary, facts} = snapshot;
	const scope = scopeOf(snapshot, {...query, filter: ''});
	const {groupOfFrame, places, groupOfKey} = stackIndex(dictionary).grouping(query.by);
	const attributed = attributionOf(dictionary, query);
	const ticksOf = new Float64Array(places.length);
	const cpuNsOf = new Float64Array(places.length);
	const known = Math.min(facts.count, baseline?.facts.count ?? 0);
	for (let fact = 0; fact < facts.count; fact++) {
		const isOld = fact < known;
		const ticks = facts.ticks[fact] - (isOld ? baseline!.facts.ticks[fact] : 0);
		const cpuNs = facts.cpuNs[fact] - (isOld ? baseline!.facts.cpuNs[fact] : 0);
		const node = facts.node[fact];
		if ((ticks > 0 || cpuNs > 0) && node !== rootNode && isCounted(scope, facts.thread[fact])) {
			const group = groupOfFrame[dictionary.nodeFrame[attributed[node]]];
			cpuNsOf[group] += Math.max(0, cpuNs);
			ticksOf[group] += (scope.countedMask & (1 << facts.state[fact])) === 0 ? 0 : Math.max(0, ticks);
		}
	}

	const groups = Int32Array.from(places.keys()).filter(group => ticksOf[group] > 0 || cpuNsOf[group] > 0);
	const [ticks, cpuNs] = [ticksOf, cpuNsOf].map(of => Float64Array.from(groups, group => of[group]));
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
