import {type Memory} from '../../target/memory.js';
import {type NativeCode} from '../../target/native-code.js';
import {ifReadable} from '../../target/reader.js';
import {type ChunkPosition, type Continuations} from '../../unwind/continuation.js';
import {StackCopy, type Registers} from '../../unwind/stack.js';
import {type TopFrame} from '../../unwind/top-frame.js';
import {WalkedStack, type WalkEnd, type Walker} from '../../unwind/walker.js';
import {type JavaThread} from '../../threads/java-thread.js';
import {emptyBlock, type ThreadBlock} from '../../hotspot/thread-block.js';
import {type ThreadRecord} from './ring.js';

/**
Bytes of the ContinuationEntry's fields that identify the mounted virtual thread: the enclosing entry, the continuation
and its chunk (continuationEntry.hpp).
*/
const entryBytes = 3 * 8;

/** Bytes compared below the stack pointer at which the stack continues in the heap, to detect a changed frame. */
const seamBytes = 64;

const noFrames: readonly number[] = [];

/** A stack from a record. */
export class RecordedStack extends WalkedStack {
	/** CPU nanoseconds that the stack represents. */
	periodNs = 0;
	/** When it was recorded, CLOCK_MONOTONIC nanoseconds. */
	timeNs = 0;
	/** The thread has run since, so this is no longer its current stack. */
	isStale = false;
	/** It belongs to a virtual thread that was still mounted when the record was walked. */
	isMounted = false;
	/** Frames outside Java code, innermost first; they are above `frames`. */
	nativeFrames: readonly number[] = noFrames;
	/** Copy of the identifying fields of the ContinuationEntry. */
	entry?: {readonly address: number; readonly bytes: Uint8Array};
}

/** `nativeCodeFrame`: the frame `(native code)`. */
type Parts = {readonly memory: Memory; readonly walker: Walker; readonly top: TopFrame; readonly continuations: Continuations; readonly native: NativeCode; readonly nativeCodeFrame: number};

/** Walks the stacks of records. */
export class RecordedStacks {
	readonly #parts: Parts;
	readonly #stack = new StackCopy();
	readonly #bytes = new Uint8Array(seamBytes);

	constructor(parts: Parts) {
		this.#parts = parts;
	}

	/**
	Returns the stack of a record, `(native code)` if it has no Java frames; undefined if it cannot be trusted. Without
	`thread`, which may have ended, a stack without Java frames is undefined: it may not have been a Java thread's.
	*/
	walk({timeNs, periodNs, isInKernel, registers, stack: bytes}: ThreadRecord, thread?: JavaThread): RecordedStack | undefined {
		const {sp} = registers;
		const block = thread?.block ?? {...emptyBlock(), stackBase: sp + bytes.length, stackSize: bytes.length};
		if (!(sp >= block.stackBase - block.stackSize && sp < block.stackBase)) {
			return undefined;
		}

		this.#parts.walker.start();
		const end = ifReadable<WalkEnd | undefined>(() => {
			this.#stack.set(sp, bytes, block.stackBase);
			return this.#parts.top.walk(this.#stack, registers, thread?.address);
		}, undefined);
		if (!end) {
			return undefined;
		}

		const {frames, heapStart} = this.#parts.walker;
		const walked = new RecordedStack();
		walked.timeNs = timeNs;
		walked.periodNs = periodNs;
		if (frames.count === 0) {
			if (!thread) {
				return undefined;
			}

			frames.push(this.#parts.nativeCodeFrame);
		}

		walked.nativeFrames = this.#nativeFrames(registers, isInKernel);
		walked.entry = this.#entryAt(this.#entryAddress(block));
		walked.isMounted = walked.entry !== undefined && this.isStillMounted(walked);
		const hasHeap = heapStart !== -1 && walked.isMounted && this.#walkHeap(block);
		walked.setStack(this.#parts.walker, end, hasHeap ? this.#parts.continuations.frames : undefined);
		return walked;
	}

	/** Whether a record's virtual thread is still mounted, so that the JVM's data about it applies to the record. */
	isStillMounted({entry}: RecordedStack): boolean {
		return entry !== undefined && this.#isSame(entry.address, entry.bytes);
	}

	/** Returns the kernel and native frames that the registers are in, innermost first. */
	#nativeFrames(registers: Registers, isInKernel: boolean): readonly number[] {
		const isInJava = this.#parts.top.isInCode(registers);
		if (isInJava && !isInKernel) {
			return noFrames;
		}

		const {native} = this.#parts;
		const code = isInJava ? undefined : native.frameAt(registers.pc);
		return [isInKernel ? native.kernelFrame(registers.pc) : undefined, code].filter(frame => frame !== undefined);
	}

	/**
	Returns the address of the ContinuationEntry: from the frame in which the carrier runs the virtual thread; if the
	walk skipped that for the heap, from the block (24 and later), or after the last frame. 0 without a virtual thread.
	*/
	#entryAddress(block: ThreadBlock): number {
		const {entrySp, heapSp} = this.#parts.walker;
		return entrySp || (heapSp === 0 ? 0 : block.continuationEntry || heapSp);
	}

	#entryAt(address: number): RecordedStack['entry'] {
		return address !== 0 && this.#stack.has(address) && this.#stack.has(address + entryBytes - 8)
			? {address, bytes: Uint8Array.from(this.#bytesAt(address, entryBytes))}
			: undefined;
	}

	/**
	Walks the part of the stack in the heap. Returns false if the frame that returns to it has left the stack: frames
	may have been thawed since the record.
	*/
	#walkHeap(block: ThreadBlock): boolean {
		const {heapSp} = this.#parts.walker;
		if (!this.#stack.has(heapSp - seamBytes) || !this.#isSame(heapSp - seamBytes, this.#bytesAt(heapSp - seamBytes, seamBytes))) {
			return false;
		}

		const chunk: ChunkPosition | undefined = block.continuationEntry === 0 ? undefined : this.#parts.continuations.locate(this.#stack, block.continuationEntry);
		return chunk !== undefined && this.#parts.continuations.walk(chunk);
	}

	#bytesAt(address: number, length: number): Uint8Array {
		const {low, bytes} = this.#stack;
		return bytes.subarray(address - low, address - low + length);
	}

	/** Whether the target's memory still has these bytes. */
	#isSame(address: number, bytes: Uint8Array): boolean {
		return this.#parts.memory.read(address, this.#bytes, 0, bytes.length) === bytes.length && bytes.every((byte, index) => byte === this.#bytes[index]);
	}
}
