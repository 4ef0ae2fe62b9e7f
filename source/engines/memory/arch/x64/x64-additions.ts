import {type Additions} from '../architecture.js';

/*
The instruction with which the VM, compiled for x86-64, adds to a thread's allocated bytes (Intel SDM, volume 2):
`add [base + offset], source`.
*/

/** Maximum bytes of such an instruction: prefix, opcode, ModRM, SIB and an offset of four bytes. */
const maxInstructionBytes = 8;

/** Bits of the prefix REX: 64-bit operands, and one more bit for the source and for the base. */
const rexW = 0x48;
const rexR = 4;
const rexB = 1;

const addToMemory = 0x01;

/** By the mode in ModRM: bytes of the offset. */
const offsetBytesOf = [0, 1, 4];

/** See `Additions`. */
function addedBy(code: Uint8Array, general: readonly number[], address: number): number | undefined {
	for (const [mode, offsetBytes] of offsetBytesOf.entries()) {
		for (const sibBytes of [0, 1]) {
			const at = code.length - 3 - sibBytes - offsetBytes;
			const [rex, opcode, modRm] = code.subarray(at);
			const isSuch = (rex & 0xF8) === rexW && opcode === addToMemory && modRm >> 6 === mode
				&& ((modRm & 7) === 4) === (sibBytes === 1);
			const base = general[(modRm & 7) | ((rex & rexB) << 3)];
			if (isSuch && base + offsetOf(code, offsetBytes) === address) {
				return general[((modRm >> 3) & 7) | ((rex & rexR) << 1)];
			}
		}
	}

	return undefined;
}

/** Returns the offset in the last bytes of an instruction. */
function offsetOf(code: Uint8Array, bytes: number): number {
	const view = new DataView(code.buffer, code.byteOffset + code.length - bytes, bytes);
	return bytes === 0 ? 0 : (bytes === 1 ? view.getInt8(0) : view.getInt32(0, true));
}

/** Registers rax, rcx, rdx, rbx, rsp, rbp, rsi, rdi, r8 to r15 (asm/perf_regs.h). */
export const additions: Additions = {
	generalRegisters: [0, 2, 3, 1, 7, 6, 4, 5, 16, 17, 18, 19, 20, 21, 22, 23],
	codeBytes: maxInstructionBytes,
	addedBy,
};
