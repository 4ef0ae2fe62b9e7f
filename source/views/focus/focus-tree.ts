import {globMatcher} from '../../model/glob.js';
import {rootNode} from '../../model/frame.js';
import type {Dictionary} from '../../model/snapshot.js';
import {locationName} from '../../query/counters/location.js';
import {percentOf, shareError} from '../../query/counters/share.js';
import {stackIndex, type Grouping} from '../../query/counters/stack-index.js';
import {CallNode, CallTree, type TreeOptions} from '../tree/call-tree.js';
import type {Location} from '../../query/types/query.js';

/** Figures shared by all rows of a focus. */
export type FocusFigures = {
	readonly method: Location;
	/** Numbers of independent samples on which shares of CPU time, and of ticks, are based. */
	readonly cpuSamples: number;
	readonly tickSamples: number;
	/** Milliseconds of a thread's time that a tick represents. */
	readonly tickMs: number;
};

/** The tree of a method's callees, or of its callers; its root is the method. */
export class FocusTree extends CallTree<FocusRow> {
	constructor(options: TreeOptions<FocusRow>, readonly figures: FocusFigures) {
		super(options, FocusRow);
	}
}

/** A row of the Focus view: the method, or a location reached by one path from it. Shares are of the method's time. */
export class FocusRow extends CallNode {
	get part(): 'calls' | 'callers' {
		return this.tree.options.isInverted ? 'callers' : 'calls';
	}

	get isMethod(): boolean {
		return this.parent === undefined;
	}

	/** Wall time of all threads, milliseconds, estimated from ticks. */
	get wallMs(): number {
		return this.totalTicks * this.#figures.tickMs;
	}

	get cpuPercent(): number {
		return percentOf(this.totalCpuNs, this.tree.whole.cpuNs);
	}

	/** Half the width of the 95 % interval of `totalPercent` and of `cpuPercent`, percentage points. */
	get wallError(): number {
		return shareError(this.totalPercent, this.#figures.tickSamples);
	}

	get cpuError(): number {
		return shareError(this.cpuPercent, this.#figures.cpuSamples);
	}

	protected override get location(): Location {
		return this.isMethod ? this.#figures.method : super.location;
	}

	/** A FocusRow is only made by a FocusTree. */
	get #figures(): FocusFigures {
		return (this.tree as unknown as FocusTree).figures;
	}
}

/** The matching methods that were sampled, and by node the outermost call of one on its stack; 0 if there is none. */
type FocusedStacks = {readonly methods: readonly Location[]; readonly callOf: Int32Array};

/** Finds stacks with a method that matches `pattern`: a whole name (that method alone), a part of a name, or a glob. */
export function focusedStacks(dictionary: Dictionary, pattern: string): FocusedStacks {
	const methods = stackIndex(dictionary).grouping('method');
	const isWanted = wantedMethods(methods, pattern);
	const {nodeCount, nodeParent, nodeFrame} = dictionary;
	const callOf = new Int32Array(nodeCount);
	const found = new Set<number>();
	// Callers have smaller ids than their callees.
	for (let node = rootNode + 1; node < nodeCount; node++) {
		const method = methods.groupOfFrame[nodeFrame[node]];
		callOf[node] = callOf[nodeParent[node]];
		if (callOf[node] === 0 && isWanted[method]) {
			callOf[node] = node;
			found.add(method);
		}
	}

	return {methods: Array.from(found, method => methods.locations[method]), callOf};
}

/** Returns whether each method, by its group (0: none), matches the pattern. */
function wantedMethods({locations, groupOfKey}: Grouping, pattern: string): readonly boolean[] {
	const exact = groupOfKey.get(pattern);
	const matches = globMatcher(pattern);
	return locations.map((location, group) => exact === undefined ? group > 0 && matches(locationName(location)) : group === exact);
}
