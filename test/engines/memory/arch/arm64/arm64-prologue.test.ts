import {expect, test} from 'vitest';
import {
	decodeEpilogue, decodePrologue, pushedOnFrame, stubFrame,
} from '../../../../../source/engines/memory/arch/arm64/arm64-prologue.js';
import {randomBytes} from '../../../../helpers/random.js';
import {codeOf, readerOf} from './words.js';

/** nop; sub x9, sp, #0x14000; str xzr, [x9]; sub sp, sp, #0x40; stp x29, x30, [sp, #0x30]; ldr w8, [x28, #64] */
const small = codeOf('d503201f d14053e9 f900013f d10103ff a9037bfd b9404388');

/** paciaz; stp x29, x30, [sp, #-16]!; sub sp, sp, #0x400; mov x8, #0x2000; sub sp, sp, x8 */
const large = codeOf('d503231f a9bf7bfd d11003ff d2840008 cb2863ff');

/** The return address in the link register, this many bytes below the caller's frame; or saved at this depth. */
const unsaved = (bytes: number) => ({depth: bytes - 8, isFpSaved: false, isReturnInRegister: true});
const saved = (depth: number) => ({depth, isFpSaved: true});

test('at entry the return address is in the register, until the frame is allocated and both registers are saved', () => {
	expect([0, 4, 12, 16, 20, 24].map(offset => decodePrologue(small, offset)))
		.toEqual([unsaved(0), unsaved(0), unsaved(0), unsaved(0x40), saved(0x38), saved(0x38)]);
	expect([0, 4, 8, 12, 16, 20].map(offset => decodePrologue(large, offset)))
		.toEqual([unsaved(0), unsaved(0), saved(8), saved(0x4_08), saved(0x4_08), saved(0x24_08)]);
});

test('offsets inside an instruction, and code that is no prologue', () => {
	expect(decodePrologue(small, 2)).toBeUndefined();
	expect(decodePrologue(small, 64)).toBeUndefined();
	// A call, and another use of the link register, before it is saved.
	expect(decodePrologue(codeOf('94000400 d10103ff'), 8)).toBeUndefined();
	expect(decodePrologue(codeOf('aa0003fe d10103ff'), 8)).toBeUndefined();
});

test('at the end: loaded, freed, polled, authenticated', () => {
	// ldp x29, x30, [sp, #0x30]; add sp, sp, #0x40; ldr x8, [x28, #0x28]; cmp sp, x8; b.hi; ret
	const code = codeOf('a9437bfd 910103ff f9401788 eb2863ff 54000208 d65f03c0');
	expect([0, 4, 8, 12, 16, 20].map(at => decodeEpilogue(code.subarray(at))))
		.toEqual([saved(0x38), unsaved(0x40), unsaved(0), unsaved(0), unsaved(0), unsaved(0)]);
	// add sp, sp, #0x400; ldp x29, x30, [sp], #16; autiaz; ret
	const signed = codeOf('911003ff a8c17bfd d503239f d65f03c0');
	expect([0, 4, 8, 12].map(at => decodeEpilogue(signed.subarray(at))))
		.toEqual([saved(0x4_08), saved(8), unsaved(0), unsaved(0)]);
});

test('code that goes on is no end', () => {
	expect(decodeEpilogue(codeOf('94000400 a9437bfd 910103ff d65f03c0'))).toBeUndefined();
	expect(decodeEpilogue(codeOf('d10103ff d65f03c0'))).toBeUndefined();
	expect(decodeEpilogue(codeOf('17ffffff d65f03c0'))).toBeUndefined();
	expect(decodeEpilogue(codeOf('d503201f d503201f'))).toBeUndefined();
});

/** stp x29, x30, [sp, #-48]!; mov x29, sp; bl; ldp x29, x30, [sp], #48; ret: as the C compiler makes functions. */
const native = codeOf('a9bd7bfd 910003fd 94000400 a8c37bfd d65f03c0');

/** stp x29, x30, [sp, #-16]!; mov x29, sp; str x0, [sp, #-16]!; mov sp, x29; ldp x29, x30, [sp], #16; ret */
const entered = codeOf('a9bf7bfd 910003fd f81f0fe0 910003bf a8c17bfd d65f03c0');

test.each([
	['a function that has saved nothing yet', native, 0, unsaved(0)],
	['in it, with its frame above the saved registers', native, 4, {...saved(8), frameBytes: 48}],
	['behind its frame', native, 16, unsaved(0)],
	['a stub before it enters', entered, 0, unsaved(0)],
	['while it enters', entered, 4, {...saved(8), frameBytes: 16}],
	['in it: by the frame pointer', entered, 8, {...saved(8), frameBytes: 16, isFromFp: true}],
	['while it leaves', entered, 16, {...saved(8), frameBytes: 16}],
	['without a frame, with values', codeOf('a8c133e8 d65f03c0'), 0, unsaved(16)],
	['with a jump to what it has found', codeOf('910043ff d61f0100'), 0, unsaved(16)],
	['a loop that a taken branch leaves', codeOf('b4000040 17ffffff d65f03c0'), 0, unsaved(0)],
	['a loop without an end', codeOf('d503201f 17ffffff'), 0, undefined],
	['a call, and no saved register', codeOf('94000400 d65f03c0'), 0, undefined],
	['the stack pointer from another register', codeOf('9100029f d65f03c0'), 0, undefined],
	['no code', codeOf('00000000'), 0, undefined],
])('where the return address of a stub is: %s', (_, code, pc, state) => {
	expect(stubFrame(readerOf(code), pc)).toEqual(state);
});

// stp x8, x12, [sp, #-16]!; bl; ldp x8, x12, [sp], #16; mov x29, x0; ldp x29, x30, [sp, #0x30]; add sp, sp, #0x40; ret
const leafCall = codeOf('a9bf33e8 94000400 a8c133e8 aa0003fd a9437bfd 910103ff d65f03c0');

test.each([[0, 0], [4, 16], [8, 16], [12, 0], [16, 0]])('values on a frame at %i: %i bytes', (pc, bytes) => {
	expect(pushedOnFrame(readerOf(leafCall), pc, 0x30)).toBe(bytes);
});

test('any bytes end', () => {
	for (let seed = 0; seed < 500; seed++) {
		const code = randomBytes(seed, 400);
		decodePrologue(code, 4 * (seed % 64));
		decodeEpilogue(code);
		stubFrame(readerOf(code), 4 * (seed % 64));
		expect(pushedOnFrame(readerOf(code), 4 * (seed % 64), 8 * (seed % 20))).toBeGreaterThanOrEqual(0);
	}
});
