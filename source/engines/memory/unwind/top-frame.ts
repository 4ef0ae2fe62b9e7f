import {
	type Architecture,
	type Caller,
	type KnownCode,
	type Registers,
	type TopFrameState,
} from '../arch/architecture.js';
import {type CodeBlob} from '../hotspot/code-blob.js';
import {type CodeLocation, type ReturnKind} from '../hotspot/code-cache.js';
import {type Jvm} from '../hotspot/jvm.js';
import {ifReadable} from '../target/memory-reader.js';
import {emptyBlock, isSameAnchor, type ThreadBlock, ThreadBlocks} from '../hotspot/thread-block.js';
import {interpretedFrame, slot} from './interpreted.js';
import {StackCopy} from './stack.js';
import {type WalkEnd, type Walker} from './walker.js';

/** Bytes searched for a return address into Java code: more than the largest buffers in the JDK's native frames. */
const scanBytes = 1 << 16;

/** Assumed size of a native function called without an anchor, which is small. */
const maxFunctionBytes = 4096;

/** Maximum frames of the VM above Java code: an allocation has about ten. */
const maxVmFrames = 100;

/** Walks a running thread, whose top frame may be incomplete, in a stub, or in a call without an anchor. */
export class TopFrame {
	readonly #jvm: Jvm;
	readonly #walker: Walker;
	readonly #laterStack = new StackCopy();
	readonly #blocks: ThreadBlocks;
	readonly #arch: Architecture;
	readonly #known: KnownCode;

