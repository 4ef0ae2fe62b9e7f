import {globMatcher} from '../../model/glob.js';
import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {locationName} from '../../query/counters/location.js';
import {percentOf, shareError} from '../../query/counters/share.js';
import {stackIndex, type Grouping} from '../../query/counters/stack-index.js';
import {CallNode, CallTree, type TreeOf} from '../tree/call-tree.js';
import type {Location} from '../../query/types/query.js';

/** What rows of a focus know beside their tree. */
export type FocusFigures = {
	readonly method: Location;
	/** Independent samples that shares of CPU time, and of ticks, rest on. */
	readonly cpuSamples: number;
	readonly tickSamples: number;
	/** Milliseconds of a thread's time that a tick stands for. */
	readonly tickMs: number;
};

/** A tree below a method, or above it; its root is the method. */
export class FocusTree extends CallTree<FocusRow> {
	constructor(of: TreeOf<FocusRow>, readonly figures: FocusFigures) {
		super(of, FocusRow);
	}
}

/** A row of the Focus view: the method, or a location reached by one path from it. Shares are of the method's. */
export class FocusRow extends CallNode {
	/** The method and what it calls, or the method and its callers. */
	get part(): 'calls' | 'callers' {
		return this.tree.of.isInverted ? 'callers' : 'calls';
	}

	get isMethod(): boolean {
		return this.parent === undefined;
	}

	/** Threads' time by samples. */
	get wallMs(): number {
		return this.totalTicks * this.#figures.tickMs;
	}

	get cpuPercent(): number {
		return percentOf(this.totalCpuNs, this.tree.whole.cpuNs);
	}

	/** Half the width of the 95 % interval of `totalPercent`, and of `cpuPercent`, percentage points. */
	get wallError(): number {
		return shareError(this.totalPercent, this.#figures.tickSamples);
	}

	get cpuError(): number {
		return shareError(this.cpuPercent, this.#figures.cpuSamples);
	}

	protected override get location(): Location {
		return this.isMethod ? this.#figures.method : super.location;
	}

	get #figures(): FocusFigures {
		return (this.tree as unknown as FocusTree).figures;
	}
}

/** The methods looked for that were seen, and by node the outermost call of one on that stack; 0 where there is none. */
type FocusedStacks = {readonly methods: readonly Location[]; readonly callOf: Int32Array};

/** The stacks with a method that `pattern` asks for: its whole name, which is that method alone, a part, or a glob. */
export function focusedStacks(dictionary: Dictionary, pattern: string): FocusedStacks {
	const methods = stackIndex(dictionary).grouping('method');
	const isWanted = wantedMethods(methods, pattern);
	const {nodeCount, nodeParent, nodeFrame} = dictionary;
	const callOf = new Int32Array(nodeCount);
	const seen = new Set<number>();
	// Callers have smaller ids than their callees.
	for (let node = rootNode + 1; node < nodeCount; node++) {
		const method = methods.groupOfFrame[nodeFrame[node]];
		callOf[node] = callOf[nodeParent[node]];
		if (callOf[node] === 0 && isWanted[method]) {
			callOf[node] = node;
			seen.add(method);
		}
	}

	return {methods: Array.from(seen, method => methods.locations[method]), callOf};
}

/** By the group of a method. */
function wantedMethods({locations, groupOfKey}: Grouping, pattern: string): readonly boolean[] {
	const exact = groupOfKey.get(pattern);
	const matches = globMatcher(pattern);
	return locations.map((location, group) => exact === undefined ? group > 0 && matches(locationName(location)) : group === exact);
}
