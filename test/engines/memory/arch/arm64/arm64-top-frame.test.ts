import {expect, test} from 'vitest';
import {arm64} from '../../../../../source/engines/memory/arch/arm64/arm64.js';
import {loopsIn} from '../../../../../source/engines/memory/decode/loops.js';
import {codeOf, readerOf} from './words.js';

test('loops: by conditional jumps, by tests of bits and of zero, and by jumps back', () => {
	// 0: nop; 4: cbz x0, 16; 8: tbnz x0, #40, 0; 12: b 4; 16: b.eq 8; 20: ret
	const code = codeOf('d503201f b4000060 b747ffc0 17fffffe 54ffffc0 d65f03c0');
	expect(loopsIn(code, arm64.instructions).map(({ranges}) => ranges)).toEqual([[[4, 20]], [[0, 20]]]);
	expect(loopsIn(codeOf('d503201f d65f03c0 17fffffe'), arm64.instructions)).toEqual([]);
	// brk and br end it; svc does not.
	expect(loopsIn(codeOf('d4200020 17ffffff'), arm64.instructions)).toEqual([]);
	expect(loopsIn(codeOf('d61f0100 17ffffff'), arm64.instructions)).toEqual([]);
	expect(loopsIn(codeOf('d4000001 17ffffff'), arm64.instructions)).toHaveLength(1);
});

test('calls and their targets: direct, through a trampoline, by a loaded register', () => {
	const direct = readerOf(codeOf('d503201f d503201f d503201f d503201f 94000400'), 0x1_00_00);
	expect(arm64.isAfterCall(direct, 0x1_00_14)).toBe(true);
	expect(arm64.isAfterCall(direct, 0x1_00_10)).toBe(false);
	expect(arm64.callTarget(direct, 0x1_00_14)).toBe(0x1_00_10 + 0x10_00);
	// bl to: ldr x8, #8; br x8; 0x0000ffff12340010
	const far = readerOf(codeOf('d503201f 94000002 d503201f 58000048 d61f0100 12340010 0000ffff'), 0x1_00_00);
	expect(arm64.callTarget(far, 0x1_00_08)).toBe(0xFF_FF_12_34_00_10);
	// mov x8, #0x10; movk x8, #0x1234, lsl 16; movk x8, #0xffff, lsl 32; blr x8
	const loaded = readerOf(codeOf('d503201f d2800208 f2a24688 f2dfffe8 d63f0100'), 0x1_00_00);
	expect(arm64.callTarget(loaded, 0x1_00_14)).toBe(0xFF_FF_12_34_00_10);
	expect(arm64.callTarget(readerOf(codeOf('aa0003e8 d63f0100')), 8)).toBe(0);
});

test('the caller of a native function, whose registers are saved at the bottom of its frame', () => {
	// bl to: stp x29, x30, [sp, #-48]!
	expect(arm64.callerSp(readerOf(codeOf('94000002 d503201f a9bd7bfd')), 4, 0x20_08)).toBe(0x20_30);
	// bl to: sub sp, sp, #0x40; stp x29, x30, [sp, #0x30]
	expect(arm64.callerSp(readerOf(codeOf('94000002 d503201f d10103ff a9037bfd')), 4, 0x20_08)).toBe(0x20_10);
	// A function that saves nothing, and a call of an unknown one.
	expect(arm64.callerSp(readerOf(codeOf('94000002 d503201f d65f03c0')), 4, 0x20_08)).toBeUndefined();
	expect(arm64.callerSp(readerOf(codeOf('aa0003e8 d63f0100')), 8, 0x20_08)).toBeUndefined();
});

test('system calls by their code: mov x8, number; svc #0', () => {
	expect(arm64.systemCallIn(codeOf('d2800c48 d4000001'))).toBe('futex');
	expect(arm64.systemCallIn(codeOf('d2800c48 d503201f'))).toBe('');
	expect(arm64.systemCallIn(codeOf('aa0003e8 d4000001'))).toBe('');
});
