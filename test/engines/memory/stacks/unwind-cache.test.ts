import {expect, test} from 'vitest';
import {UnwindCache} from '../../../../source/engines/memory/stacks/unwind-cache.js';
import {FrameBuffer, StackCopy} from '../../../../source/engines/memory/stacks/stack.js';

const base = 0x7F_00_00;

/** Words of a stack, the innermost first, that ends at the base. */
function stackOf(words: readonly number[]): StackCopy {
	const copy = new StackCopy();
	copy.set(base - (8 * words.length), new Uint8Array(BigUint64Array.from(words, BigInt).buffer), base);
	return copy;
}

/** Walks a stack of which each word is a frame of its own, with that id and return address; gives the frames, and how many were walked. */
function walk(known: UnwindCache, words: readonly number[], nowMs: number): {readonly frames: number[]; readonly walked: number} {
	const stack = stackOf(words);
	const frames = new FrameBuffer();
	known.begin(nowMs);
	known.restart();
	let walked = 0;
	for (let sp = stack.low; sp < base && !known.complete(stack, {pc: stack.word(sp), sp, fp: 0}, frames); sp += 8) {
		frames.push(stack.word(sp));
		walked++;
	}

	known.end({low: stack.low, words: new Uint32Array(BigUint64Array.from(words, BigInt).buffer)}, frames.copy());
	return {frames: [...frames.copy()], walked};
}

test('a walk ends at the first frame from which on the stack is what it was; what changed further out, or is old, is walked anew', () => {
	const known = new UnwindCache();
	const outer = [7, 6, 5, 4, 3, 2, 1];
	const steps: Array<[inner: number[], outer: number[], nowMs: number, walked: number]> = [
		[[10], outer, 0, 8],
		[[10], outer, 10, 0],
		[[11], outer, 20, 1],
		[[14, 13, 12], outer, 30, 3],
		[[13, 12], outer, 40, 0],
		[[], outer, 50, 0],
		// The frames further in are in the same places, with other callers.
		[[], [7, 6, 5, 4, 9, 2, 1], 60, 5],
		[[12], [7, 6, 5, 4, 9, 2, 1], 70, 1],
		// The same frames, of a stack that is a word longer.
		[[], [...outer, 8], 80, 8],
		[[], [...outer, 8], 999, 0],
		[[], [...outer, 8], 1000, 8],
		[[], [...outer, 8], 1001, 0],
	];
	for (const [inner, callers, nowMs, walked] of steps) {
		expect({nowMs, ...walk(known, [...inner, ...callers], nowMs)}).toEqual({nowMs, frames: [...inner, ...callers], walked});
	}

	known.forget();
	expect(walk(known, outer, 1100).walked).toBe(7);
});
