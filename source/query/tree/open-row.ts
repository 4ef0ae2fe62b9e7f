import type {Scope} from '../facts/scope.js';
import {AtPlace} from '../facts/place.js';
import {percentOf} from '../facts/share.js';
import type {Place, TreeRow} from '../types.js';
import type {PathTree, Weight} from './path-tree.js';

/** What rows are made from. */
export type RowSource = {
	readonly tree: PathTree;
	readonly placeOf: (node: number) => Place;
	/** Before the key of a row, where several trees stand in one table. */
	readonly keyPrefix?: string;
	readonly unit: Scope['unit'];
	/** What shares are of. */
	readonly whole: Weight;
};

/**
A row of an open tree. It knows where it stands; all else is found when it is drawn, as most rows are not. What is not
read-only is written while the tree is being opened, and never later.
*/
export class OpenRow extends AtPlace implements TreeRow {
	indent = 0;
	isOpen = false;
	hasSiblings = false;
	readonly #source: RowSource;
	readonly #parent: OpenRow | undefined;
	#key: string | undefined;

	/** `node` is its place in the tree. */
	constructor(readonly node: number, parent: OpenRow | undefined, source: RowSource) {
		super();
		this.#source = source;
		this.#parent = parent;
	}

	get level(): number {
		let level = 0;
		for (let parent = this.#parent; parent; parent = parent.#parent) {
			level++;
		}

		return level;
	}

	get hasChildren(): boolean {
		return this.#source.tree.hasChildren(this.node);
	}

	get key(): string {
		this.#key ??= (this.#source.keyPrefix ?? '') + this.#source.tree.keyOf(this.node);
		return this.#key;
	}

	get parentKey(): string | undefined {
		return this.#parent?.key;
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

	get via(): Place | undefined {
		return this.#source.tree.viaOf?.(this.node);
	}

	protected override get place(): Place {
		return this.#source.placeOf(this.node);
	}

	#shareOf({ticks, cpuNs}: Weight): number {
		const {unit, whole} = this.#source;
		return unit === 'ticks' ? percentOf(ticks, whole.ticks) : percentOf(cpuNs, whole.cpuNs);
	}
}
