/*
Finds the return address in incomplete frames: of compiled methods at entry and exit (HotSpot: build_frame and
remove_frame in macroAssembler_aarch64.cpp), of stubs and of other code anywhere.
*/
import {type CodeReader, type TopFrameState} from '../architecture.js';
import {effectOf} from './arm64-effect.js';
import {instructionAt, instructionBytes, isRet, spNumber, successorsOf} from './arm64-instruction.js';

const maxPrologueBytes = 256;
const maxEpilogueInstructions = 12;

/** Maximum instructions followed; a stub that restores all registers, vectors included, has some 120. */
const maxInstructions = 256;

/** Returns the frame of code that has saved nothing: the return address is in the link register. */
function unsaved(frameBytes: number): TopFrameState {
	return {depth: frameBytes - 8, isFpSaved: false, isReturnInRegister: true};
}

export const noFrame = unsaved(0);

/** MOVZ and MOVK of 64 bits, and the register and the value's part: they load sizes of large frames. */
const isMovz = (word: number) => (word & 0xFF_80_00_00) >>> 0 === 0xD2_80_00_00;
const isMovk = (word: number) => (word & 0xFF_80_00_00) >>> 0 === 0xF2_80_00_00;
const partOf = (word: number) => ((word >>> 5) & 0xFF_FF) * (2 ** (16 * ((word >>> 21) & 3)));

/** SUB sp, sp, register: returns the register, -1 for another instruction. */
const subtracted = (word: number) =>
	(word & 0xFF_E0_FC_00) >>> 0 === 0xCB_20_60_00 && (word & 0x3_FF) === ((spNumber << 5) | spNumber)
		? (word >>> 16) & 31
		: -1;

/** Returns the frame at an offset after a method's entry; undefined if the code before it is no prologue. */
export function decodePrologue(code: Uint8Array, offset: number): TopFrameState | undefined {
	let bytes = 0;
	/** Bytes from the saved registers to the caller's stack pointer; 0 before they are saved. */
	let saved = 0;
	const values = new Map<number, number>();
	if (offset % instructionBytes !== 0 || offset > Math.min(maxPrologueBytes, code.length)) {
		return undefined;
	}

	for (let at = 0; at < offset; at += instructionBytes) {
		const word = instructionAt(code, at);
		const effect = effectOf(word);
		const subtractedBytes = values.get(subtracted(word));
		if (isMovz(word) || isMovk(word)) {
			values.set(word & 31, (isMovk(word) ? values.get(word & 31) ?? 0 : 0) + partOf(word));
		} else if (subtractedBytes !== undefined) {
			bytes += subtractedBytes;
		} else if (effect.kind === 'move') {
			bytes -= effect.pops;
		} else if (effect.kind === 'save') {
			bytes -= effect.pops;
			saved = bytes - (effect.pops === 0 ? effect.offset : 0);
		} else if (!['none', 'setFp'].includes(effect.kind) && saved === 0) {
			// Once the registers are saved, a barrier may call.
			return undefined;
		}
	}

	return saved === 0 ? unsaved(bytes) : {depth: bytes - saved + 8, isFpSaved: true};
}

/** Returns the frame if the code from here on only polls for a safepoint and returns; otherwise undefined. */
export function decodeEpilogue(code: Uint8Array): TopFrameState | undefined {
	let bytes = 0;
	/** Offset of the saved registers; -1 if they are loaded already. */
	let saved = -1;
	for (let step = 0; step < maxEpilogueInstructions; step++) {
		const word = instructionAt(code, step * instructionBytes);
		if (isRet(word)) {
			return saved === -1 ? unsaved(bytes) : {depth: saved + 8, isFpSaved: true};
		}

		const effect = effectOf(word);
		const {jump, isAlways, isEnd} = successorsOf(word);
		if (effect.kind === 'load' && saved === -1) {
			saved = bytes + effect.offset;
			bytes += effect.pops;
		} else if (effect.kind === 'move' && effect.pops > 0) {
			bytes += effect.pops;
		} else if (effect.kind !== 'none' || isEnd || isAlways || (jump !== undefined && !isPollBranch(word))) {
			return undefined;
		}
	}

	return undefined;
}

/** B.HI: to the slow path of a poll. */
const isPollBranch = (word: number) => (word & 0xFF_00_00_1F) >>> 0 === 0x54_00_00_08;

/** A place in the code that is followed: what the stack pointer and the frame pointer are by now. */
type Path = {
	at: number;
	/** Bytes by which the stack pointer has risen; if `isFromFp`, above the frame pointer at the beginning. */
	sp: number;
	isFromFp: boolean;
	/** As `sp`, where the frame pointer is; undefined if it is unchanged. */
	fp?: {readonly bytes: number; readonly isFromFp: boolean};
	/** Where the return address is loaded from, as `sp`. */
	loaded?: {readonly bytes: number; readonly isFromFp: boolean};
	/** It calls before it loads the return address, which must be on the stack. */
	hasCalled: boolean;
};

