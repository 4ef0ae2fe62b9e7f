/*
What the engine asks about a processor: registers, instructions, HotSpot's use of them, and numbers of system calls.
Each architecture is a folder with one `Architecture`. Nothing else names a register or an instruction.
*/

/** The addresses in a thread's registers. Which there are besides these depends on the architecture. */
export type Registers = Readonly<Record<'pc' | 'sp' | 'fp', number>> & Readonly<Record<string, number>>;

/** Returns the code at an address, more than an instruction, zero where unreadable; valid until the next call. */
export type CodeReader = (address: number) => Uint8Array;

/**
How much of the top frame is on the stack. `depth`: bytes from the stack pointer (`isFromFp`: the frame pointer) to the
return address, above which the caller's frame begins; `isFpSaved`: the word below the return address is the caller's
frame pointer; `isReturnInRegister`: the return address is not there but in the architecture's `returnRegister`;
`frameBytes`: bytes to the caller's frame if it does not begin above the return address.
*/
export type TopFrameState = {
	readonly depth: number;
	readonly isFpSaved: boolean;
	readonly isFromFp?: boolean;
	readonly isReturnInRegister?: boolean;
	readonly frameBytes?: number;
};

/** Words of a stack by their addresses, see `StackCopy`. */
export type StackWords = {
	readonly low: number;
	readonly high: number;
	/** Throws `Unreadable` outside the copy. */
	word(address: number): number;
	/** 0 outside the copy. */
	wordOrZero(address: number): number;
	/** Returns the code address in a word; 0 outside the copy. */
	returnAddress(address: number): number;
};

/** What is known of the JVM's code. */
export type KnownCode = {
	/** The JDK's feature release. */
	readonly release: number;
	readonly codeAt: CodeReader;
	/** Whether an address is in generated code. */
	isCode(word: number): boolean;
	/** Whether a word may be a return address of a Java frame. */
	isReturnAddress(word: number): boolean;
};

/** Where a walk goes on. `method`: the Method that the thread is entering, whose frame is incomplete; 0 for none. */
export type Caller = Readonly<Record<'pc' | 'sp' | 'fp' | 'method', number>>;

/** The instructions that loops are found by. Each function gets the code and an index of an instruction in it. */
export type Instructions = {
	/** Returns an instruction's bytes; 0 if it is unknown or truncated. */
	length(code: Uint8Array, at: number): number;
	/** Returns the distance from an instruction's end to its target if it is a direct jump (not a call). */
	jumpDistance(code: Uint8Array, at: number, end: number): number | undefined;
	/** Whether a direct jump is always taken. */
	isUnconditional(code: Uint8Array, at: number): boolean;
	/** Whether an instruction that is no direct jump has no known successor. */
	isEnd(code: Uint8Array, at: number): boolean;
};

/** How the JVM's code adds to a word in memory, which tells what a breakpoint on that word has caught. */
export type Additions = {
	/** Numbers of the general registers in perf events, as instructions encode them. */
	readonly generalRegisters: readonly number[];
	/** Bytes of code before a breakpoint's address that `addedBy` needs. */
	readonly codeBytes: number;
	/**
	Returns what the instruction that ends with `code` has added to the word at `address`; undefined if it is no such
	instruction. `general`: the registers after it, as instructions encode them.
	*/
	addedBy(code: Uint8Array, general: readonly number[], address: number): number | undefined;
};

/** System calls that the C library does not wrap, or not everywhere. */
type WantedCall = 'perfEventOpen' | 'schedGetAffinity' | 'schedSetAttributes' | 'schedGetAttributes';

export type Architecture = {
	/** As in `process.arch`, and as people write it. */
	readonly id: NodeJS.Architecture;
	readonly name: string;
	/** The machine in the header of its ELF files (e_machine). */
	readonly elfMachine: number;
	/** Numbers of the registers that stack walks need, as perf events number them (asm/perf_regs.h). */
	readonly perfRegisters: Readonly<Record<keyof Registers, number>>;
	/** The registers of a stopped thread (NT_PRSTATUS): their bytes, and the offsets of those that stack walks need. */
	readonly stoppedRegisters: {readonly bytes: number; readonly offsets: Readonly<Record<keyof Registers, number>>};
	/** The register in which the interpreter has the bytecode pointer. */
	readonly bcpRegister: string;
	/** The register that has the return address at entry; undefined if it is on the stack. */
	readonly returnRegister?: string;
	readonly callNumbers: Readonly<Record<WantedCall, number>>;
	/** Bytes of code before the return address of a system call that `systemCallIn` needs. */
	readonly systemCallBytes: number;
	/** Offset of the call wrapper from an entry frame's frame pointer, in words, where the JVM's tables lack it. */
	readonly entryFrameWrapper: number;
	readonly instructions: Instructions;
	/** Undefined where allocation is not recorded. */
	readonly additions?: Additions;
	/** The frame of a stub that has pushed nothing. */
	readonly noFrame: TopFrameState;

	/** Returns the name of the system call that this code makes at its end; empty if unknown. */
	systemCallIn(code: Uint8Array): string;
	/** Returns the offset from an interpreted frame's frame pointer to where a call saves the bytecode pointer. */
	bcpOffset(release: number): number;
	/** Whether a code address is the return address of a call. */
	isAfterCall(codeAt: CodeReader, pc: number): boolean;
	/** Returns the target of the call with this return address; 0 if unknown. */
	callTarget(codeAt: CodeReader, returnPc: number): number;
	/**
	Returns the stack pointer of Java code that called a native function with this return address, saved at `at`;
	undefined if unknown: interpreted callers need none.
	*/
	callerSp(codeAt: CodeReader, returnPc: number, at: number): number | undefined;
	/** Returns the frame at an offset after a method's entry; undefined if the code before it is no prologue. */
	decodePrologue(code: Uint8Array, offset: number): TopFrameState | undefined;
	/** Returns the frame if the code from here on only polls for a safepoint and returns; otherwise undefined. */
	decodeEpilogue(code: Uint8Array): TopFrameState | undefined;
	/** Returns the frame of a stub by what it pops before it returns; undefined if its code cannot be followed. */
	stubFrame(codeAt: CodeReader, pc: number): TopFrameState | undefined;
	/**
	Returns the bytes of temporary values that a compiled method has on the stack at an address, below its frame.
	`frameBytes`: the frame's without return address and frame pointer.
	*/
	pushedOnFrame(codeAt: CodeReader, pc: number, frameBytes: number): number;
	/**
	Returns the caller of an interpreted method whose frame is under construction or removed; undefined if the frame is
	complete. Throws `Unreadable`.
	*/
	callerOfInterpreted(known: KnownCode, stack: StackWords, registers: Registers): Caller | undefined;
	/** Returns the caller of an adapter, which has no frame; undefined if it is not found. Throws `Unreadable`. */
	callerOfAdapter(known: KnownCode, stack: StackWords, registers: Registers): Caller | undefined;
};
