import {rootNode} from '../../model/frame.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {stateCount} from '../../model/thread-state.js';
import type {Scope} from '../counters/scope.js';
import {cpuPieces, type Pieces} from '../counters/share.js';
import type {Grouping} from '../counters/stack-index.js';

/** Sums by group. A stack adds to `self` of the group it is attributed to and to `total` of each group in it. */
export class LineSums {
	readonly selfTicks: Float64Array;
	readonly selfCpuNs: Float64Array;
	readonly totalTicks: Float64Array;
	readonly totalCpuNs: Float64Array;
	/** Ticks at [group * stateCount + state], every state. */
	readonly states: Float64Array;
	/** By counter: its attributed group, 0 for those without Java frames. */
	readonly groupOfCounter: Int32Array;
	wholeTicks = 0;
	wholeCpuNs = 0;
	/** Sums of squares, see `counterColumns`: of all, and by group. */
	readonly selfSquaredUs: Float64Array;
	readonly selfSquaredTicks: Float64Array;
	wholeSquaredUs = 0;
	wholeSquaredTicks = 0;

	constructor(snapshot: Snapshot, counters: Counters, scope: Pick<Scope, 'countedMask'>, attributed: Int32Array, grouping: Grouping) {
		const groups = grouping.locations.length;
		this.selfTicks = new Float64Array(groups);
		this.selfCpuNs = new Float64Array(groups);
		this.selfSquaredUs = new Float64Array(groups);
		this.selfSquaredTicks = new Float64Array(groups);
		this.totalTicks = new Float64Array(groups);
		this.totalCpuNs = new Float64Array(groups);
		this.states = new Float64Array(groups * stateCount);
		this.groupOfCounter = new Int32Array(counters.count);
		this.#addTotals(snapshot, grouping, this.#addSelf(snapshot, counters, scope, attributed, grouping));
	}

	/** The CPU time of all groups, or of one. */
	cpu(group?: number): Pieces {
		return group === undefined ? cpuPieces(this.wholeCpuNs, this.wholeSquaredUs) : cpuPieces(this.selfCpuNs[group], this.selfSquaredUs[group]);
	}

	/** The counted ticks of all groups, or of one. */
	ticks(group?: number): Pieces {
		return group === undefined ? {sum: this.wholeTicks, squares: this.wholeSquaredTicks} : {sum: this.selfTicks[group], squares: this.selfSquaredTicks[group]};
	}

	#addSelf({dictionary}: Snapshot, counters: Counters, {countedMask}: Pick<Scope, 'countedMask'>, attributed: Int32Array, {groupOfFrame}: Grouping): NodeSums {
		const ticksOfNode = new Float64Array(dictionary.nodeCount);
		const cpuNsOfNode = new Float64Array(dictionary.nodeCount);
		const {groupOfCounter, states, selfCpuNs, selfSquaredTicks, selfSquaredUs, selfTicks} = this;
		const {nodeFrame, nodeCount} = dictionary;
		const groupOfNode = new Int32Array(nodeCount);
		for (let node = 0; node < nodeCount; node++) {
			groupOfNode[node] = groupOfFrame[nodeFrame[attributed[node]]];
		}

		const {count, node: nodes, state: stateOf, ticks: ticksOf, cpuNs: cpuNsOf, squaredTicks, squaredUs} = counters;
		let [wholeCpuNs, wholeTicks, wholeSquaredUs, wholeSquaredTicks] = [0, 0, 0, 0];
		for (let index = 0; index < count; index++) {
			const node = nodes[index];
			if (node === rootNode) {
				continue;
			}

			const group = groupOfNode[node];
			const state = stateOf[index];
			const ticks = ticksOf[index];
			const cpuNs = cpuNsOf[index];
			groupOfCounter[index] = group;
			states[(group * stateCount) + state] += ticks;
			if (cpuNs > 0) {
				wholeCpuNs += cpuNs;
				wholeSquaredUs += squaredUs[index];
				selfSquaredUs[group] += squaredUs[index];
				cpuNsOfNode[node] += cpuNs;
			}

			if ((countedMask & (1 << state)) !== 0) {
				wholeTicks += ticks;
				wholeSquaredTicks += squaredTicks[index];
				selfSquaredTicks[group] += squaredTicks[index];
				ticksOfNode[node] += ticks;
			}
		}

		for (let node = rootNode + 1; node < nodeCount; node++) {
			selfTicks[groupOfNode[node]] += ticksOfNode[node];
			selfCpuNs[groupOfNode[node]] += cpuNsOfNode[node];
		}

		this.wholeCpuNs = wholeCpuNs;
		this.wholeTicks = wholeTicks;
		this.wholeSquaredUs = wholeSquaredUs;
		this.wholeSquaredTicks = wholeSquaredTicks;
		return {ticksOfNode, cpuNsOfNode};
	}

	/** Callees have greater ids than their callers, so that one pass from the end sums every subtree. */
	#addTotals({dictionary}: Snapshot, {groupOfFrame, outermost}: Grouping, {ticksOfNode, cpuNsOfNode}: NodeSums): void {
		const {nodeParent, nodeFrame} = dictionary;
		for (let node = dictionary.nodeCount - 1; node > rootNode; node--) {
			const ticks = ticksOfNode[node];
			const cpuNs = cpuNsOfNode[node];
			if (ticks === 0 && cpuNs === 0) {
				continue;
			}

			if (outermost[node] === 1) {
				const group = groupOfFrame[nodeFrame[node]];
				this.totalTicks[group] += ticks;
				this.totalCpuNs[group] += cpuNs;
			}

			ticksOfNode[nodeParent[node]] += ticks;
			cpuNsOfNode[nodeParent[node]] += cpuNs;
		}
	}
}

type NodeSums = {readonly ticksOfNode: Float64Array; readonly cpuNsOfNode: Float64Array};
