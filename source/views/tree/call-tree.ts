import {sumOf} from '../../model/sum.js';
import {getOrCreate} from '../../model/get-or-create.js';
import {rootNode} from '../../model/frame.js';
import type {Counters, Dictionary} from '../../model/snapshot.js';
import {stateCount} from '../../model/thread-state.js';
import {inOrder, type Sortable} from '../../query/columns/sort.js';
import {viaOfBuckets} from '../../query/counters/attribution.js';
import {CounterBuckets} from '../../query/counters/buckets.js';
import {LocatedRow, locationName} from '../../query/counters/location.js';
import type {Scope} from '../../query/counters/scope.js';
import {percentOf} from '../../query/counters/share.js';
import type {Grouping} from '../../query/counters/stack-index.js';
import type {Location, SortOrder, StateTicks} from '../../query/types/query.js';

/** What came by a node: thread samples in the counted states, and CPU time. */
export type Weight = {readonly ticks: number; readonly cpuNs: number};

export type TreeOf<Row extends CallNode> = {
	readonly dictionary: Dictionary;
	readonly counters: Counters;
	readonly grouping: Grouping;
	readonly scope: Pick<Scope, 'countedMask' | 'unit'>;
	/** From where samples count to their callers, instead of to what is called. */
	readonly isInverted: boolean;
	/** Whether samples with a stack, by its node, are in the tree, and the node of the stack that they count for. */
	readonly isKept: (node: number) => boolean;
	readonly placeOf: (node: number) => number;
	/** By node, where stacks are cut off at the program's own code: where each is taken to end. */
	readonly ends?: Int32Array;
	/** The nodes that the root stands for; all that samples count for when left out. */
	readonly starts?: Iterable<number>;
	/** The rows below the root are of these nodes themselves, and not of what comes behind them. */
	readonly beginsWithStarts: boolean;
	/** 0 for a root that is a row too; -1 for one that is above all rows. */
	readonly levelOfRoot: 0 | -1;
	readonly countsStates?: boolean;
	/** What shares are of; the root's total when left out. */
	readonly whole?: Weight;
	readonly columns: ReadonlyArray<Sortable<Row>>;
	readonly sort: SortOrder;
	/** Before the keys of rows, where several trees stand in one table. */
	readonly keyPrefix?: string;
	/** Rows that are there, of those with some weight; all when left out. */
	hasFigures?(row: Row): boolean;
};

/** Numbers of a weight: ticks and CPU time; ticks by state follow where they are counted. */
const plainWidth = 2;

/** A tree of the paths that stacks take. Weights are summed up in one pass; nodes are made when somebody asks for them. */
export class CallTree<Row extends CallNode = CallNode> {
	readonly root: Row;
	readonly whole: Weight;
	/** Numbers of a weight. */
	readonly width: number;
	/** By node of the dictionary: the weight of what counts for it, and (not inverted) with all that it called. */
	readonly selves: Float64Array;
	readonly totals: Float64Array;
	/** By node of the dictionary: the first one that it called, and the next one of the same caller; 0 for none. */
	readonly firstCallee: Int32Array;
	readonly nextCallee: Int32Array;
	/** Nodes of the dictionary that the root stands for. */
	readonly starts: readonly number[];
	/** Paths with some weight, where that is known. */
	size = 0;
	/** The method of others' code in which most samples stood that count for some nodes of the dictionary. */
	readonly viaOf: ((places: readonly number[]) => Location | undefined) | undefined;
	readonly #compare: {compare(a: Row, b: Row): number}['compare'];

