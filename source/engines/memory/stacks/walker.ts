import {type CodeCache, type CodePlace} from '../hotspot/code-cache.js';
import {has} from '../hotspot/layout.js';
import {type Methods} from '../hotspot/methods.js';
import {Unreadable} from '../process/reader.js';
import {type Vm} from '../hotspot/vm.js';
import {FrameBuffer} from './frame-buffer.js';
import {bytecodeIndex, savedBytecode, slot} from './interpreted.js';
import {type KnownCallers} from './known-callers.js';
import {type Cursor} from './registers.js';
import {type StackCopy} from './stack.js';

/** How a walk ended: at the thread's first Java frame, or before it, so that only part of the stack is certain. */
export type WalkEnd = 'root' | 'broken';

/** Told of each frame with Java methods as it is met: where its frames begin in the buffer, and where it lies. */
export type FrameWatcher = {
	interpreted(at: number, stack: StackCopy, fp: number): void;
	compiled(at: number, stack: StackCopy, place: CodePlace, pc: number, sp: number): void;
};

/** Most steps in one walk, frames without a Java method included. */
const stepLimit = 40_000;

/** Bytes of a ContinuationEntry and of arguments on the stack below it, at most; an entry has some 80. */
const mostEntryBytes = 256;

/**
Walks the frames of a stack copy from one whose place is known exactly: a thread that waits, or the caller of a running
thread's top frame.
*/
export class Walker {
	readonly frames = new FrameBuffer();
	/**
	Number of frames of a mounted virtual thread, without those through which its carrier runs it
	(Continuation.enterSpecial); -1 if there is none.
	*/
	carrierStart = -1;
	/** The virtual thread's outer frames are in the heap, between this frame and the one before; -1 if they are not. */
	heapStart = -1;
	/**
	Where the frame lies by which the carrier runs its virtual thread, and with it a ContinuationEntry
	(continuationEntry.hpp); 0 where none was met.
	*/
	entrySp = 0;
	/** Where the caller's frame of the last frame on the stack begins, where the rest is in the heap. */
	heapSp = 0;
	/** Where the last walk ended. */
	readonly cursor: Cursor = {pc: 0, sp: 0, fp: 0};
	/** What is known of the stack that is walked. */
	known?: KnownCallers;
	readonly #vm: Vm;
	readonly #code: CodeCache;
	readonly #methods: Methods;
	readonly #hasVirtualThreads: boolean;

	readonly #watcher: FrameWatcher | undefined;

	constructor(vm: Vm, code: CodeCache, methods: Methods, watcher?: FrameWatcher) {
		this.#watcher = watcher;
		this.#vm = vm;
		this.#code = code;
		this.#methods = methods;
		this.#hasVirtualThreads = has(vm.layout.fields.virtualThread);
	}

	/** Forgets the frames of the previous stack. */
	start(): void {
		this.frames.count = 0;
		this.carrierStart = -1;
		this.heapStart = -1;
		this.entrySp = 0;
		this.heapSp = 0;
	}

	/** Appends the frames from a return address (or an anchor's pc) onwards. */
	walk(stack: StackCopy, pc: number, sp: number, fp: number): WalkEnd {
		const {cursor} = this;
		cursor.pc = pc;
		cursor.sp = sp;
		cursor.fp = fp;
		this.known?.restart();
		try {
			for (let step = 0; step < stepLimit; step++) {
				if (this.known?.complete(stack, cursor, this.frames)) {
					return 'root';
				}

				const previous = cursor.sp;
				const end = this.#step(stack);
				if (end) {
					return end;
				}

				// The stack grows downwards: a caller's frame lies above its callee's, and a chain that loops ends
				// here.
				if (cursor.sp <= previous) {
					return 'broken';
				}
			}
		} catch (error) {
			if (!(error instanceof Unreadable)) {
				throw error;
			}
		}

		return 'broken';
	}

	/** Appends the frames of a compiled method at a code address. */
	pushCompiled(place: CodePlace, pc: number, exact: boolean): boolean {
		for (const frame of this.#code.frames(place, pc, exact)) {
			if (!this.frames.push(frame)) {
				return false;
			}
		}

		return true;
	}

	#step(stack: StackCopy): WalkEnd | undefined {
		const {cursor} = this;
		const {pc} = cursor;
		if (pc === this.#vm.callStubReturn) {
			return this.#leaveEntryFrame(stack);
		}

		const place = this.#code.lookUp(pc);
		if (!place) {
			return 'broken';
		}

