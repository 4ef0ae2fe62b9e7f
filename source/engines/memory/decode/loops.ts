import {decodeInstruction} from './instruction.js';

/** A loop in compiled code: its code as merged ranges of offsets [begin, end), in order, and their total size. */
export type Loop = {readonly ranges: ReadonlyArray<readonly [begin: number, end: number]>; readonly bytes: number};

/** Whether an instruction has no known successor: RET, RET imm16, HLT, UD2 or an indirect jump. */
const isEnd = (code: Uint8Array, at: number) =>
	[0xC3, 0xC2, 0xF4].includes(code[at]) || (code[at] === 0x0F && code[at + 1] === 0x0B) || isIndirectJump(code, at);

/** jmp rel8 or jmp rel32. */
const isUnconditionalJump = (code: Uint8Array, at: number) => code[at] === 0xEB || code[at] === 0xE9;

/** Maximum blocks of a method's code; with more it counts as having no loops. */
const blocksLimit = 4096;

/** Maximum predecessors visited, each of which may climb `blocksLimit` dominators; further loops are not found. */
const stepsLimit = 262_144;

/** A basic block. `successors`: their starts; `order`: index in reverse postorder; `dominator`: the immediate one. */
type Block = {
	readonly begin: number;
	readonly end: number;
	readonly successors: readonly number[];
	readonly predecessors: Block[];
	order: number;
	dominator?: Block;
};

/**
Returns the natural loops of code that is entered at its first byte, smallest first. A loop is a jump back to a block
that dominates it, and the blocks between, wherever they are placed. Code not reached by direct jumps (exception
handlers, targets of indirect jumps) is in no loop.
*/
export function loopsIn(code: Uint8Array): Loop[] {
	const steps = {left: stepsLimit};
	const blocks = reachable(blocksOf(code));
	setDominators(blocks, steps);
	const loops: Loop[] = [];
	for (const block of blocks) {
		for (const latch of block.predecessors) {
			if (steps.left > 0 && dominates(block, latch)) {
				loops.push(mergeBlocks(bodyOf(block, latch, steps)));
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

function mergeBlocks(body: ReadonlySet<Block>): Loop {
	const ranges: Array<[number, number]> = [];
	let bytes = 0;
	for (const {begin, end} of [...body].sort((a, b) => a.begin - b.begin)) {
		bytes += end - begin;
		const last = ranges.at(-1);
		if (last?.[1] === begin) {
			last[1] = end;
		} else {
			ranges.push([begin, end]);
		}
	}

	return {ranges, bytes};
}

/** Returns the basic blocks of the code up to the first unknown instruction, by start offset; none if too many. */
function blocksOf(code: Uint8Array): Map<number, Block> {
	const starts = new Set([0]);
	const successorsAt = new Map<number, number[]>();
	let at = 0;
	for (let instruction = decodeInstruction(code, at); instruction; instruction = decodeInstruction(code, at)) {
		const end = at + instruction.length;
		if (instruction.jump !== undefined) {
			const target = end + instruction.jump;
			successorsAt.set(end, isUnconditionalJump(code, at) ? [target] : [end, target]);
			starts.add(target).add(end);
		} else if (isEnd(code, at)) {
			successorsAt.set(end, []);
			starts.add(end);
		}

		at = end;
	}

	const sorted = [...starts].filter(start => start >= 0 && start < at).sort((a, b) => a - b);
	const blocks = new Map<number, Block>();
	if (sorted.length > blocksLimit) {
		return blocks;
	}

	for (const [index, begin] of sorted.entries()) {
		const end = sorted[index + 1] ?? at;
		blocks.set(begin, {begin, end, successors: successorsAt.get(end) ?? [end], predecessors: [], order: -1});
	}

	return blocks;
}

/** Returns the blocks reachable from the first, in reverse postorder; sets their predecessors. */
function reachable(blocks: ReadonlyMap<number, Block>): Block[] {
	const order: Block[] = [];
	const first = blocks.get(0);
	const path: Array<{readonly block: Block; index: number}> = first ? [{block: first, index: 0}] : [];
	const visited = new Set(path.map(({block}) => block));

	for (let top = path.at(-1); top; top = path.at(-1)) {
		const next = top.block.successors[top.index++];
		if (next === undefined) {
			order.push(top.block);
			path.pop();
			continue;
		}

		const block = blocks.get(next);
		if (block) {
			block.predecessors.push(top.block);
			if (!visited.has(block)) {
				visited.add(block);
				path.push({block, index: 0});
			}
		}
	}

	order.reverse();
	for (const [index, block] of order.entries()) {
		block.order = index;
	}

	return order;
}

/** Sets each block's immediate dominator (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm). */
function setDominators([first, ...others]: readonly Block[], steps: {left: number}): void {
	if (!first) {
		return;
	}

	first.dominator = first;
	for (let hasChanged = true; hasChanged && steps.left > 0;) {
		hasChanged = false;
		for (const block of others) {
			let dominator: Block | undefined;
			for (const predecessor of block.predecessors) {
				if (predecessor.dominator) {
					dominator = dominator ? commonDominator(dominator, predecessor) : predecessor;
				}
			}

			steps.left -= block.predecessors.length;
			hasChanged ||= dominator !== block.dominator;
			block.dominator = dominator;
		}
	}
}

/** Both blocks must have a dominator. Then all their dominators have one too; the first block is its own. */
function commonDominator(a: Block, b: Block): Block {
	while (a !== b) {
		if (a.order > b.order) {
			a = a.dominator!;
		} else {
			b = b.dominator!;
		}
	}

	return a;
}

function dominates(block: Block, other: Block): boolean {
	while (other.order > block.order) {
		other = other.dominator!;
	}

	return other === block;
}

/**
Returns the blocks of a loop from its header to one latch, a block that jumps back to the header. Each latch makes a
loop of its own, because an inner and an outer loop may share a header.
*/
function bodyOf(header: Block, latch: Block, steps: {left: number}): Set<Block> {
	const body = new Set([header]);
	const pending = [latch];
	for (let block = pending.pop(); block; block = pending.pop()) {
		if (!body.has(block)) {
			body.add(block);
			pending.push(...block.predecessors);
			steps.left -= block.predecessors.length;
		}
	}

	return body;
}

/** Whether an instruction, perhaps after a REX prefix, is FF /4 or FF /5: a near or far indirect jump. */
function isIndirectJump(code: Uint8Array, at: number): boolean {
	const opcodeAt = code[at] >> 4 === 4 ? at + 1 : at;
	const form = (code[opcodeAt + 1] >> 3) & 7;
	return code[opcodeAt] === 0xFF && (form === 4 || form === 5);
}