/**
Returns the frame of a stub or another function by what it does between an address and its return, or its jump to an
address in a register. Undefined if the code cannot be followed.
*/
export function stubFrame(codeAt: CodeReader, pc: number): TopFrameState | undefined {
	// Branches that are not taken at first; all paths restore the same.
	const paths: Path[] = [{at: pc, sp: 0, isFromFp: false, hasCalled: false}];
	const visited = new Set<number>();
	let window: Uint8Array = new Uint8Array();
	let start = 0;
	for (let path = paths.pop(); path; path = paths.pop()) {
		while (!visited.has(path.at) && visited.size < maxInstructions) {
			visited.add(path.at);
			if (path.at < start || path.at + instructionBytes > start + window.length) {
				window = Uint8Array.from(codeAt(path.at));
				start = path.at;
			}

			const word = instructionAt(window, path.at - start);
			const {jump, isAlways, isEnd} = successorsOf(word);
			if (isEnd) {
				const state = word >>> 24 === 0xD6 ? stateAtEnd(path) : undefined;
				if (state) {
					return state;
				}

				break;
			}

			if (!follow(path, word)) {
				break;
			}

			const next = path.at + instructionBytes;
			if (jump !== undefined && !isAlways) {
				paths.push({...path, at: path.at + jump});
			}

			path.at = isAlways ? path.at + jump! : next;
		}
	}

	return undefined;
}

/** Applies an instruction to a path; returns false if it cannot be followed. */
function follow(path: Path, word: number): boolean {
	const effect = effectOf(word);
	switch (effect.kind) {
		case 'move': {
			path.sp += effect.pops;
			return true;
		}

		case 'save': {
			path.sp += effect.pops;
			return true;
		}

		case 'load': {
			path.loaded = {bytes: path.sp + effect.offset, isFromFp: path.isFromFp};
			path.fp = undefined;
			path.sp += effect.pops;
			return true;
		}

		case 'setFp': {
			path.fp = {bytes: path.sp + effect.offset, isFromFp: path.isFromFp};
			return true;
		}

		case 'setSp': {
			path.sp = (path.fp?.bytes ?? 0) + effect.offset;
			path.isFromFp = path.fp?.isFromFp ?? true;
			return true;
		}

		case 'loseFp': {
			path.fp = {bytes: Number.NaN, isFromFp: true};
			return true;
		}

		case 'call': {
			path.hasCalled ||= path.loaded === undefined;
			return true;
		}

		case 'none': {
			return true;
		}

		case 'unknown': {
			return false;
		}
	}
}

/** Returns the frame at the beginning of a path that has come to its end. */
function stateAtEnd({sp, isFromFp, loaded, hasCalled}: Path): TopFrameState | undefined {
	// What the path itself has saved, below the stack pointer at its beginning, is still in the registers.
	if (!loaded || (!loaded.isFromFp && loaded.bytes < 0)) {
		return isFromFp || (hasCalled && !loaded) || sp < 0 ? undefined : unsaved(sp);
	}

	return isFromFp === loaded.isFromFp && sp >= loaded.bytes + 16
		? {depth: loaded.bytes + 8, isFpSaved: true, frameBytes: sp, ...(isFromFp ? {isFromFp} : {})}
		: undefined;
}

/**
Returns the bytes of temporary values that a compiled method has on the stack at an address, below its frame: what it
pops from there on, until it frees the frame. `frameBytes`: the frame's without return address and frame pointer.
*/
export function pushedOnFrame(codeAt: CodeReader, pc: number, frameBytes: number): number {
	let [at, depth, highest] = [pc, 0, 0];
	let window: Uint8Array = new Uint8Array();
	let start = 0;
	for (let step = 0; step < maxInstructions; step++) {
		if (at < start || at + instructionBytes > start + window.length) {
			window = Uint8Array.from(codeAt(at));
			start = at;
		}

		const word = instructionAt(window, at - start);
		const effect = effectOf(word);
		const {jump, isAlways, isEnd} = successorsOf(word);
		const freesFrame = effect.kind === 'move' && effect.pops === frameBytes && frameBytes > 0;
		if (isEnd || freesFrame || !['none', 'call', 'loseFp', 'move'].includes(effect.kind)) {
			break;
		}

		depth += effect.kind === 'move' ? effect.pops : 0;
		highest = Math.max(highest, depth);
		at += isAlways ? jump! : instructionBytes;
	}

	return highest;
}
