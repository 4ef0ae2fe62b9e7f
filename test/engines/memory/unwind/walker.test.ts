import {expect, test} from 'vitest';
import type {Jvm} from '../../../../source/engines/memory/hotspot/jvm.js';
import {StackCopy} from '../../../../source/engines/memory/unwind/stack.js';
import {Walker} from '../../../../source/engines/memory/unwind/walker.js';

const barrierPc = 0x10_00;
const callStubReturn = 0x20_00;
const low = 0x7F_00_00;
const entryWords = 10;
const savedFp = low + (8 * (entryWords + 3));
const anchor = savedFp + 8;

/*
The words behind the last frame of a virtual thread that came back from the heap; a JVM does not give them at will.
*/
function stack(): StackCopy {
	const words = [...Array.from({length: entryWords}, () => 0), savedFp, callStubReturn, 0, anchor, 0, 0, 0];
	const copy = new StackCopy();
	copy.set(low, new Uint8Array(BigUint64Array.from(words, BigInt).buffer), low + (8 * words.length));
	return copy;
}

test.each([
	['what was in the register', low + (8 * entryWords)],
	['a small number', 3],
	['an address in the heap', 0x70_00_00_00],
	['another place of the stack', low + (8 * 15) + 4096],
])('behind the return barrier the carrier\'s frames follow, whether the frame pointer is theirs or not: %s', (_, fp) => {
	const vm = {
		callStubReturn,
		entryFrameWrapper: 0,
		layout: {fields: {virtualThread: 8, wrapperAnchor: 0, anchorSp: 0}},
	};
	const code = {
		isCode: (pc: number) => pc === barrierPc || pc === callStubReturn,
		lookUp: () => ({
			blob: {kind: 'stub', isMethod: false, frameSize: 0, name: 'StubRoutines (continuation stubs)'},
		}),
	};
	const walker = new Walker({vm, code} as unknown as Jvm);
	walker.start();
	expect(walker.walk(stack(), barrierPc, low, fp)).toBe('root');
	expect(walker).toMatchObject({heapSp: low, heapStart: 0, carrierStart: 0});
});
