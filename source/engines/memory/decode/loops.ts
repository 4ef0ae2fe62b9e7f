import {type Instructions} from '../arch/architecture.js';

/** A loop in compiled code: its code as merged ranges of offsets [begin, end), in order, and their total size. */
export type Loop = {readonly ranges: ReadonlyArray<readonly [begin: number, end: number]>; readonly bytes: number};

/** Maximum blocks of a method's code; with more it counts as having no loops. */
const blocksLimit = 4096;

/** Maximum predecessors visited, each of which may climb `blocksLimit` dominators; further loops are not found. */
const stepsLimit = 262_144;

/*
A large method has thousands of blocks, and new methods are compiled all the time. So blocks and edges are numbers in
arrays, not objects.
*/

/** Basic blocks by the order of their addresses. `next`, `target`: indices of the successors, -1 for none. */
type Blocks = {
	readonly count: number;
	readonly begins: Int32Array;
	readonly ends: Int32Array;
	readonly next: Int32Array;
	readonly target: Int32Array;
};

/**
The blocks that can be reached from the first, in reverse postorder. `blocks`: their indices in `Blocks`; the
predecessors of the n-th are at `starts[n]` to `starts[n + 1]` of `predecessors`.
*/
type Graph = {
	readonly count: number;
	readonly blocks: Int32Array;
	readonly starts: Int32Array;
	readonly predecessors: Int32Array;
};

/**
Returns the natural loops of code that is entered at its first byte, smallest first. A loop is a jump back to a block
that dominates it, and the blocks between, wherever they are placed. Code not reached by direct jumps (exception
handlers, targets of indirect jumps) is in no loop.
*/
export function loopsIn(code: Uint8Array, instructions: Instructions): Loop[] {
	const steps = {left: stepsLimit};
	const blocks = blocksOf(code, instructions);
	const graph = reachable(blocks);
	const dominators = dominatorsOf(graph, steps);
	const loops: Loop[] = [];
	for (let header = 0; header < graph.count; header++) {
		for (let at = graph.starts[header]; at < graph.starts[header + 1] && steps.left > 0; at++) {
			const latch = graph.predecessors[at];
			if (dominates(dominators, header, latch)) {
				loops.push(mergeBlocks(blocks, bodyOf(graph, header, latch, steps)));
			}
		}
	}

	return loops.sort((a, b) => a.bytes - b.bytes);
}

/** Whether a code offset is in a loop; searches its ranges by bisection. */
export function isInLoop({ranges}: Loop, offset: number): boolean {
	let low = 0;
	let high = ranges.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (ranges[middle][1] <= offset) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return low < ranges.length && ranges[low][0] <= offset;
}

/** `body`: indices in `blocks`, in order. */
function mergeBlocks({begins, ends}: Blocks, body: Int32Array): Loop {
	const ranges: Array<[number, number]> = [];
	let bytes = 0;
	for (const block of body) {
		bytes += ends[block] - begins[block];
		const last = ranges.at(-1);
		if (last?.[1] === begins[block]) {
			last[1] = ends[block];
		} else {
			ranges.push([begins[block], ends[block]]);
		}
	}

	return {ranges, bytes};
}

/** Jumps and ends of code up to the first unknown instruction, in order: their last byte's end and their target. */
type Jumps = {readonly ends: number[]; readonly targets: number[]; readonly areConditional: boolean[]};

/** What an end of code has instead of a target. */
const noTarget = -1;

/** Returns the basic blocks of the code up to the first unknown instruction; none if there are too many. */
function blocksOf(code: Uint8Array, instructions: Instructions): Blocks {
	const isStart = new Uint8Array(code.length + 1);
	const jumps: Jumps = {ends: [], targets: [], areConditional: []};
	isStart[0] = 1;
	let at = 0;
	for (let length = instructions.length(code, at); length > 0; length = instructions.length(code, at)) {
		const end = at + length;
		const distance = instructions.jumpDistance(code, at, end);
		if (distance !== undefined || instructions.isEnd(code, at)) {
			const target = distance === undefined ? noTarget : end + distance;
			jumps.ends.push(end);
			jumps.targets.push(target);
			jumps.areConditional.push(distance !== undefined && !instructions.isUnconditional(code, at));
			isStart[end] = 1;
			if (target >= 0 && target < code.length) {
				isStart[target] = 1;
			}
		}

		at = end;
	}

	return link(startsBefore(isStart, at), at, jumps);
}

/** Returns the starts of blocks before the end of the decoded code; none if there are too many. */
function startsBefore(isStart: Uint8Array, end: number): Int32Array {
	const starts: number[] = [];
	for (let offset = isStart.indexOf(1); offset >= 0 && offset < end; offset = isStart.indexOf(1, offset + 1)) {
		starts.push(offset);
	}

	return Int32Array.from(starts.length > blocksLimit ? [] : starts);
}

