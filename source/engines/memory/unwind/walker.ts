import {type CodeLocation, type PcKind} from '../hotspot/code-cache.js';
import {callsAnything} from '../hotspot/call-site.js';
import {has} from '../hotspot/layout.js';
import {type Jvm} from '../hotspot/jvm.js';
import {type ThreadBlock} from '../hotspot/thread-block.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {interpretedLocation, slot} from './interpreted.js';
import {FrameBuffer, type StackCopy} from './stack.js';

/** `root`: the walk reached the thread's outermost Java frame; `broken`: it stopped before that. */
export type WalkEnd = 'root' | 'broken';

/**
Called for each Java frame that will not be deoptimized. `at`: index of its first id in the buffer, where inlined calls
have ids of their own.
*/
export type FrameWatcher = {
	interpreted(at: number, stack: StackCopy, fp: number): void;
	compiled(at: number, stack: StackCopy, location: CodeLocation, pc: number, sp: number): void;
};

/** Maximum frames of a walk, including those without a Java method. */
const stepLimit = 40_000;

/** Maximum bytes of a ContinuationEntry with the arguments below it; an entry has some 80. */
const maxEntryBytes = 256;

/**
Walks the frames of a stack copy, beginning with one whose position is known exactly: a waiting thread's top frame, or
the caller of a running thread's.
*/
export class Walker {
	readonly frames = new FrameBuffer();
	/** Index of the carrier's first frame, after those of its mounted virtual thread; -1 if none is mounted. */
	carrierStart = -1;
	/** Index at which to insert the virtual thread's frames in the heap; -1 if all are on the stack. */
	heapStart = -1;
	/** Stack pointer of enterSpecial's frame, at its ContinuationEntry (continuationEntry.hpp); 0 if there is none. */
	entrySp = 0;
	/** Stack pointer after the virtual thread's last frame on the stack if the rest is in the heap; otherwise 0. */
	heapSp = 0;
	/** The next frame has called the last one directly: no entry frame and no stub is between them. */
	#isDirectCall = false;
	/** A later copy of the same stack, if return addresses must be unchanged. */
	#later: StackCopy | undefined;
	/** The frame at which the walk continues: its code address, stack pointer and frame pointer. */
	#pc = 0;
	#sp = 0;
	#fp = 0;
	/**
	The frame begins here or above. Not always its stack pointer: that of an interpreted frame is from before the call,
	and on arm64 the arguments may be above it.
	*/
	#low = 0;
	readonly #jvm: Pick<Jvm, 'vm' | 'code' | 'methods'>;
	readonly #watcher: FrameWatcher | undefined;

	constructor(jvm: Pick<Jvm, 'vm' | 'code' | 'methods'>, watcher?: FrameWatcher) {
		this.#jvm = jvm;
		this.#watcher = watcher;
	}

	/** Begins a walk. `inner`: frames inside the first one to be walked. */
	start(inner?: Int32Array): void {
		this.frames.count = 0;
		this.carrierStart = -1;
		this.heapStart = -1;
		this.entrySp = 0;
		this.heapSp = 0;
		if (inner) {
			this.frames.pushAll(inner);
		}
	}

	/**
	Appends the frames from a return address (or an anchor's pc) on. It ends before a frame that cannot have called the
	one before, by the bytecode that it is at. Throws `Unreadable`, also at a frame with another return address in
	`later`, a later copy of the stack.
	*/
	walk(stack: StackCopy, pc: number, sp: number, fp: number, later?: StackCopy): WalkEnd {
		this.#later = later;
		this.#pc = pc;
		this.#sp = sp;
		this.#fp = fp;
		this.#low = sp;
		this.#isDirectCall = true;
		for (let step = 0; step < stepLimit; step++) {
			const previous = this.#low;
			const end = this.#step(stack);
			if (end) {
				return end;
			}

			// The stack grows downwards, so callers are above; the check prevents endless loops.
			if (this.#low <= previous || this.frames.isFull) {
				return 'broken';
			}
		}

		return 'broken';
	}

	/** Appends the frames from an anchor on, see `walk`. */
	walkFromAnchor(stack: StackCopy, {anchorSp, anchorPc, anchorFp}: ThreadBlock, later?: StackCopy): WalkEnd {
		return stack.has(anchorSp - 8)
			? this.walk(stack, anchorPc || stack.returnAddress(anchorSp - 8), anchorSp, anchorFp, later)
			: 'broken';
	}

