import {type Memory} from '../process/memory.js';
import {Unreadable} from '../process/reader.js';
import {type ChunkPlace, type Continuations} from '../stacks/continuation.js';
import {KnownCallers} from '../stacks/known-callers.js';
import {StackCopy} from '../stacks/stack.js';
import {type TopFrame} from '../stacks/top-frame.js';
import {WalkedStack} from '../stacks/walked-stack.js';
import {type Walker, type WalkEnd} from '../stacks/walker.js';
import {emptyBlock, type ThreadBlock} from '../threads/thread-block.js';
import {type ThreadRecord} from './records.js';

/**
The words of a ContinuationEntry that say which virtual thread is mounted: the entry around it, the continuation and its
chunk (continuationEntry.hpp).
*/
const entryBytes = 3 * 8;

/** Bytes below the place where the stack goes on in the heap that tell whether the frame there is still the same. */
const seamBytes = 64;

/** Threads whose stacks are remembered for their next record; those that run are few at a time. */
const knownLimit = 32;

/** A stack out of a record, and the CPU nanoseconds that it stands for. */
export class RecordedStack extends WalkedStack {
	weightNs = 0;
	/** A virtual thread's, which was still mounted when it was walked. */
	isMounted = false;
	/** What was where the carrier keeps the virtual thread that it runs. */
	entry?: {readonly address: number; readonly bytes: Uint8Array};
}

/** Walks the stacks of records. */
export class RecordedStacks {
	readonly #memory: Memory;
	readonly #walker: Walker;
	readonly #top: TopFrame;
	readonly #continuations: Continuations;
	readonly #stack = new StackCopy();
	readonly #bytes = new Uint8Array(seamBytes);
	/** Of threads by their ids. */
	readonly #known = new Map<number, KnownCallers>();

	constructor(parts: {readonly memory: Memory; readonly walker: Walker; readonly top: TopFrame; readonly continuations: Continuations}) {
		this.#memory = parts.memory;
		this.#walker = parts.walker;
		this.#top = parts.top;
		this.#continuations = parts.continuations;
	}

	/**
	The stack of a record; undefined where it tells of no Java frame. `block`: the thread's; left out for one that has
	ended, of which nothing is known but the record.
	*/
	walk({tid, registers, stack: bytes}: ThreadRecord, block?: ThreadBlock): RecordedStack | undefined {
		const {sp} = registers;
		block ??= {...emptyBlock(), stackBase: sp + bytes.length, stackSize: bytes.length};
		if (!(sp >= block.stackBase - block.stackSize && sp < block.stackBase)) {
			return undefined;
		}

		const known = this.#knownOf(tid);
		known.begin(performance.now());
		this.#walker.start();
		this.#walker.known = known;
		let end: WalkEnd;
		try {
			this.#stack.set(sp, bytes, block.stackBase);
			end = this.#top.walk(this.#stack, registers, !this.#stack.isCut);
		} catch (error) {
			if (!(error instanceof Unreadable)) {
				throw error;
			}

			known.forget();
			return undefined;
		} finally {
			this.#walker.known = undefined;
		}

		const {frames, heapStart: seam, carrierStart} = this.#walker;
		const walked = new RecordedStack();
		if (end === 'root' && seam === -1 && carrierStart === -1 && bytes.byteOffset % 4 === 0 && !this.#stack.isCut) {
			walked.setStack(this.#walker, end, undefined);
			known.end({low: sp, words: new Uint32Array(bytes.buffer, bytes.byteOffset, (this.#stack.high - sp) / 4)}, walked.frames);
			return frames.count === 0 ? undefined : walked;
		}

		known.forget();
		if (frames.count === 0) {
			return undefined;
		}

		walked.entry = this.#entryAt(this.#entryAddress(block));
		walked.isMounted = walked.entry !== undefined && this.isStillMounted(walked);
		const {heapStart} = this.#walker;
		const hasHeap = heapStart !== -1 && walked.isMounted && this.#walkHeap(block);
		walked.setStack(this.#walker, end, hasHeap ? this.#continuations.frames : undefined);
		return walked;
	}

	/**
	Whether the virtual thread that a record shows is still the one that its carrier runs: then what the JVM says of
	that one, read some milliseconds later, is about the record's.
	*/
	isStillMounted({entry}: RecordedStack): boolean {
		return entry !== undefined && this.#isSame(entry.address, entry.bytes);
	}

	#knownOf(tid: number): KnownCallers {
		let known = this.#known.get(tid);
		if (!known) {
			if (this.#known.size >= knownLimit) {
				this.#known.clear();
			}

			known = new KnownCallers();
			this.#known.set(tid, known);
		}

		return known;
	}

	/**
	Where the ContinuationEntry is: in the frame by which the carrier runs the virtual thread; where that was passed by
	on the way from the heap, where the JVM says (24 and later), or what lies behind the last frame.
	*/
	#entryAddress(block: ThreadBlock): number {
		const {entrySp, heapSp} = this.#walker;
		return entrySp || (heapSp === 0 ? 0 : block.continuationEntry || heapSp);
	}

	#entryAt(address: number): RecordedStack['entry'] {
		return address !== 0 && this.#stack.has(address) && this.#stack.has(address + entryBytes - 8)
			? {address, bytes: Uint8Array.from(this.#bytesAt(address, entryBytes))}
			: undefined;
	}

	/**
	The part in the heap, if the frame that returns to it is still on the stack: otherwise some of it have come back
	from there since the record.
	*/
	#walkHeap(block: ThreadBlock): boolean {
		const {heapSp} = this.#walker;
		if (!this.#stack.has(heapSp - seamBytes) || !this.#isSame(heapSp - seamBytes, this.#bytesAt(heapSp - seamBytes, seamBytes))) {
			return false;
		}

		const chunk: ChunkPlace | undefined = block.continuationEntry === 0 ? undefined : this.#continuations.locate(this.#stack, block.continuationEntry);
		return chunk !== undefined && this.#continuations.walk(chunk);
	}

	#bytesAt(address: number, length: number): Uint8Array {
		const {low, bytes} = this.#stack;
		return bytes.subarray(address - low, address - low + length);
	}

	/** Whether the target's memory has the same bytes now. */
	#isSame(address: number, bytes: Uint8Array): boolean {
		return this.#memory.read(address, this.#bytes, 0, bytes.length) === bytes.length && bytes.every((byte, index) => byte === this.#bytes[index]);
	}
}
