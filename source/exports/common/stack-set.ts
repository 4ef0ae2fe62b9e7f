import {getOrCreate} from '../../util/get-or-create.js';
import {rootNode} from '../../model/frame.js';
import type {Counters, Snapshot} from '../../model/snapshot.js';
import {threadStates} from '../../model/thread-state.js';
import {endsOf} from '../../query/counters/attribution.js';
import {locationName} from '../../query/counters/location.js';
import {measuredInWindow} from '../../query/counters/allocated.js';
import {scopeOf} from '../../query/counters/scope.js';
import {sampledMs} from '../../query/counters/share.js';
import {stackIndex} from '../../query/counters/stack-index.js';
import type {Location, Query} from '../../query/types/query.js';
import {treeFilter} from '../../views/tree/tree.js';
import type {ExportOptions} from './export-format.js';

/** A frame of a written stack. Without a location it is not code: a thread's name, or its state. */
type StackFrame = {readonly name: string; readonly location?: Location};

type StackOptions = Pick<ExportOptions, 'depth' | 'withThreads' | 'withStates'>;

/** The counters of a query, and the id of each one's stack: 0 if that has no frames or does not pass the filter. */
type StackCounters = {readonly counters: Counters; readonly stacks: Int32Array};

/**
Whole stacks of one or several snapshots, merged if their frames have the same names. A trie: a stack is its innermost
frame and the id of its caller's stack, which is smaller. Stack 0 is empty; frame 0 is a placeholder for it.
*/
export class StackSet {
	/** By stack: its caller's stack, and its innermost frame. */
	readonly callers: number[] = [0];
	readonly frameOf: number[] = [0];
	readonly frames: StackFrame[] = [{name: ''}];
	readonly #frameOfName = new Map<string, number>();
	/** By stack: the stacks that it is the caller of, by their innermost frames. */
	readonly #callees: Array<Map<number, number>> = [new Map()];

	/** Adds the stacks that a query counts between `since` (undefined: the session's start) and the snapshot. */
	add(
		snapshot: Snapshot,
		since: Snapshot | undefined,
		query: Query,
		{depth = Infinity, withThreads = false, withStates = false}: StackOptions = {},
	): StackCounters {
		const {dictionary, threads} = snapshot;
		const {nodeParent, nodeFrame, nodeCount} = dictionary;
		// In a comparison the JVM's small work keeps frames of its own: it may not be small on the other side.
		const scope = {...scopeOf(snapshot, query), work: query.baseline === undefined ? undefined : 'all' as const};
		const counters = measuredInWindow(snapshot, since, scope);
		const grouping = stackIndex(dictionary).grouping(query.by);
		const {isKept} = treeFilter({...scope, overMs: sampledMs(snapshot, since)}, dictionary, grouping);
		// With --own-first a stack ends at the program's own line.
		const ends = endsOf(dictionary, query);
		const frameOfGroup = new Map<number, number>();
		const stackByBaseAndNode = new Map<number, number>();
		const stackOf = (base: number, node: number) =>
			getOrCreate(stackByBaseAndNode, (base * nodeCount) + node, () => {
				const groups: number[] = [];
				for (let at = ends ? ends[node] : node; at !== rootNode && groups.length < depth; at = nodeParent[at]) {
					groups.push(grouping.groupOfFrame[nodeFrame[at]]);
				}

				let stack = base;
				for (const group of groups.toReversed()) {
					const location = grouping.locations[group];
					stack = this.#calleeOf(
						stack,
						getOrCreate(frameOfGroup, group, () => this.#frame(locationName(location), location)),
					);
				}

				return stack;
			});
		const stacks = Int32Array.from({length: counters.count}, (_, counter) => {
			const node = counters.node[counter];
			if (node === rootNode || !isKept(node)) {
				return 0;
			}

			const ofThread = withThreads
				? this.#calleeOf(0, this.#frame(`[${threads.name[counters.thread[counter]]}]`))
				: 0;
			const ofState = withStates
				? this.#calleeOf(ofThread, this.#frame(`[${threadStates[counters.state[counter]]}]`))
				: ofThread;
			return stackOf(ofState, node);
		});
		return {counters, stacks};
	}

	/** Returns the frames of a stack, outermost first. */
	framesOf(stack: number): number[] {
		const frames: number[] = [];
		for (let at = stack; at !== 0; at = this.callers[at]) {
			frames.push(this.frameOf[at]);
		}

		return frames.reverse();
	}

	/** Returns the sum of a figure of counters by stack, rounded, in the order of the stacks, without sums of 0. */
	sums(
		{counters, stacks}: StackCounters,
		figureOf: (counter: number) => number,
	): Array<readonly [stack: number, sum: number]> {
		const sums = new Float64Array(this.callers.length);
		for (let counter = 0; counter < counters.count; counter++) {
			sums[stacks[counter]] += figureOf(counter);
		}

		const rounded = [...sums.entries()].map(([stack, sum]): [number, number] => [stack, Math.round(sum)]);
		return rounded.filter(([stack, sum]) => stack !== 0 && sum > 0);
	}

	#frame(name: string, location?: Location): number {
		return getOrCreate(this.#frameOfName, name, () => this.frames.push({name, location}) - 1);
	}

	/** Returns the stack of a frame that is called by another stack, adding it if absent. */
	#calleeOf(caller: number, frame: number): number {
		return getOrCreate(this.#callees[caller], frame, () => {
			this.callers.push(caller);
			this.frameOf.push(frame);
			return this.#callees.push(new Map()) - 1;
		});
	}
}
