import type {Location, StateTicks} from '../types/rows.js';

/** What came by a node: thread samples in the counted states, and CPU time. */
export type Weight = {readonly ticks: number; readonly cpuNs: number};

/** A tree of paths; nodes are numbers, and 0 is above its roots. What nobody asks for is not made. */
export type PathTree = {
	/** Nodes in all, where that is known. */
	readonly size?: number;
	/** Nodes with some weight, in any order. */
	childrenOf(node: number): readonly number[];
	hasChildren(node: number): boolean;
	/** The group of its place. */
	groupOf(node: number): number;
	/** The same for the same path in a session. */
	keyOf(node: number): string;
	/** The node with a key; undefined where nothing came by it. */
	nodeOf(key: string): number | undefined;
	/**
	Where nodes are numbered in single file, each the only one below that before it, with the same total: the last one
	behind a node.
	*/
	endOfFile?(node: number): number;
	self(node: number): Weight;
	total(node: number): Weight;
	/** Ticks of all that came by a node, by state; only where they are counted. */
	states?(node: number): StateTicks;
	/** Where stacks were cut off at the program's own code: the method of others' that most samples of it stood in. */
	viaOf?(node: number): Location | undefined;
};
