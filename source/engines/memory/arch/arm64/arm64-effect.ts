/* What instructions do to the stack pointer, the frame pointer and the link register (Arm ARM, C6). */
import {fpNumber, isBl, isBlr, lrNumber, signedField, spNumber} from './arm64-instruction.js';

/**
`move`: adds bytes to the stack pointer. `save`, `load`: stores or loads frame pointer and link register together,
`offset` bytes from the stack pointer, which then moves by `pops`. `setFp`: the frame pointer becomes the stack pointer
plus `offset`. `setSp`: the stack pointer becomes the frame pointer plus `offset`. `call`: changes the link register.
`loseFp`: the frame pointer becomes anything, as compiled code uses it. `unknown`: changes one of the others in another
way.
*/
export type Effect =
	| {readonly kind: 'none' | 'call' | 'loseFp' | 'unknown'}
	| {readonly kind: 'move'; readonly pops: number}
	| {readonly kind: 'save' | 'load'; readonly offset: number; readonly pops: number}
	| {readonly kind: 'setFp' | 'setSp'; readonly offset: number};

const none: Effect = {kind: 'none'};
const unknown: Effect = {kind: 'unknown'};

const loseFp: Effect = {kind: 'loseFp'};

/** Returns the effect of a change of a register that is not the stack pointer. */
function changed(register: number): Effect {
	return register === lrNumber ? unknown : (register === fpNumber ? loseFp : none);
}

/** Returns the effect of an instruction. */
export function effectOf(word: number): Effect {
	if (isBl(word) || isBlr(word)) {
		return {kind: 'call'};
	}

	const group = (word >>> 25) & 0b1111;
	// Loads and stores.
	if ((group & 0b0101) === 0b0100) {
		return loadOrStore(word);
	}

	// Data processing: with an immediate, or by registers.
	return group >>> 1 === 0b100 || (group & 0b0111) === 0b0101 ? arithmetic(word) : none;
}

function loadOrStore(word: number): Effect {
	// LDP and STP of general registers, 64 bits; LDP and STP of vectors.
	const isPair = (word & 0x3A_00_00_00) === 0x28_00_00_00;
	if (isPair) {
		return pair(word);
	}

	const base = (word >>> 5) & 31;
	const isVector = (word & (1 << 26)) !== 0;
	// One register, with the base written back: pre- or post-indexed, 9 bits of offset.
	const isSingle = (word & 0x3A_00_00_00) === 0x38_00_00_00;
	const isWrittenBack = isSingle && (word & (1 << 24)) === 0 && (word & (1 << 21)) === 0 && (word & (1 << 10)) !== 0;
	const isLoad = isSingle && !isVector && ((word >>> 22) & 3) !== 0;
	const loaded = isLoad ? changed(word & 31) : none;
	return isWrittenBack && base === spNumber
		? (loaded.kind === 'none' ? {kind: 'move', pops: signedField(word, 12, 9)} : unknown)
		: loaded;
}

function pair(word: number): Effect {
	const [first, base, second] = [word & 31, (word >>> 5) & 31, (word >>> 10) & 31];
	const isVector = (word & (1 << 26)) !== 0;
	const isLoad = (word & (1 << 22)) !== 0;
	// 1: post-indexed; 2: with an offset; 3: pre-indexed; 0: with an offset, and not kept in caches.
	const mode = (word >>> 23) & 3;
	const offset = pairOffset(word, isVector);
	const pops = mode === 1 || mode === 3 ? offset : 0;
	if (!isVector && first === fpNumber && second === lrNumber && base === spNumber) {
		return {kind: isLoad ? 'load' : 'save', offset: mode === 1 ? 0 : offset, pops};
	}

	const loaded = isLoad && !isVector ? [changed(first), changed(second)].find(({kind}) => kind !== 'none') : undefined;
	if (pops === 0 || base !== spNumber) {
		return loaded ?? none;
	}

	return loaded ? unknown : {kind: 'move', pops};
}

/** Returns the offset of LDP and STP, which is in units of a register. */
function pairOffset(word: number, isVector: boolean): number {
	const size = word >>> 30;
	const general = size === 2 ? 8 : 4;
	return (isVector ? 4 << size : general) * signedField(word, 15, 7);
}

function arithmetic(word: number): Effect {
	const [to, from] = [word & 31, (word >>> 5) & 31];
	// ADD and SUB with an immediate of 12 bits, perhaps shifted by 12. With bit 29 register 31 is zero.
	const isImmediate = (word & 0x1F_80_00_00) === 0x11_00_00_00;
	const setsFlags = (word & (1 << 29)) !== 0;
	if (isImmediate && !setsFlags) {
		const amount = ((word >>> 10) & 0xF_FF) * ((word & (1 << 22)) === 0 ? 1 : 0x10_00);
		const offset = (word & (1 << 30)) === 0 ? amount : -amount;
		return immediate(to, from, offset);
	}

	// XPACLRI and the like are hints; PACIA and AUTIA of the link register keep the address.
	const isAuthentication = (word & 0xFF_FF_00_00) >>> 0 === 0xDA_C1_00_00;
	if ((to === fpNumber || to === lrNumber) && !isAuthentication) {
		return changed(to);
	}

	return to === spNumber && writesSp(word, isImmediate) ? unknown : none;
}

function immediate(to: number, from: number, offset: number): Effect {
	if (to === spNumber) {
		return from === spNumber
			? {kind: 'move', pops: offset}
			: (from === fpNumber ? {kind: 'setSp', offset} : unknown);
	}

	if (to === fpNumber) {
		return from === spNumber ? {kind: 'setFp', offset} : loseFp;
	}

	return changed(to);
}

/**
Whether register 31 as a destination is the stack pointer, not zero: in ADD and SUB with an extended register, and in
AND, ORR and EOR with an immediate.
*/
function writesSp(word: number, isImmediate: boolean): boolean {
	const setsFlags = (word & (1 << 29)) !== 0;
	const isExtended = (word & 0x1F_20_00_00) === 0x0B_20_00_00 && !setsFlags;
	const isLogical = (word & 0x1F_80_00_00) === 0x12_00_00_00 && (word & 0x60_00_00_00) !== 0x60_00_00_00;
	return isExtended || isLogical || (isImmediate && !setsFlags);
}