	/** Appends a compiled method's frames at a code address. */
	pushCompiled(location: CodeLocation, pc: number, kind: PcKind): void {
		this.frames.pushAll(this.#jvm.code.frames(location, pc, kind));
	}

	/**
	Returns the bytes that compiled code has pushed on its frame at an address, for example while it tests a type; 0 if
	the return address is not found above them. `sp`: the stack pointer there.
	*/
	pushedBytes(stack: StackCopy, location: CodeLocation, pc: number, sp: number): number {
		const frameBytes = 8 * location.blob.frameSize;
		location.pushed ??= this.#jvm.vm.arch.pushedOnFrame(
			address => this.#jvm.code.bytesAt(address),
			pc,
			frameBytes - 16,
		);
		return this.isReturnAddress(stack.returnAddress(sp + location.pushed + frameBytes - 8)) ? location.pushed : 0;
	}

	/** Whether a word may be a return address of a Java frame. */
	isReturnAddress(word: number): boolean {
		const {code, vm} = this.#jvm;
		const blob = ifReadable(() => code.isCode(word) ? code.lookUp(word)?.blob : undefined, undefined);
		return word === vm.callStubReturn || blob?.kind === 'interpreter' || (blob?.isMethod ?? false);
	}

	#step(stack: StackCopy): WalkEnd | undefined {
		const pc = this.#pc;
		if (pc === this.#jvm.vm.callStubReturn) {
			return this.#leaveEntryFrame(stack);
		}

		const location = this.#jvm.code.lookUp(pc);
		if (!location) {
			return 'broken';
		}

		if (location.blob.kind === 'interpreter') {
			return this.#interpreted(stack);
		}

		if (this.#sp < this.#low) {
			return 'broken';
		}