/** Links blocks that begin at `begins` to their successors. `codeEnd`: the end of the last one. */
function link(begins: Int32Array, codeEnd: number, jumps: Jumps): Blocks {
	const count = begins.length;
	const ends = new Int32Array(count);
	const next = new Int32Array(count);
	const target = new Int32Array(count);
	let jump = 0;
	for (let block = 0; block < count; block++) {
		const end = block + 1 < count ? begins[block + 1] : codeEnd;
		while (jump < jumps.ends.length && jumps.ends[jump] < end) {
			jump++;
		}

		const endsWithJump = jumps.ends[jump] === end;
		const isFallThrough = !endsWithJump || jumps.areConditional[jump];
		ends[block] = end;
		next[block] = isFallThrough && block + 1 < count ? block + 1 : -1;
		target[block] = endsWithJump ? blockAt(begins, jumps.targets[jump]) : -1;
	}

	return {count, begins, ends, next, target};
}

/** Returns the index of the block that begins at an offset; -1 for none. */
function blockAt(begins: Int32Array, offset: number): number {
	let low = 0;
	let high = begins.length;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (begins[middle] < offset) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	return begins[low] === offset ? low : -1;
}

/** Returns the blocks reachable from the first, with their predecessors. */
function reachable({count, next, target}: Blocks): Graph {
	const postorder: number[] = [];
	/** Edges in the order of the search: blocks from and to. */
	const from: number[] = [];
	const to: number[] = [];
	const path = count > 0 ? [0] : [];
	const visited = new Uint8Array(count);
	/** By block on the path: how many of its successors have been followed. */
	const followed = new Uint8Array(count);
	visited[0] = 1;
	while (path.length > 0) {
		const block = path.at(-1)!;
		if (followed[block] === 2) {
			postorder.push(block);
			path.pop();
			continue;
		}

		const successor = followed[block]++ === 0 ? next[block] : target[block];
		if (successor < 0) {
			continue;
		}

		from.push(block);
		to.push(successor);
		if (visited[successor] === 0) {
			visited[successor] = 1;
			path.push(successor);
		}
	}

	return graphOf(Int32Array.from(postorder.reverse()), count, {from, to});
}

/** `order`: reachable blocks in reverse postorder; `count`: of all blocks. */
function graphOf(
	order: Int32Array,
	count: number,
	{from, to}: {readonly from: readonly number[]; readonly to: readonly number[]},
): Graph {
	const orderOf = new Int32Array(count);
	for (const [index, block] of order.entries()) {
		orderOf[block] = index;
	}

	const starts = new Int32Array(order.length + 1);
	for (const block of to) {
		starts[orderOf[block] + 1]++;
	}

	for (let index = 0; index < order.length; index++) {
		starts[index + 1] += starts[index];
	}

	const filled = new Int32Array(starts);
	const predecessors = new Int32Array(to.length);
	for (const [edge, block] of to.entries()) {
		predecessors[filled[orderOf[block]]++] = orderOf[from[edge]];
	}

	return {count: order.length, blocks: order, starts, predecessors};
}

/**
Returns each block's immediate dominator, -1 if unknown (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm).
*/
function dominatorsOf({count, starts, predecessors}: Graph, steps: {left: number}): Int32Array {
	const dominators = new Int32Array(count).fill(-1);
	dominators[0] = 0;
	for (let hasChanged = count > 0; hasChanged && steps.left > 0;) {
		hasChanged = false;
		for (let block = 1; block < count; block++) {
			let dominator = -1;
			for (let at = starts[block]; at < starts[block + 1]; at++) {
				const predecessor = predecessors[at];
				if (dominators[predecessor] >= 0) {
					dominator = dominator < 0 ? predecessor : commonDominator(dominators, dominator, predecessor);
				}
			}

			steps.left -= starts[block + 1] - starts[block];
			hasChanged ||= dominator !== dominators[block];
			dominators[block] = dominator;
		}
	}

	return dominators;
}

/** Both blocks must have a dominator. Then all their dominators have one too; the first block is its own. */
function commonDominator(dominators: Int32Array, a: number, b: number): number {
	while (a !== b) {
		if (a > b) {
			a = dominators[a];
		} else {
			b = dominators[b];
		}
	}

	return a;
}

function dominates(dominators: Int32Array, block: number, other: number): boolean {
	while (other > block) {
		other = dominators[other];
	}

	return other === block;
}

/**
Returns the blocks of a loop from its header to one latch, a block that jumps back to the header, as indices in `Blocks`
in order. Each latch makes a loop of its own, because an inner and an outer loop may share a header.
*/
function bodyOf(
	{count, blocks, starts, predecessors}: Graph,
	header: number,
	latch: number,
	steps: {left: number},
): Int32Array {
	const isInBody = new Uint8Array(count);
	const body = [blocks[header]];
	isInBody[header] = 1;
	const pending = [latch];
	for (let block = pending.pop(); block !== undefined; block = pending.pop()) {
		if (isInBody[block] === 1) {
			continue;
		}

		isInBody[block] = 1;
		body.push(blocks[block]);
		for (let at = starts[block]; at < starts[block + 1]; at++) {
			pending.push(predecessors[at]);
		}

		steps.left -= starts[block + 1] - starts[block];
	}

	return Int32Array.from(body).sort();
}