	constructor(readonly of: TreeOf<Row>, Node: new (tree: CallTree<Row>) => Row) {
		const {dictionary, counters, scope, isInverted, isKept, placeOf, ends} = of;
		const {nodeCount, nodeParent} = dictionary;
		this.width = plainWidth + (of.countsStates ? stateCount : 0);
		this.selves = new Float64Array(nodeCount * this.width);
		const places = new Int32Array(counters.count);
		for (let counter = 0; counter < counters.count; counter++) {
			const node = counters.node[counter];
			if (node !== rootNode && isKept(node)) {
				places[counter] = placeOf(node);
				this.#count(places[counter], counters, counter);
			}
		}

		this.totals = isInverted ? this.selves : Float64Array.from(this.selves);
		this.firstCallee = new Int32Array(isInverted ? 0 : nodeCount);
		this.nextCallee = new Int32Array(isInverted ? 0 : nodeCount);
		// Callers have smaller ids than their callees.
		for (let node = isInverted ? rootNode : nodeCount - 1; node > rootNode; node--) {
			if (this.#hasWeight(node)) {
				const caller = nodeParent[node];
				this.nextCallee[node] = this.firstCallee[caller];
				this.firstCallee[caller] = node;
				this.size++;
				for (let number = 0; number < this.width; number++) {
					this.totals[(caller * this.width) + number] += this.totals[(node * this.width) + number];
				}
			}
		}

		this.viaOf = ends && viaOfBuckets(dictionary, ends, {counters, buckets: new CounterBuckets(counters.count, counter => places[counter], nodeCount), scope});
		this.starts = [...new Set(of.starts ?? places)].filter(place => this.#hasWeight(place));
		this.root = new Node(this);
		this.whole = of.whole ?? {ticks: this.root.totalTicks, cpuNs: this.root.totalCpuNs};
		this.#compare = inOrder(of.columns, of.sort, row => locationName(row));
	}

	/** The nodes below one that are there, in their order. */
	below(node: Row): readonly Row[] {
		const {hasFigures} = this.of;
		const nodes = node.children as readonly Row[];
		const kept = hasFigures ? nodes.filter(child => hasFigures(child)) : nodes;
		return kept.length > 1 ? [...kept].sort(this.#compare) : kept;
	}

	/** The weights of some nodes of the dictionary, one after the other. */
	weightsOf(places: readonly number[]): Float64Array {
		const weights = new Float64Array(places.length * this.width);
		for (const [index, place] of places.entries()) {
			weights.set(this.totals.subarray(place * this.width, (place + 1) * this.width), index * this.width);
		}

		return weights;
	}

	#hasWeight(place: number): boolean {
		return this.totals[place * this.width] > 0 || this.totals[(place * this.width) + 1] > 0;
	}

	#count(place: number, counters: Counters, counter: number): void {
		const at = place * this.width;
		const state = counters.state[counter];
		const ticks = counters.ticks[counter];
		this.selves[at] += (this.of.scope.countedMask & (1 << state)) === 0 ? 0 : ticks;
		this.selves[at + 1] += counters.cpuNs[counter];
		if (this.width > plainWidth) {
			this.selves[at + plainWidth + state] += ticks;
		}
	}
}

/** A step of paths to one group: the nodes that it leads to, and for each the index of the node that it comes from. */
type Step = {readonly places: number[]; readonly from: number[]};

/** A row of a tree: a group of frames reached by one path, for the nodes `places` of the dictionary. */
export class CallNode extends LocatedRow {
	/** How far in it stands, by the forks on the path to it: the only callee of an only callee is not further in. */
	indent = 0;
	isOpen = false;
	/** Rows above it on its path. */
	readonly level: number;
	/** The same for the same path in a session. */
	readonly key: string;
	readonly #weight: Float64Array;
	#children: readonly CallNode[] | undefined;

	constructor(readonly tree: CallTree, readonly parent?: CallNode, readonly group = 0, readonly places = tree.starts, readonly weights = tree.weightsOf(places)) {
		super();
		this.key = parent ? `${parent.key}.${group}` : `${tree.of.keyPrefix ?? ''}${tree.of.isInverted ? 'u' : 'd'}`;
		this.level = parent ? parent.level + 1 : tree.of.levelOfRoot;
		this.#weight = weights.length === tree.width ? weights : new Float64Array(tree.width);
		for (let index = 0; index < weights.length && weights !== this.#weight; index++) {
			this.#weight[index % tree.width] += weights[index];
		}
	}

	/** That of the row that it hangs from; undefined for a root. */
	get parentKey(): string | undefined {
		return this.level > 0 ? this.parent?.key : undefined;
	}

	/** Where the paths go on to, in any order. Kept until `forget` is called. */
	get children(): readonly CallNode[] {
		this.#children ??= this.#makeChildren();
		return this.#children;
	}