		return location.blob.isMethod ? this.#compiled(stack, location) : this.#stub(stack, location);
	}

	/** Leaves a call from the VM into Java: the call wrapper has the Java caller's anchor, if any (javaCalls.hpp). */
	#leaveEntryFrame(stack: StackCopy): WalkEnd | undefined {
		const {entryFrameWrapper, layout: {fields}} = this.#jvm.vm;
		const anchor = stack.word(this.#fp + entryFrameWrapper) + fields.wrapperAnchor;
		const sp = stack.word(anchor + fields.anchorSp);
		if (sp === 0) {
			return 'root';
		}

		this.#isDirectCall = false;
		this.#sp = sp;
		this.#low = sp;
		this.#pc = stack.word(anchor + fields.anchorPc) || stack.returnAddress(sp - 8);
		this.#fp = stack.word(anchor + fields.anchorFp);
		return undefined;
	}

	#interpreted(stack: StackCopy): WalkEnd | undefined {
		const fp = this.#fp;
		const {method, bci} = interpretedLocation(this.#jvm, stack, fp);
		if (!this.#canCall(method.called(bci))) {
			return 'broken';
		}

		this.frames.push(method.frame(bci));
		this.#isDirectCall = true;
		this.#watcher?.interpreted(this.frames.count - 1, stack, fp);
		this.#pc = this.#returnPc(stack, fp + slot.returnPc);
		this.#sp = stack.word(fp + slot.senderSp);
		this.#fp = stack.word(fp + slot.senderFp);
		this.#low = fp + 16;
		return undefined;
	}

	/** Whether code that calls methods of this name (`calledBy`) can have called the last frame's. */
	#canCall(name: string): boolean {
		const {count, ids} = this.frames;
		const callee = this.#isDirectCall && count > 0 ? this.#jvm.methods.ofFrame(ids[count - 1])?.name : undefined;
		return callee === undefined || name === callsAnything || name === callee;
	}

	#compiled(stack: StackCopy, location: CodeLocation): WalkEnd | undefined {
		const {blob} = location;
		const isDeoptimized = blob.deoptHandlers.includes(this.#pc);
		// A frame that will be deoptimized contains its original pc (nmethod::orig_pc_addr).
		const pc = isDeoptimized ? stack.word(this.#sp + blob.origPcOffset) : this.#pc;
		if (isDeoptimized && !blob.contains(pc)) {
			return 'broken';
		}

		const original = isDeoptimized ? this.#jvm.code.lookUp(pc) ?? location : location;
		const ids = this.#jvm.code.frames(original, pc, 'returnAddress');
		if (!this.#canCall(original.called ?? callsAnything)) {
			return 'broken';
		}

		const at = this.frames.count;
		this.frames.pushAll(ids);

		if (!isDeoptimized) {
			this.#watcher?.compiled(at, stack, location, pc, this.#sp);
		}

		if (!this.#isPlainFrame(stack, location, pc, at)) {
			this.#sp += this.pushedBytes(stack, location, pc, this.#sp);
		}

		this.#isDirectCall = !blob.isEnterSpecial;
		if (blob.isEnterSpecial) {
			// Omit this frame, as thread dumps do.
			this.carrierStart = --this.frames.count;
			this.entrySp = this.#sp;
		}

		return this.#leaveFixedFrame(stack, blob.frameSize);
	}

	/** Whether a frame has no temporary values on the stack: only a leaf call leaves them there. `at`: its first id. */
	#isPlainFrame(stack: StackCopy, {blob}: CodeLocation, pc: number, at: number): boolean {
		const isMethodCall = this.#isDirectCall && at > 0;
		return isMethodCall
			|| (blob.isSafepoint(pc)
				&& this.isReturnAddress(stack.returnAddress(this.#sp + (8 * blob.frameSize) - 8)));
	}

	#stub(stack: StackCopy, {blob}: CodeLocation): WalkEnd | undefined {
		this.#isDirectCall = false;
		if (blob.frameSize > 0) {
			return this.#leaveFixedFrame(stack, blob.frameSize);
		}

		// This is the return barrier: a stub that thaws a virtual thread's frames from the heap.
		if (blob.name.startsWith('StubRoutines') && has(this.#jvm.vm.layout.fields.virtualThread)) {
			this.heapStart = this.frames.count;
			this.heapSp = this.#sp;
			this.carrierStart = this.frames.count;
			this.#fp = this.#carrierFp(stack);
		}

		this.#pc = stack.returnAddress(this.#fp + 8);
		this.#sp = this.#fp + 16;
		this.#low = this.#sp;
		this.#fp = stack.word(this.#fp);
		return this.#jvm.code.isCode(this.#pc) ? undefined : 'broken';
	}

	/**
	At the return barrier, returns the frame pointer of the enterSpecial frame. It is in the register, unless frames
	were thawed unchanged (thaw_fast in continuationFreezeThaw.cpp): then it is at the end of the ContinuationEntry,
	just after the last frame.
	*/
	#carrierFp(stack: StackCopy): number {
		const [fp, sp] = [this.#fp, this.#sp];
		const endSp = sp + maxEntryBytes;
		if (fp >= sp && fp < endSp) {
			return fp;
		}

		for (let at = sp; at < endSp && stack.has(at + 8); at += 8) {
			if (this.#jvm.code.isCode(stack.returnAddress(at + 8))) {
				return at;
			}
		}

		return fp;
	}

	/** Leaves a frame of known size, whose highest two words are the saved frame pointer and the return address. */
	#leaveFixedFrame(stack: StackCopy, words: number): WalkEnd | undefined {
		const sender = this.#sp + (words * 8);
		this.#pc = this.#returnPc(stack, sender - 8);
		this.#fp = stack.word(sender - 16);
		this.#sp = sender;
		this.#low = sender;
		return words < 2 ? 'broken' : undefined;
	}

	/** Returns the return address at `at`; throws `Unreadable` if it is another in the later copy. */
	#returnPc(stack: StackCopy, at: number): number {
		const pc = stack.has(at) ? stack.returnAddress(at) : fail();
		return this.#later && this.#later.returnAddress(at) !== pc ? fail() : pc;
	}
}

/** The result of a walk, with the frames that a virtual thread has in the heap. */
export type WalkedStack = {
	/** Frame ids, innermost first. */
	readonly frames: Int32Array;
	readonly end: WalkEnd;
	/** Index of the carrier's first frame, after those of its mounted virtual thread; -1 if none is mounted. */
	readonly carrierStart: number;
	/** The virtual thread's frames in the heap are unreadable. */
	readonly isHeapMissing: boolean;
};

/** Returns a stack of which nothing is known. */
export function unknownWalk(): WalkedStack {
	return {frames: new Int32Array(), end: 'broken', carrierStart: -1, isHeapMissing: false};
}

/** Returns the stack from a walker. `heap`: its frames in the heap, if any. */
export function walkedStack(walker: Walker, end: WalkEnd, heap: FrameBuffer | undefined): WalkedStack {
	const {frames, heapStart, carrierStart} = walker;
	if (heapStart === -1 || !heap) {
		return {frames: frames.copy(), end, carrierStart, isHeapMissing: heapStart !== -1};
	}

	const all = new Int32Array(frames.count + heap.count);
	all.set(frames.ids.subarray(0, heapStart));
	all.set(heap.ids.subarray(0, heap.count), heapStart);
	all.set(frames.ids.subarray(heapStart, frames.count), heapStart + heap.count);
	return {frames: all, end, carrierStart: carrierStart === -1 ? -1 : carrierStart + heap.count, isHeapMissing: false};
}
