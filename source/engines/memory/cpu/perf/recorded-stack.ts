import {nativeCode, pseudoFrame} from '../../../../model/frame.js';
import {type Registers} from '../../arch/architecture.js';
import {type Jvm} from '../../hotspot/jvm.js';
import {NativeCode} from '../../target/native-code.js';
import {ifReadable} from '../../target/memory-reader.js';
import {checkStack} from '../../unwind/check-stack.js';
import {type Continuations} from '../../unwind/continuation.js';
import {StackCopy, type FrameBuffer} from '../../unwind/stack.js';
import {type TopFrame} from '../../unwind/top-frame.js';
import {walkedStack, type WalkedStack, type WalkEnd, type Walker} from '../../unwind/walker.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {emptyBlock, type ThreadBlock} from '../../hotspot/thread-block.js';
import {type PerfRecord} from './perf-ring.js';

/** Bytes of a ContinuationEntry (continuationEntry.hpp): parent, continuation and chunk identify the virtual thread. */
const entryBytes = 3 * 8;

/** Bytes compared below the stack pointer at which the stack continues in the heap, to detect a changed frame. */
const seamBytes = 64;

/** The stack of a perf record. */
export class RecordedStack implements WalkedStack {
	frames: Int32Array = new Int32Array();
	end: WalkEnd = 'root';
	carrierStart = -1;
	isHeapMissing = false;
	/** CPU time that the record represents. */
	periodNs = 0;
	/** CLOCK_MONOTONIC. */
	timeNs = 0;
	/** The thread has run since; this is no longer its current stack. */
	isStale = false;
	/** It belongs to a virtual thread that was still mounted when the record was walked. */
	isMounted = false;
	/** Frames outside Java code, innermost first; they are above `frames`. */
	nativeFrames: readonly number[] = [];
	/** The identifying fields of the ContinuationEntry. */
	entry?: {readonly address: number; readonly bytes: Uint8Array};
}

type Unwinders = {readonly walker: Walker; readonly top: TopFrame; readonly continuations: Continuations};

/** Walks the stacks in perf records. */
export class RecordedStacks {
	readonly #jvm: Jvm;
	readonly #unwinders: Unwinders;
	readonly #native: NativeCode;
	readonly #stack = new StackCopy();
	readonly #bytes = new Uint8Array(seamBytes);

	constructor(jvm: Jvm, pid: number, unwinders: Unwinders) {
		this.#jvm = jvm;
		this.#unwinders = unwinders;
		this.#native = new NativeCode(pid, jvm.memory, jvm.interner);
	}

	/**
	Returns the stack of a record, `(native code)` if it has no Java frames; undefined if it cannot be trusted. Without
	`thread`, which may have ended, a stack without Java frames is undefined: it may not have been a Java thread's.
	`isInVm`: the record is of a call from Java code into the VM.
	*/
	walk(
		{timeNs, periodNs, isInKernel, registers, stack: bytes}: PerfRecord,
		thread?: JavaThread,
		isInVm = false,
	): RecordedStack | undefined {
		const {sp} = registers;
		const block = thread?.block ?? {...emptyBlock(), stackBase: sp + bytes.length, stackSize: bytes.length};
		if (!(sp >= block.stackBase - block.stackSize && sp < block.stackBase)) {
			return undefined;
		}

		this.#unwinders.walker.start();
		const end = ifReadable<WalkEnd | undefined>(() => {
			this.#stack.set(sp, bytes, block.stackBase);
			checkStack(this.#jvm, this.#stack);
			const {top} = this.#unwinders;
			return isInVm
				? top.walkFromVm(this.#stack, registers, thread?.address)
				: top.walk(this.#stack, registers, thread?.address);
		}, undefined);
		if (!end) {
			return undefined;
		}

		const {frames, heapStart} = this.#unwinders.walker;
		const walked = new RecordedStack();
		walked.timeNs = timeNs;
		walked.periodNs = periodNs;
		if (frames.count === 0) {
			if (!thread) {
				return undefined;
			}

			frames.push(pseudoFrame(this.#jvm.interner, nativeCode));
		}

		walked.nativeFrames = this.#nativeFrames(registers, isInKernel);
		walked.entry = this.#entryAt(this.#entryAddress(block));
		walked.isMounted = walked.entry !== undefined && this.isStillMounted(walked);
		const heap = heapStart !== -1 && walked.isMounted ? this.#heapFrames(block) : undefined;
		return Object.assign(walked, walkedStack(this.#unwinders.walker, end, heap));
	}

	/** Whether a record's virtual thread is still mounted, so that the JVM's data about it applies to the record. */
	isStillMounted({entry}: RecordedStack): boolean {
		return entry !== undefined && this.#isStillInMemory(entry.address, entry.bytes);
	}

	/** Returns the kernel and native frames that the registers are in, innermost first. */
	#nativeFrames(registers: Registers, isInKernel: boolean): readonly number[] {
		const isInJava = this.#unwinders.top.isInCode(registers);
		if (isInJava && !isInKernel) {
			return [];
		}

		const code = isInJava ? undefined : this.#native.frameAt(registers.pc);
		return [isInKernel ? this.#native.kernelFrame(registers.pc) : undefined, code].filter(frame =>
			frame !== undefined);
	}

	/**
	Returns the address of the ContinuationEntry: from the frame in which the carrier runs the virtual thread; if the
	walk skipped that for the heap, from the block (24 and later), or after the last frame. 0 without a virtual thread.
	*/
	#entryAddress(block: ThreadBlock): number {
		const {entrySp, heapSp} = this.#unwinders.walker;
		return entrySp || (heapSp === 0 ? 0 : block.continuationEntry || heapSp);
	}

	#entryAt(address: number): RecordedStack['entry'] {
		return address !== 0 && this.#stack.has(address) && this.#stack.has(address + entryBytes - 8)
			? {address, bytes: Uint8Array.from(this.#bytesAt(address, entryBytes))}
			: undefined;
	}

	/** Returns the frames in the heap; undefined if the frame that returns to them has changed since the record. */
	#heapFrames({continuationEntry}: ThreadBlock): FrameBuffer | undefined {
		const seam = this.#unwinders.walker.heapSp - seamBytes;
		const isUnchanged = this.#stack.has(seam) && this.#isStillInMemory(seam, this.#bytesAt(seam, seamBytes));
		return isUnchanged
			? this.#unwinders.continuations.walk(this.#unwinders.continuations.locate(this.#stack, continuationEntry))
			: undefined;
	}

	#bytesAt(address: number, length: number): Uint8Array {
		const {low, bytes} = this.#stack;
		return bytes.subarray(address - low, address - low + length);
	}

	#isStillInMemory(address: number, bytes: Uint8Array): boolean {
		return this.#jvm.memory.read(address, this.#bytes, 0, bytes.length) === bytes.length
			&& bytes.every((byte, index) => byte === this.#bytes[index]);
	}
}
