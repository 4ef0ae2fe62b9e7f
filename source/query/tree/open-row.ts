import type {Scope} from '../counters/scope.js';
import {AtLocation} from '../counters/location.js';
import {percentOf} from '../counters/share.js';
import type {Location, TreeRow} from '../types/rows.js';
import type {PathTree, Weight} from './path-tree.js';

/** What rows are made from. */
export type RowSource = {
	readonly tree: PathTree;
	readonly locationOf: (node: number) => Location;
	/** Before the key of a row, where several trees stand in one table. */
	readonly keyPrefix?: string;
	readonly unit: Scope['unit'];
	/** What shares are of. */
	readonly whole: Weight;
};

/** Where a row stands among those of an open tree. */
export type Standing = Pick<TreeRow, 'indent' | 'level' | 'isOpen'> & {
	/** The node of the row that it hangs from. */
	readonly parent: number | undefined;
};

const nowhere: Standing = Object.freeze({
	indent: 0, level: 0, isOpen: false, parent: undefined,
});

/** A row of a tree: its node and where it stands; all else is found when somebody asks for it. */
export class OpenRow extends AtLocation implements TreeRow {
	readonly #source: RowSource;
	readonly #standing: Standing;

	/** `node` is its place in the tree; `standing` is left out where only figures are asked for. */
	constructor(readonly node: number, source: RowSource, standing = nowhere) {
		super();
		this.#source = source;
		this.#standing = standing;
	}

	get indent(): number {
		return this.#standing.indent;
	}

	get level(): number {
		return this.#standing.level;
	}

	get isOpen(): boolean {
		return this.#standing.isOpen;
	}

	get hasChildren(): boolean {
		return this.#source.tree.hasChildren(this.node);
	}

	get key(): string {
		return this.#keyOf(this.node);
	}

	get parentKey(): string | undefined {
		const {parent} = this.#standing;
		return parent === undefined ? undefined : this.#keyOf(parent);
	}

	get selfTicks(): number {
		return this.#source.tree.self(this.node).ticks;
	}

	get selfCpuNs(): number {
		return this.#source.tree.self(this.node).cpuNs;
	}

	get totalTicks(): number {
		return this.#source.tree.total(this.node).ticks;
	}

	get totalCpuNs(): number {
		return this.#source.tree.total(this.node).cpuNs;
	}

	get selfPercent(): number {
		return this.#shareOf(this.#source.tree.self(this.node));
	}

	get totalPercent(): number {
		return this.#shareOf(this.#source.tree.total(this.node));
	}

	get via(): Location | undefined {
		return this.#source.tree.viaOf?.(this.node);
	}

	protected override get location(): Location {
		return this.#source.locationOf(this.node);
	}

	#keyOf(node: number): string {
		return (this.#source.keyPrefix ?? '') + this.#source.tree.keyOf(node);
	}

	#shareOf({ticks, cpuNs}: Weight): number {
		const {unit, whole} = this.#source;
		return unit === 'ticks' ? percentOf(ticks, whole.ticks) : percentOf(cpuNs, whole.cpuNs);
	}
}