	constructor(jvm: Jvm, walker: Walker) {
		this.#jvm = jvm;
		this.#walker = walker;
		this.#blocks = new ThreadBlocks(jvm.vm);
		this.#arch = jvm.vm.arch;
		this.#known = {
			release: jvm.vm.release,
			codeAt: address => jvm.code.bytesAt(address),
			isCode: word => jvm.code.isCode(word),
			isReturnAddress: word => walker.isReturnAddress(word),
		};
	}

	/**
	Fills the walker with a running thread's frames: from the registers or, outside generated code, from the current
	anchor of `javaThread` (0: unknown). If that does not lead to the root, searches the stack for a return address that
	does, unless the stack is truncated.
	*/
	walk(stack: StackCopy, registers: Registers, javaThread = 0): WalkEnd {
		const end = this.#attempt(() =>
			this.isInCode(registers)
				? this.#fromRegisters(stack, registers)
				: this.#fromAnchor(stack, registers, javaThread));
		if (end !== 'broken') {
			return end;
		}

		if (this.#fromNativeLeaf(stack, registers) === 'root') {
			return 'root';
		}

		if (stack.isTruncated) {
			return 'broken';
		}

		const first = this.#walker.frames.copy();
		const searchEnd = this.#searchStack(stack, registers);
		if (searchEnd === 'broken') {
			// Keep the frames of the first attempt.
			this.#walker.start(first);
		}

		return searchEnd;
	}

	/**
	Fills the walker with the frames of a thread in the VM that Java code called. The VM is compiled with frame
	pointers (HotSpot's build, -fno-omit-frame-pointer): they lead to the return address into generated code, at which
	the thread's anchor was. If they do not lead to the root, walks as `walk` does.
	*/
	walkFromVm(stack: StackCopy, registers: Registers, javaThread = 0): WalkEnd {
		const end = this.#attempt(() => this.#fromFramePointers(stack, registers));
		return end === 'broken' ? this.walk(stack, registers, javaThread) : end;
	}

	/** Whether a thread is in generated code. */
	isInCode({pc}: Registers): boolean {
		return this.#jvm.code.isCode(pc);
	}

	#fromFramePointers(stack: StackCopy, registers: Registers): WalkEnd {
		let {fp} = registers;
		for (let step = 0; step < maxVmFrames && stack.has(fp + 8); step++) {
			const caller = stack.word(fp);
			const returnPc = stack.word(fp + 8);
			if (this.#jvm.code.isCode(returnPc)) {
				return this.#walker.walk(stack, returnPc, fp + 16, caller);
			}

			if (caller <= fp) {
				break;
			}

			fp = caller;
		}

		return 'broken';
	}

	/** Restarts the walker, see `Walker.start`, for `action`; returns `broken` if that throws `Unreadable`. */
	#attempt(action: () => WalkEnd, inner?: Int32Array): WalkEnd {
		this.#walker.start(inner);
		return ifReadable(action, 'broken');
	}

	/**
	Walks from the thread's current anchor, where it has left Java code by now (JavaFrameAnchor). The anchor counts only
	if it stays the same and every frame from there on has the same return address as in the copy: then it belongs to
	the same call, or to another by the same path. A single equal word would prove nothing: it may be left from an
	earlier call.
	*/
	#fromAnchor(stack: StackCopy, {sp}: Registers, javaThread: number): WalkEnd {
		const anchor = this.#anchorOf(javaThread);
		const start = anchor.anchorSp - 8;
		if (start < sp || !stack.has(start)) {
			return 'broken';
		}

		this.#laterStack.load(this.#jvm.memory, start, stack.high);
		const isSame = isSameAnchor(anchor, this.#anchorOf(javaThread))
			&& this.#laterStack.word(start) === stack.word(start);
		return isSame ? this.#walker.walkFromAnchor(stack, anchor, this.#laterStack) : 'broken';
	}

	/** Walks from a native function that Java code has called, by its code, if the architecture's frames allow it. */
	#fromNativeLeaf(stack: StackCopy, registers: Registers): WalkEnd {
		const {returnRegister, stubFrame} = this.#arch;
		if (returnRegister === undefined || this.isInCode(registers)) {
			return 'broken';
		}

		const state = stubFrame(this.#known.codeAt, registers.pc);
		const isLeaf = state !== undefined && this.#returnKind(this.#returnPc(stack, registers, state)) !== 'none';
		return isLeaf
			? this.#attempt(() => this.#leave(stack, registers, state), this.#walker.frames.copy())
			: 'broken';
	}

	/** Returns the block with a JavaThread's current anchor; an empty one if it is unreadable. */
	#anchorOf(javaThread: number): ThreadBlock {
		const block = emptyBlock();
		return javaThread !== 0 && this.#blocks.read(javaThread, block) ? block : emptyBlock();
	}

	#fromRegisters(stack: StackCopy, registers: Registers): WalkEnd {
		const location = this.#jvm.code.lookUp(registers.pc);
		if (!location) {
			return 'broken';
		}

		if (location.blob.isMethod) {
			return this.#inCompiled(stack, registers, location);
		}

		if (location.blob.kind === 'interpreter') {
			return this.#inInterpreter(stack, registers);
		}

		return location.blob.kind === 'adapter'
			? this.#inAdapter(stack, registers)
			: this.#inStub(stack, registers, location);
	}

	/** Walks from a compiled method, whose frame may be complete, under construction or removed. */
	#inCompiled(stack: StackCopy, registers: Registers, location: CodeLocation): WalkEnd {
		const {pc} = registers;
		const {blob} = location;
		if (pc <= blob.entry || pc < blob.codeBegin + blob.frameComplete) {
			// The method's own code has not run yet.
			this.#walker.frames.push(this.#jvm.methods.at(blob.method).frame(0));
			return this.#leave(
				stack,
				registers,
				this.#arch.decodePrologue(this.#codeAt(blob.entry), Math.max(0, pc - blob.entry))
				?? completeFrame(blob),
			);
		}

		this.#walker.pushCompiled(location, pc, 'interrupted');
		if (blob.isEnterSpecial) {
			// Omit this frame, as thread dumps do.
			this.#walker.carrierStart = --this.#walker.frames.count;
		}

		location.topFrame ??= this.#arch.decodeEpilogue(this.#codeAt(pc)) ?? completeFrame(blob);
		const state = location.topFrame;
		if (blob.isEnterSpecial || state.depth !== completeFrame(blob).depth) {
			return this.#leave(stack, registers, state);
		}

		return this.#leaveComplete(stack, registers, location);
	}

	/**
	Continues at the caller of a complete frame. Where the return address would be there may be a stale word, if code
	has pushed temporary values on the frame.
	*/
	#leaveComplete(stack: StackCopy, registers: Registers, location: CodeLocation): WalkEnd {
		const {pc, sp} = registers;
		const state = completeFrame(location.blob);
		const inner = this.#walker.frames.copy();
		const isPlain = this.#isReturnAddress(stack.returnAddress(sp + state.depth));
		const end = isPlain ? this.#attempt(() => this.#leave(stack, registers, state), inner) : 'broken';
		if (end === 'root' || (isPlain && stack.isTruncated)) {
			return end;
		}

		const pushed = this.#walker.pushedBytes(stack, location, pc, sp);
		if (isPlain && pushed === 0) {
			return end;
		}

		return this.#attempt(() => this.#leave(stack, {...registers, sp: sp + pushed}, state), inner);
	}

	/** Continues at the caller of the top frame. */
	#leave(stack: StackCopy, registers: Registers, state: TopFrameState): WalkEnd {
		const at = placeOfReturn(registers, state);
		const pc = this.#returnPc(stack, registers, state);
		const {frameBytes = state.depth + 8, isFpSaved} = state;
		const callerFp = isFpSaved ? stack.word(at - 8) : registers.fp;
		return this.#walker.walk(stack, pc, at - state.depth + frameBytes, callerFp);
	}

	/** Returns the return address of the top frame; 0 if it is outside the copy. */
	#returnPc(stack: StackCopy, registers: Registers, state: TopFrameState): number {
		const {returnRegister = ''} = this.#arch;
		return state.isReturnInRegister
			? registers[returnRegister]
			: stack.returnAddress(placeOfReturn(registers, state));
	}

	/** Walks from interpreted code, also if its frame is under construction or removed. */
	#inInterpreter(stack: StackCopy, registers: Registers): WalkEnd {
		const caller = this.#arch.callerOfInterpreted(this.#known, stack, registers);
		if (caller) {
			return this.#walkCaller(stack, caller);
		}

		const {fp, [this.#arch.bcpRegister]: bcp} = registers;
		this.#walker.frames.push(interpretedFrame(this.#jvm, stack, fp, bcp));
		const callerPc = stack.returnAddress(fp + slot.returnPc);
		return this.#walker.walk(stack, callerPc, stack.word(fp + slot.senderSp), stack.word(fp));
	}

	/** Walks from an adapter, which has no frame. */
	#inAdapter(stack: StackCopy, registers: Registers): WalkEnd {
		const caller = this.#arch.callerOfAdapter(this.#known, stack, registers);
		return caller ? this.#walkCaller(stack, caller) : 'broken';
	}

	#walkCaller(stack: StackCopy, {pc, sp, fp, method}: Caller): WalkEnd {
		if (method !== 0) {
			this.#walker.frames.push(this.#jvm.methods.at(method).frame(0));
		}

		return this.#walker.walk(stack, pc, sp, fp);
	}

	/** Walks from a stub, whose frame may be like a compiled method's, begin with a frame pointer, or not exist. */
	#inStub(stack: StackCopy, registers: Registers, location: CodeLocation): WalkEnd {
		const {pc, sp, fp} = registers;
		const {blob} = location;
		// A stub pops what it has pushed before it returns, or goes on in the method that it has resolved.
		location.stubFrame ??= this.#arch.stubFrame(this.#known.codeAt, pc) ?? null;
		const {stubFrame} = location;
		if (stubFrame && this.#isReturnAddress(this.#returnPc(stack, registers, stubFrame))) {
			return this.#leave(stack, registers, stubFrame);
		}

		if (blob.frameSize > 0) {
			if (pc >= blob.codeBegin + Math.max(blob.frameComplete, 0)) {
				return this.#leave(stack, registers, completeFrame(blob));
			}

			const atEntry = this.#arch.decodePrologue(this.#codeAt(blob.codeBegin), pc - blob.codeBegin);
			return atEntry ? this.#leave(stack, registers, atEntry) : 'broken';
		}

		const {noFrame} = this.#arch;
		if (this.#isReturnAddress(this.#returnPc(stack, registers, noFrame))) {
			return this.#leave(stack, registers, noFrame);
		}

		if (isWithin(stack, fp) && fp >= sp && this.#isReturnAddress(stack.returnAddress(fp + 8))) {
			return this.#walker.walk(stack, stack.returnAddress(fp + 8), fp + 16, stack.word(fp));
		}

		return 'broken';
	}

	/**
	Searches the stack in a call without an anchor (a leaf call into libjvm or the C library, a frameless stub) for the
	first word that can be a return address into Java code and leads to the root. The caller's frame pointer is the word
	before it, or still in the register. Stale words look the same, so returns of other kinds of call count only if
	nothing else leads to the root.
	*/
	#searchStack(stack: StackCopy, registers: Registers): WalkEnd {
		// Only for its frames: those of the compiled method that the thread is in, if any.
		this.#attempt(() => {
			const location = this.#jvm.code.lookUp(registers.pc);
			if (location?.blob.kind === 'java') {
				this.#walker.pushCompiled(location, registers.pc, 'interrupted');
			}

			return 'broken';
		});
		const inner = this.#walker.frames.copy();
		/** Address of the best return address so far that leads to the root but is not sure; 0 for none. */
		let fallback = 0;
		let isFallbackLeaf = false;
		for (let at = registers.sp; at < Math.min(registers.sp + scanBytes, stack.high); at += 8) {
			const pc = stack.returnAddress(at);
			const kind = this.#jvm.code.isCode(pc) ? this.#returnKind(pc) : 'none';
			const isSure = kind === 'leaf' && this.#isCalled(stack, registers, at, pc);
			// An interpreted frame may have called anything: it counts unless a closer candidate leads to the root.
			const isWorse = fallback !== 0 && !isSure && (isFallbackLeaf || kind !== 'leaf');
			if (kind === 'none' || isWorse || this.#walkFrom(stack, at, registers.fp, inner) === 'broken') {
				continue;
			}

			if (isSure || kind === 'interpreter') {
				return 'root';
			}

			fallback = at;
			isFallbackLeaf = kind === 'leaf';
		}

		return fallback === 0 ? 'broken' : this.#walkFrom(stack, fallback, registers.fp, inner);
	}

	/** Whether the thread is in the function called just before a return address, or in a function that it called. */
	#isCalled(stack: StackCopy, {pc}: Registers, at: number, returnPc: number): boolean {
		const target = this.#arch.callTarget(this.#known.codeAt, returnPc);
		const end = target + maxFunctionBytes;
		return target !== 0
			&& ((pc >= target && pc < end) || stack.placesBetween(target, end, at).length > 0);
	}

	/** Walks from the return address at an address of the stack. `inner`: see `Walker.start`. */
	#walkFrom(stack: StackCopy, at: number, fp: number, inner: Int32Array): WalkEnd {
		const pc = stack.returnAddress(at);
		const isInterpreted = ifReadable(() => this.#jvm.code.lookUp(pc)?.blob.kind === 'interpreter', false);
		const sp = this.#arch.callerSp(this.#known.codeAt, pc, at) ?? (isInterpreted ? at + 8 : 0);
		for (const callerFp of sp === 0 ? [] : new Set([stack.wordOrZero(at - 8), fp])) {
			const end = this.#attempt(() => this.#walker.walk(stack, pc, sp, callerFp), inner);
			if (end !== 'broken') {
				return end;
			}
		}

		return 'broken';
	}

	/** Returns the kind of call with this return address; `none` if it is the return address of no call. */
	#returnKind(pc: number): ReturnKind {
		return ifReadable(() => {
			const location = this.#jvm.code.lookUp(pc);
			if (location) {
				location.returnKind ??= this.#arch.isAfterCall(this.#known.codeAt, pc)
					? kindOf(location.blob, pc)
					: 'none';
			}

			return location?.returnKind ?? 'none';
		}, 'none');
	}

	#isReturnAddress(word: number): boolean {
		return this.#walker.isReturnAddress(word);
	}

	/** Returns the code at an address, zero where unreadable; valid until the next call. */
	#codeAt(pc: number): Uint8Array {
		return this.#jvm.code.bytesAt(pc);
	}
}

function kindOf(blob: CodeBlob, pc: number): ReturnKind {
	if (blob.isMethod) {
		return blob.isSafepoint(pc) ? 'other' : 'leaf';
	}

	if (blob.kind === 'interpreter') {
		return 'interpreter';
	}

	return blob.kind === 'stub' && blob.frameSize > 0 ? 'leaf' : 'none';
}

/** Returns the state of a complete frame, whose highest words are the saved frame pointer and the return address. */
function completeFrame({frameSize}: CodeBlob): TopFrameState {
	return {depth: (frameSize * 8) - 8, isFpSaved: true};
}

/** Returns where the return address of a frame is, or would be: just below the caller's frame. */
function placeOfReturn({sp, fp}: Registers, {depth, isFromFp = false}: TopFrameState): number {
	return (isFromFp ? fp : sp) + depth;
}

function isWithin(stack: StackCopy, word: number): boolean {
	return word >= stack.low && word <= stack.high && word % 8 === 0;
}
