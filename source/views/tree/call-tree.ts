import {safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import {getOrCreate} from '../../util/get-or-create.js';
import {rootNode} from '../../model/frame.js';
import type {Counters, Dictionary} from '../../model/snapshot.js';
import {stateCount} from '../../model/thread-state.js';
import {inOrder, type Sortable} from '../../query/columns/sort.js';
import {viaOfBuckets} from '../../query/counters/attribution.js';
import {CounterBuckets, wholeOf} from '../../query/counters/buckets.js';
import {LocatedRow, locationName} from '../../query/counters/location.js';
import type {Scope} from '../../query/counters/scope.js';
import {corePercent, percentOf} from '../../query/counters/share.js';
import type {Grouping} from '../../query/counters/stack-index.js';
import type {Location, Query, SortOrder, StateTicks, Unit, Weight} from '../../query/types/query.js';

export type TreeOptions<Row extends CallNode> = {
	readonly dictionary: Dictionary;
	readonly counters: Counters;
	readonly grouping: Grouping;
	readonly scope: Pick<Scope, 'countedMask' | 'unit'>;
	/** Milliseconds of sampling in the window. */
	readonly overMs: number;
	/** Whether paths lead from a frame to its callers, instead of to its callees. */
	readonly isBottomUp: boolean;
	/** Whether samples with this stack, by its node, are in the tree. */
	readonly isKept: (node: number) => boolean;
	/** Returns the node that samples with this stack, by its node, count for. */
	readonly nodeFor: (node: number) => number;
	/** By node: the innermost node of the program's own code, where its stack ends; undefined for whole stacks. */
	readonly ends?: Int32Array;
	/** What is own code (`--app`), for `ends`. */
	readonly app?: Query['app'];
	/** The nodes of the root; by default all that samples count for. */
	readonly starts?: Iterable<number>;
	/** Whether the rows below the root are the start nodes themselves, instead of their callees or callers. */
	readonly startsAreRows: boolean;
	/** 0 for a root that is a row too; -1 for one that is above all rows. */
	readonly levelOfRoot: 0 | -1;
	/** Whether rows have ticks by state. */
	readonly countsStates?: boolean;
	/** The total that shares are a part of; by default the root's. */
	readonly whole?: Weight;
	readonly columns: ReadonlyArray<Sortable<Row>>;
	readonly sort: SortOrder;
	/** Prefix of row keys, unique among the trees of a table. */
	readonly keyPrefix?: string;
	/** Whether a row is kept; by default all with some weight are. */
	isRowKept?(row: Row): boolean;
};

/** A weight in an array: ticks, CPU nanoseconds and, with `countsStates`, ticks by state. */
export const ticksIndex = 0;
export const cpuIndex = 1;
const plainLength = 2;

/** A tree of the paths that stacks take. Sums up weights in one pass; makes rows only when they are asked for. */
export class CallTree<Row extends CallNode = CallNode> {
	readonly root: Row;
	readonly whole: Weight;
	/** Length of a weight in the arrays below. */
	readonly weightLength: number;
	/** Weights by node of the dictionary, of samples that count for it; unless bottom-up, totals include callees. */
	readonly selves: Float64Array;
	readonly totals: Float64Array;
	/** By node of the dictionary: its first callee with some weight, and the next one of the same caller; 0 if none. */
	readonly firstCallee: Int32Array;
	readonly nextCallee: Int32Array;
	readonly starts: readonly number[];
	/** Number of paths with some weight; 0 if bottom-up. */
	size = 0;
	/** With own code first: returns the library method with most of the samples that count for some nodes. */
	readonly viaOf: ((nodes: readonly number[]) => Location | undefined) | undefined;
	/** A method's type, as its parameters are bivariant: a tree of special rows is then a `CallTree` too. */
	readonly #compare: {compare(a: Row, b: Row): number}['compare'];

	constructor(readonly options: TreeOptions<Row>, Node: new(tree: CallTree<Row>) => Row) {
		const {dictionary, counters, scope, isBottomUp, isKept, nodeFor, ends} = options;
		const {nodeCount, nodeParent} = dictionary;
		this.weightLength = plainLength + (options.countsStates ? stateCount : 0);
		this.selves = new Float64Array(nodeCount * this.weightLength);
		const nodeOfCounter = new Int32Array(counters.count);
		for (let counter = 0; counter < counters.count; counter++) {
			const node = counters.node[counter];
			if (node !== rootNode && isKept(node)) {
				nodeOfCounter[counter] = nodeFor(node);
				this.#count(nodeOfCounter[counter], counters, counter);
			}
		}

		this.totals = isBottomUp ? this.selves : Float64Array.from(this.selves);
		this.firstCallee = new Int32Array(isBottomUp ? 0 : nodeCount);
		this.nextCallee = new Int32Array(isBottomUp ? 0 : nodeCount);
		// Callees first, which have larger ids than their callers. Inverted trees have no totals to sum up.
		for (let node = isBottomUp ? rootNode : nodeCount - 1; node > rootNode; node--) {
			if (this.#hasWeight(node)) {
				const caller = nodeParent[node];
				this.nextCallee[node] = this.firstCallee[caller];
				this.firstCallee[caller] = node;
				this.size++;
				for (let number = 0; number < this.weightLength; number++) {
					this.totals[(caller * this.weightLength) + number]
						+= this.totals[(node * this.weightLength) + number];
				}
			}
		}

		const buckets = new CounterBuckets(nodeOfCounter, nodeCount);
		this.viaOf = ends && viaOfBuckets(dictionary, ends, {counters, buckets, scope, app: options.app});
		this.starts = [...new Set(options.starts ?? nodeOfCounter)].filter(node => this.#hasWeight(node));
		this.root = new Node(this);
		this.whole = options.whole ?? {ticks: this.root.totalTicks, cpuNs: this.root.totalCpuNs};
		this.#compare = inOrder(options.columns, options.sort, row => locationName(row));
	}

	/** Returns the kept rows below a row, sorted. */
	below(row: Row): readonly Row[] {
		const {isRowKept} = this.options;
		const children = row.children as readonly Row[];
		const kept = isRowKept ? children.filter(child => isRowKept(child)) : children;
		return kept.length > 1 ? [...kept].sort(this.#compare) : kept;
	}

	/** Returns the total weights of some nodes of the dictionary, one after the other. */
	weightsOf(nodes: readonly number[]): Float64Array {
		const weights = new Float64Array(nodes.length * this.weightLength);
		for (const [index, node] of nodes.entries()) {
			weights.set(
				this.totals.subarray(node * this.weightLength, (node + 1) * this.weightLength),
				index * this.weightLength,
			);
		}

		return weights;
	}

	#hasWeight(node: number): boolean {
		const start = node * this.weightLength;
		return this.totals[start + ticksIndex] > 0 || this.totals[start + cpuIndex] > 0;
	}

	#count(node: number, counters: Counters, counter: number): void {
		const start = node * this.weightLength;
		const state = counters.state[counter];
		const ticks = counters.ticks[counter];
		this.selves[start + ticksIndex] += (this.options.scope.countedMask & (1 << state)) === 0 ? 0 : ticks;
		this.selves[start + cpuIndex] += counters.cpuNs[counter];
		if (this.weightLength > plainLength) {
			this.selves[start + plainLength + state] += ticks;
		}
	}
}

/** The nodes of a child row, and for each the index of the parent row's node that leads to it. */
type Step = {readonly nodes: number[]; readonly from: number[]};

/** A row of a tree: a group of frames reached by one path. `nodes` has its nodes, `weights` the weight of each. */
export class CallNode extends LocatedRow {
	/**
	Indentation: one more for each fork on the path to the row; the only callee of an only callee is not indented.
	*/
	indent = 0;
	isOpen = false;
	/** Number of rows above it on its path. */
	readonly level: number;
	/** Identifies its path throughout a session. */
	readonly key: string;
	/** The sum of `weights`; the same array if there is only one. */
	readonly #weight: Float64Array;
	#children: readonly CallNode[] | undefined;

	constructor(
		readonly tree: CallTree,
		readonly parent?: CallNode,
		readonly group = 0,
		readonly nodes = tree.starts,
		readonly weights = tree.weightsOf(nodes),
	) {
		super();
		this.key = parent
			? `${parent.key}.${group}`
			: `${tree.options.keyPrefix ?? ''}${tree.options.isBottomUp ? 'u' : 'd'}`;
		this.level = parent ? parent.level + 1 : tree.options.levelOfRoot;
		this.#weight = weights.length === tree.weightLength ? weights : new Float64Array(tree.weightLength);
		for (let index = 0; index < weights.length && weights !== this.#weight; index++) {
			this.#weight[index % tree.weightLength] += weights[index];
		}
	}

	get parentKey(): string | undefined {
		return this.level > 0 ? this.parent?.key : undefined;
	}

	/** The rows that its path leads to, unsorted. Kept until `forget` is called. */
	get children(): readonly CallNode[] {
		this.#children ??= this.childrenIn();
		return this.#children;
	}

	get hasChildren(): boolean {
		const {firstCallee, options: {isBottomUp, dictionary: {nodeParent}}} = this.tree;
		return this.#isAboveStarts
			|| this.nodes.some(node => (isBottomUp ? nodeParent : firstCallee)[node] !== rootNode);
	}

	get totalTicks(): number {
		return this.#weight[ticksIndex];
	}

	get totalCpuNs(): number {
		return this.#weight[cpuIndex];
	}

	/** Ticks and CPU time of samples with this row's frame innermost; bottom-up: only for a path's first row. */
	get selfTicks(): number {
		return this.#self(ticksIndex);
	}

	get selfCpuNs(): number {
		return this.#self(cpuIndex);
	}

	/** Shares of the whole in the query's unit, 0..100. */
	get selfPercent(): number {
		return this.#shareOf({ticks: this.selfTicks, cpuNs: this.selfCpuNs});
	}

	get totalPercent(): number {
		return this.#shareOf({ticks: this.totalTicks, cpuNs: this.totalCpuNs});
	}

	get unit(): Unit {
		return this.tree.options.scope.unit;
	}

	/** Its total and self time, percent in the query's unit, and the words for that unit. */
	get percents(): {readonly total: number; readonly self: number; readonly of: Printable} {
		const {scope: {unit}, overMs} = this.tree.options;
		if (unit !== 'core' || overMs === 0) {
			return {total: this.totalPercent, self: this.selfPercent, of: safe`${wholeOf(unit)}`};
		}

		const [total, self] = [this.totalCpuNs, this.selfCpuNs].map(ns => corePercent(ns, overMs));
		return {total, self, of: safe`a core`};
	}

	get states(): StateTicks {
		return [...this.#weight.subarray(plainLength)];
	}

	get via(): Location | undefined {
		return this.#hasSelf ? this.tree.viaOf?.(this.nodes) : undefined;
	}

	/** Visits what its path leads to: each node with its group, and the index of this row's node that leads to it. */
	eachStep(visit: (group: number, node: number, from: number) => void): void {
		const {tree, nodes} = this;
		const {
			firstCallee,
			nextCallee,
			options: {isBottomUp, grouping: {groupOfFrame}, dictionary: {nodeParent, nodeFrame}},
		} = tree;
		for (const [index, node] of nodes.entries()) {
			if (this.#isAboveStarts) {
				visit(groupOfFrame[nodeFrame[node]], node, index);
			} else if (!isBottomUp) {
				for (let callee = firstCallee[node]; callee !== rootNode; callee = nextCallee[callee]) {
					visit(groupOfFrame[nodeFrame[callee]], callee, index);
				}
			} else if (nodeParent[node] !== rootNode) {
				visit(groupOfFrame[nodeFrame[nodeParent[node]]], nodeParent[node], index);
			}
		}
	}

	/** Returns the rows that its path leads to in some groups; by default in all. They are of this row's own class. */
	childrenIn(isWanted: (group: number) => boolean = () => true): this[] {
		const {tree, tree: {options: {isBottomUp}}} = this;
		const steps = new Map<number, Step>();
		this.eachStep((group, node, from) => {
			if (isWanted(group)) {
				const step = getOrCreate<number, Step>(steps, group, () => ({nodes: [], from: []}));
				step.nodes.push(node);
				step.from.push(from);
			}
		});

		const Node = this.constructor as typeof CallNode;
		return Array.from(
			steps,
			([group, step]) =>
				isBottomUp
					? new Node(tree, this, group, ...this.#carried(step))
					: new Node(tree, this, group, step.nodes),
		) as this[];
	}

	/** Releases the rows below; they are made again when asked for. */
	forget(): void {
		this.#children = undefined;
	}

	protected override get location(): Location {
		return this.tree.options.grouping.locations[this.group];
	}

	get #isAboveStarts(): boolean {
		return this.parent === undefined && this.tree.options.startsAreRows;
	}

	/** Whether it has self time: in a bottom-up tree only the first row of a path has. */
	get #hasSelf(): boolean {
		const {isBottomUp, startsAreRows} = this.tree.options;
		return isBottomUp
			? startsAreRows && this.parent !== undefined && this.parent.parent === undefined
			: !this.#isAboveStarts;
	}

	#self(index: typeof ticksIndex | typeof cpuIndex): number {
		const {selves, weightLength} = this.tree;
		return this.#hasSelf ? sumOf(this.nodes, node => selves[(node * weightLength) + index]) : 0;
	}

	#shareOf({ticks, cpuNs}: Weight): number {
		const {whole, options: {scope: {unit}}} = this.tree;
		return unit === 'ticks' ? percentOf(ticks, whole.ticks) : percentOf(cpuNs, whole.cpuNs);
	}

	/** Returns the nodes of a step of a bottom-up tree, each once, with the weights of the samples that lead there. */
	#carried({nodes, from}: Step): [nodes: readonly number[], weights: Float64Array] {
		const {weightLength} = this.tree;
		if (this.weights.length === weightLength) {
			return [nodes, this.weights];
		}

		const slotOf = new Map<number, number>();
		const weights: number[] = [];
		for (const [index, node] of nodes.entries()) {
			const slot = getOrCreate(slotOf, node, () => weights.length);
			for (let number = 0; number < weightLength; number++) {
				weights[slot + number] = (weights[slot + number] ?? 0)
					+ this.weights[(from[index] * weightLength) + number];
			}
		}

		return [[...slotOf.keys()], Float64Array.from(weights)];
	}
}