	get hasChildren(): boolean {
		const {firstCallee, of: {isInverted, dictionary: {nodeParent}}} = this.tree;
		return this.#isBeforeStarts || this.places.some(place => (isInverted ? nodeParent : firstCallee)[place] !== rootNode);
	}

	/** Ticks of counted states and CPU nanoseconds of all samples that came by this path. */
	get totalTicks(): number {
		return this.#weight[0];
	}

	get totalCpuNs(): number {
		return this.#weight[1];
	}

	/** The same of those that stand there by it (bottom-up: only a root has any). */
	get selfTicks(): number {
		return this.#self(0);
	}

	get selfCpuNs(): number {
		return this.#self(1);
	}

	/** Shares of the unit's whole, 0..100; the filter has no say in the whole. */
	get selfPercent(): number {
		return this.#shareOf({ticks: this.selfTicks, cpuNs: this.selfCpuNs});
	}

	get totalPercent(): number {
		return this.#shareOf({ticks: this.totalTicks, cpuNs: this.totalCpuNs});
	}

	get states(): StateTicks {
		return [...this.#weight.subarray(plainWidth)];
	}

	/** With own code first: the method of others' code in which most of what stands there was. */
	get via(): Location | undefined {
		return this.#hasSelf ? this.tree.viaOf?.(this.places) : undefined;
	}

	/** Gives up the nodes below: they are made again when somebody asks. */
	forget(): void {
		this.#children = undefined;
	}

	protected override get location(): Location {
		return this.tree.of.grouping.locations[this.group];
	}

	/** It is the root, and the rows below it are of its own nodes. */
	get #isBeforeStarts(): boolean {
		return this.parent === undefined && this.tree.of.beginsWithStarts;
	}

	/** Whether samples stand in it, as in an inverted tree only where it begins. */
	get #hasSelf(): boolean {
		const {isInverted, beginsWithStarts} = this.tree.of;
		return isInverted ? beginsWithStarts && this.parent !== undefined && this.parent.parent === undefined : !this.#isBeforeStarts;
	}

	#self(number: 0 | 1): number {
		const {selves, width} = this.tree;
		return this.#hasSelf ? sumOf(this.places, place => selves[(place * width) + number]) : 0;
	}

	#shareOf({ticks, cpuNs}: Weight): number {
		const {whole, of: {scope: {unit}}} = this.tree;
		return unit === 'ticks' ? percentOf(ticks, whole.ticks) : percentOf(cpuNs, whole.cpuNs);
	}

	#makeChildren(): CallNode[] {
		const {tree, places} = this;
		const {firstCallee, nextCallee, of: {isInverted, grouping: {groupOfFrame}, dictionary: {nodeParent, nodeFrame}}} = tree;
		const steps = new Map<number, Step>();
		const add = (place: number, from: number) => {
			const group = groupOfFrame[nodeFrame[place]];
			const step = getOrCreate<number, Step>(steps, group, () => ({places: [], from: []}));
			step.places.push(place);
			step.from.push(from);
		};

		for (const [index, place] of places.entries()) {
			if (this.#isBeforeStarts) {
				add(place, index);
			} else if (!isInverted) {
				for (let callee = firstCallee[place]; callee !== rootNode; callee = nextCallee[callee]) {
					add(callee, index);
				}
			} else if (nodeParent[place] !== rootNode) {
				add(nodeParent[place], index);
			}
		}

		const Node = this.constructor as typeof CallNode;
		return Array.from(steps, ([group, step]) => isInverted ? new Node(tree, this, group, ...this.#carried(step)) : new Node(tree, this, group, step.places));
	}

	/** The nodes of a step, each once, with the weights that are carried there. */
	#carried({places, from}: Step): [places: readonly number[], weights: Float64Array] {
		const {width} = this.tree;
		if (this.weights.length === width) {
			return [places, this.weights];
		}

		const slotOf = new Map<number, number>();
		const weights: number[] = [];
		for (const [index, place] of places.entries()) {
			const slot = getOrCreate(slotOf, place, () => weights.length);
			for (let number = 0; number < width; number++) {
				weights[slot + number] = (weights[slot + number] ?? 0) + this.weights[(from[index] * width) + number];
			}
		}

		return [[...slotOf.keys()], Float64Array.from(weights)];
	}
}
