import {type Architecture} from '../architecture.js';
import {additions} from './x64-additions.js';
import {bcpOffset} from './x64-frame.js';
import {instructionLength, isEnd, isUnconditionalJump, jumpDistance} from './x64-instruction.js';
import {decodeEpilogue, decodePrologue} from './x64-prologue.js';
import {pushedOnFrame, stubFrame} from './x64-stack-pointer.js';
import {systemCallBytes, systemCallIn} from './x64-system-calls.js';
import {callerOfAdapter, callerOfInterpreted, callTarget, isAfterCall} from './x64-top-frame.js';

/** x86-64. Offsets of registers are those of struct user_regs_struct (arch/x86/include/asm/user_64.h). */
export const x64: Architecture = {
	id: 'x64',
	name: 'x86-64',
	elfMachine: 62,
	perfRegisters: {rax: 0, rbx: 1, fp: 6, sp: 7, pc: 8, r13: 21},
	stoppedRegisters: {bytes: 27 * 8, offsets: {r13: 16, fp: 32, rbx: 40, rax: 80, pc: 128, sp: 152}},
	bcpRegister: 'r13',
	callNumbers: {perfEventOpen: 298, schedGetAffinity: 204, schedSetAttributes: 314, schedGetAttributes: 315},
	systemCallBytes,
	entryFrameWrapper: -6,
	systemCallIn,
	bcpOffset,
	instructions: {length: instructionLength, jumpDistance, isUnconditional: isUnconditionalJump, isEnd},
	isAfterCall,
	callTarget,
	// A call pushes the return address.
	callerSp: (_codeAt, _returnPc, at) => at + 8,
	decodePrologue,
	decodeEpilogue,
	stubFrame,
	additions,
	noFrame: {depth: 0, isFpSaved: false},
	pushedOnFrame,
	callerOfInterpreted,
	callerOfAdapter,
};