		if (place.blob.kind === 'interpreter') {
			return this.#interpreted(stack);
		}

		return place.blob.isMethod ? this.#compiled(stack, place) : this.#stub(stack, place);
	}

	/**
	A call from the VM into Java: what called it, if anything Java did, is in the anchor that the call saved
	(javaCalls.hpp).
	*/
	#leaveEntryFrame(stack: StackCopy): WalkEnd | undefined {
		const {cursor} = this;
		const {fields, constants} = this.#vm.layout;
		const anchor = stack.word(cursor.fp + (constants.entryFrameWrapper * 8)) + fields.wrapperAnchor;
		const sp = stack.word(anchor + fields.anchorSp);
		if (sp === 0) {
			return 'root';
		}

		cursor.sp = sp;
		cursor.pc = stack.word(anchor + fields.anchorPc) || stack.word(sp - 8);
		cursor.fp = stack.word(anchor + fields.anchorFp);
		return undefined;
	}

	#interpreted(stack: StackCopy): WalkEnd | undefined {
		const {cursor} = this;
		const {fp} = cursor;
		const method = this.#methods.at(stack.word(fp + slot.method));
		if (!this.frames.push(method.frame(bytecodeIndex(method, method.isNative ? 0 : savedBytecode(this.#vm, stack, fp))))) {
			return 'broken';
		}

		this.#watcher?.interpreted(this.frames.count - 1, stack, fp);
		cursor.pc = stack.word(fp + slot.returnPc);
		cursor.sp = stack.word(fp + slot.senderSp);
		cursor.fp = stack.word(fp + slot.senderFp);
		return undefined;
	}

	#compiled(stack: StackCopy, place: CodePlace): WalkEnd | undefined {
		const {cursor} = this;
		const {blob} = place;
		if (blob.deoptHandlers.includes(cursor.pc)) {
			// The frame is about to be turned into interpreted ones: the real address is kept in the frame
			// (nmethod::orig_pc_addr).
			const pc = stack.word(cursor.sp + blob.origPcOffset);
			if (!blob.contains(pc) || !this.pushCompiled(this.#code.lookUp(pc) ?? place, pc, true)) {
				return 'broken';
			}
		} else {
			const at = this.frames.count;
			if (!this.pushCompiled(place, cursor.pc, true)) {
				return 'broken';
			}

			this.#watcher?.compiled(at, stack, place, cursor.pc, cursor.sp);
		}

		if (place.blob.isEnterSpecial) {
			// Dumps leave it out.
			this.carrierStart = --this.frames.count;
			this.entrySp = cursor.sp;
		}

		return this.#leaveFixedFrame(stack, blob.frameSize);
	}

	#stub(stack: StackCopy, {blob}: CodePlace): WalkEnd | undefined {
		const {cursor} = this;
		if (blob.frameSize > 0) {
			return this.#leaveFixedFrame(stack, blob.frameSize);
		}

		// A virtual thread returns to its frames in the heap through a stub (the return barrier).
		if (blob.name.startsWith('StubRoutines') && this.#hasVirtualThreads) {
			this.heapStart = this.frames.count;
			this.heapSp = cursor.sp;
			this.carrierStart = this.frames.count;
			cursor.fp = this.#carrierFp(stack);
		}

		cursor.pc = stack.word(cursor.fp + 8);
		cursor.sp = cursor.fp + 16;
		cursor.fp = stack.word(cursor.fp);
		return this.#code.isCode(cursor.pc) ? undefined : 'broken';
	}

	/**
	Behind the return barrier: the frame pointer of the frame by which the carrier runs the virtual thread (enterSpecial).
	The register has it, unless the frames below were copied back from the heap as they were (thaw_fast in
	continuationFreezeThaw.cpp): then it is where the entry's words end, which lie just behind the last frame.
	*/
	#carrierFp(stack: StackCopy): number {
		const {fp, sp} = this.cursor;
		const endSp = sp + mostEntryBytes;
		if (fp >= sp && fp < endSp) {
			return fp;
		}

		for (let at = sp; at < endSp && stack.has(at + 8); at += 8) {
			if (this.#code.isCode(stack.word(at + 8))) {
				return at;
			}
		}

		return fp;
	}

	#leaveFixedFrame(stack: StackCopy, words: number): WalkEnd | undefined {
		const {cursor} = this;
		const sender = cursor.sp + (words * 8);
		cursor.pc = stack.word(sender - 8);
		cursor.fp = stack.word(sender - 16);
		cursor.sp = sender;
		return words < 2 ? 'broken' : undefined;
	}
}
