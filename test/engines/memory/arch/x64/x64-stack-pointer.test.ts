import {expect, test} from 'vitest';
import {stubFrame, pushedOnFrame} from '../../../../../source/engines/memory/arch/x64/x64-stack-pointer.js';
import {randomBytes} from '../../../../helpers/random.js';

/** Reads code of which the first byte is at address 0, and nothing behind it. */
function reader(code: Uint8Array): (address: number) => Uint8Array {
	return address => {
		const window = new Uint8Array(64);
		window.set(code.subarray(Math.max(address, 0), Math.max(address, 0) + 64));
		return window;
	};
}

const hex = (text: string) => reader(Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex')));

/** As C2 of 8 tests a type: push rax; repne scasq; pop rax; jne +4; mov [rsi + 0x18], rax; the frame's end. */
const typeTest = hex('50 f2 48 af 58 75 04 48 89 46 18 48 83 c4 50 5d c3');

/** As C1 calls its stub for that: push rdi; push rsi; call; pop rdi; pop rsi; the frame's end. */
const stubCall = hex('57 56 e8 00 10 00 00 5f 5e 48 83 c4 50 5d c3');

test.each([
	['before the push', typeTest, 0, 0x50, 0],
	['while it searches', typeTest, 1, 0x50, 8],
	['after the pop', typeTest, 5, 0x50, 0],
	['between two pushes', stubCall, 1, 0x50, 8],
	['at the return from the stub', stubCall, 7, 0x50, 16],
	['between two pops', stubCall, 8, 0x50, 8],
	['at the end of the frame', stubCall, 9, 0x50, 0],
	['at the end of a frame with nothing but the frame pointer', hex('5d c3'), 0, 0, 0],
	['below values that were allocated', hex('48 83 c4 20 58 48 83 c4 50 5d c3'), 0, 0x50, 0x28],
	['before a jump', hex('eb 02 58 58 58 48 83 c4 50 5d c3'), 0, 0x50, 8],
])('temporary values on a frame: %s', (_, code, pc, frameBytes, pushed) => {
	expect(pushedOnFrame(code, pc, frameBytes)).toBe(pushed);
});

const gone = {depth: 0, isFpSaved: false};

test.each([
	['a stub that has pushed nothing', hex('48 8b 00 c3'), 0, gone],
	['registers, and values that were allocated', hex('4c 8b 4c 24 10 48 8d 64 24 20 58 59 5e 5f c3'), 0, {
		depth: 0x40,
		isFpSaved: false,
	}],
	[
		'the flags and the frame pointer, then a jump to the method found',
		hex('48 81 c4 80 00 00 00 48 83 c4 08 9d 5d ff e0'),
		0,
		{depth: 0x98, isFpSaved: true},
	],
	['at its beginning', hex('57 56 5e 5f c3'), 0, gone],
	['a loop that a taken branch leaves', hex('57 85 c9 74 02 eb fa 5f c3'), 1, {depth: 8, isFpSaved: false}],
	['a loop without an end', hex('57 eb fd'), 1, undefined],
	['the stack pointer from a register', hex('48 89 ec 5d c3'), 0, undefined],
	['leave', hex('c9 c3'), 0, undefined],
	['no code', hex(''), 0, undefined],
])('what a stub pops before it returns: %s', (_, code, pc, popped) => {
	expect(stubFrame(code, pc)).toEqual(popped);
});

test('any bytes end', () => {
	for (let seed = 0; seed < 500; seed++) {
		const code = reader(randomBytes(seed, 400));
		expect(pushedOnFrame(code, seed % 300, 8 * (seed % 20))).toBeGreaterThanOrEqual(0);
		stubFrame(code, seed % 300);
	}
});
