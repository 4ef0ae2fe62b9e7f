import {type Architecture} from '../architecture.js';
import {instructions} from './arm64-instruction.js';
import {decodeEpilogue, decodePrologue, noFrame, pushedOnFrame, stubFrame} from './arm64-prologue.js';
import {systemCallBytes, systemCallIn} from './arm64-system-calls.js';
import {callerOfAdapter, callerOfInterpreted, callerSp, callTarget, isAfterCall} from './arm64-top-frame.js';

/** 64-bit Arm (AArch64). Offsets of registers are those of struct user_pt_regs (uapi/asm/ptrace.h). */
export const arm64: Architecture = {
	id: 'arm64',
	name: 'arm64',
	elfMachine: 183,
	perfRegisters: {
		x12: 12, x13: 13, x19: 19, x20: 20, x22: 22, fp: 29, lr: 30, sp: 31, pc: 32,
	},
	stoppedRegisters: {
		bytes: 34 * 8,
		offsets: {x12: 96, x13: 104, x19: 152, x20: 160, x22: 176, fp: 232, lr: 240, sp: 248, pc: 256},
	},
	bcpRegister: 'x22',
	returnRegister: 'lr',
	callNumbers: {perfEventOpen: 241, schedGetAffinity: 123, schedSetAttributes: 274, schedGetAttributes: 275},
	systemCallBytes,
	entryFrameWrapper: -8,
	instructions,
	noFrame,
	systemCallIn,
	bcpOffset: release => release >= 9 ? -72 : -56,
	isAfterCall,
	callTarget,
	callerSp,
	decodePrologue,
	decodeEpilogue,
	stubFrame,
	pushedOnFrame,
	callerOfInterpreted,
	callerOfAdapter,
};
