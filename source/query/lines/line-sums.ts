import {rootNode} from '../../model/frame.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {BucketSums} from '../counters/bucket-sums.js';
import type {Scope} from '../counters/scope.js';
import type {Grouping} from '../counters/stack-index.js';

/** Sums by group. A stack adds to `self` of the group it is attributed to and to `total` of each group in it. */
export class LineSums extends BucketSums {
	readonly totalTicks: Float64Array;
	readonly totalCpuNs: Float64Array;

	constructor({dictionary}: Snapshot, counters: Counters, scope: Pick<Scope, 'countedMask'>, attributed: Int32Array, {locations, groupOfFrame, outermost}: Grouping) {
		const {nodeCount, nodeParent, nodeFrame} = dictionary;
		const {count, node: nodes, state, ticks, cpuNs} = counters;
		const groupOfCounter = new Int32Array(count);
		const ticksOfNode = new Float64Array(nodeCount);
		const cpuNsOfNode = new Float64Array(nodeCount);
		for (let counter = 0; counter < count; counter++) {
			const node = nodes[counter];
			groupOfCounter[counter] = groupOfFrame[nodeFrame[attributed[node]]];
			cpuNsOfNode[node] += cpuNs[counter];
			ticksOfNode[node] += (scope.countedMask & (1 << state[counter])) === 0 ? 0 : ticks[counter];
		}

		super(counters, groupOfCounter, locations.length, scope);
		this.totalTicks = new Float64Array(locations.length);
		this.totalCpuNs = new Float64Array(locations.length);
		// Callees have greater ids than their callers, so that one pass from the end sums every subtree.
		for (let node = nodeCount - 1; node > rootNode; node--) {
			const ticksThere = ticksOfNode[node];
			const cpuNsThere = cpuNsOfNode[node];
			if (ticksThere === 0 && cpuNsThere === 0) {
				continue;
			}

			if (outermost[node] === 1) {
				const group = groupOfFrame[nodeFrame[node]];
				this.totalTicks[group] += ticksThere;
				this.totalCpuNs[group] += cpuNsThere;
			}

			ticksOfNode[nodeParent[node]] += ticksThere;
			cpuNsOfNode[nodeParent[node]] += cpuNsThere;
		}
	}
}
