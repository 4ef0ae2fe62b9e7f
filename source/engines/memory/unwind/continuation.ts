import {type Jvm} from '../hotspot/jvm.js';
import {has} from '../hotspot/layout.js';
import {klassName} from '../hotspot/methods.js';
import {fail, ifReadable} from '../target/reader.js';
import {interpretedFrame, slot} from './interpreted.js';
import {FrameBuffer, RecordingStack, type StackCopy} from './stack.js';

/** The stack of a virtual thread that is not mounted. `id`: the same for equal frames. */
export class FrozenStack {
	constructor(readonly id: number, readonly frames: Int32Array) {}
}

/**
A frozen stack as read, with the address of its first chunk, a hash of its contents, and the objects that the thread has
locked without a monitor (24 and later).
*/
export type FrozenRead = {readonly stack: FrozenStack; readonly chunk: number; readonly checksum: number; readonly locked: readonly number[]};

/** A cached walk of a chunk with this many bytes of frames and these words (offsets and values, in turn). */
type CachedWalk = {readonly length: number; readonly words: readonly number[]; readonly frames: Int32Array};

/** How long walks are cached, milliseconds, since code may be replaced; and the maximum numbers of walks and stacks. */
const walksMs = 10_000;
const walkLimit = 4096;
const stackLimit = 16_384;

/**
The position of a virtual thread's frames in a heap chunk (jdk.internal.vm.StackChunk): from `low` to `base`; `sp`: the
chunk's field.
*/
export type ChunkPosition = {readonly chunk: number; readonly parent: number; readonly low: number; readonly base: number; readonly sp: number};

/** Field offsets of these classes, and the class of chunks. */
type Offsets = {readonly chunkKlass: number; readonly tail: number; readonly parent: number; readonly size: number; readonly sp: number; readonly bottom: number; readonly argumentSize: number; readonly lockStackSize: number; readonly stack: number};

/** Words of a ContinuationEntry searched for the Continuation object; on 25 it is the third (continuationEntry.hpp). */
const entryWords = 6;

/** Maximum number of chunks of a thread: each yield at a greater depth may add one. */
const chunkLimit = 64;

/**
First release in which an unmounted thread's lock stack is in its chunk (JEP 491), at most 8 objects; index of the
injected field with their number (STACKCHUNK_INJECTED_FIELDS in javaClasses.hpp).
*/
const firstWithLockStack = 24;
const lockStackSizeField = 4;
const lockStackLimit = 8;
const nothing: readonly number[] = [];

/** Maximum words of a chunk: 1 MB of frames. */
const chunkWords = 1 << 17;

/**
Reads the frames of virtual threads in the heap. When a virtual thread resumes, only its topmost frames return to the
stack; the others remain in a chunk until it returns to them (stackChunkOop.hpp, continuationFreezeThaw.cpp).
*/
export class Continuations {
	readonly #jvm: Jvm;
	readonly #frames = new FrameBuffer();
	readonly #stack = new RecordingStack();
	/** Index in a ContinuationEntry of the Continuation object; 0 until found. */
	#entryWord = 0;
	#offsets?: Offsets;
	/** Walks of chunks, by the chunk's first return address; and all stacks, by their frames. */
	readonly #walks = new Map<number, CachedWalk[]>();
	readonly #stacks = new Map<string, FrozenStack>();
	readonly #stackOfFrames = new WeakMap<Int32Array, FrozenStack>();
	#walkCount = 0;
	#walksSinceMs = 0;
	#stackCount = 0;
	#recorded: readonly number[] = [];

	constructor(jvm: Jvm) {
		this.#jvm = jvm;
	}

	/**
	Finds the start of the frames in the heap, quickly enough for a stopped thread; undefined if there are none or they
	are unreadable. `entry`: JavaThread._cont_entry, an address on the stack; 0 if unknown.
	*/
	locate(stack: StackCopy, entry: number): ChunkPosition | undefined {
		return ifReadable(() => {
			const continuation = entry === 0 ? fail() : this.#continuationOf(stack, entry);
			const offsets = this.#offsets ?? fail();
			return this.#position(this.#jvm.heap.reference(continuation + offsets.tail));
		}, undefined);
	}

	/**
	Returns the frames in the heap, innermost first, in a buffer that the next call reuses; undefined if they are
	unreadable or have changed since `locate`.
	*/
	walk(position: ChunkPosition | undefined): FrameBuffer | undefined {
		this.#frames.count = 0;
		return position && ifReadable(() => {
			let next: ChunkPosition | undefined = position;
			for (let count = 0; next && count < chunkLimit; count++) {
				const {chunk, parent, sp, low, base}: ChunkPosition = next;
				if (low < base) {
					this.#stack.load(this.#jvm.memory, low - 16, base);
					this.#checkChunk(chunk);
					this.#walkChunk(low, base);
				}

				// The thread may have yielded since and frozen more frames.
				if (this.#jvm.vm.reader.u32(chunk + (this.#offsets ?? fail()).sp) < sp) {
					return undefined;
				}

				next = parent === 0 ? undefined : this.#position(parent);
			}

			return next ? undefined : this.#frames;
		}, undefined);
	}

	/**
	Returns the stack of an unmounted virtual thread, given its Continuation object; empty if it has not begun,
	undefined if unreadable. Objects must not move during the call, but the thread may run.
	*/
	frozen(continuation: number): FrozenRead | undefined {
		return ifReadable(() => {
			const klass = this.#jvm.heap.klassOf(continuation);
			if (this.#offsets === undefined) {
				const declaring = this.#continuationKlass(klass);
				this.#offsets = declaring === 0 ? fail() : this.#findOffsets(declaring, continuation);
			}

			const parts: Int32Array[] = [];
			let [checksum, first] = [0, 0];
			let locked = nothing;
			let chunk = this.#jvm.heap.reference(continuation + this.#offsets.tail);
			for (let left = chunkLimit; chunk !== 0 && left > 0; left--) {
				const position = this.#position(chunk);
				locked = first === 0 ? this.#lockStack(chunk, this.#offsets) : locked;
				first = first === 0 ? chunk : first;
				if (position.low < position.base) {
					parts.push(this.#frozenFrames(position));
					checksum = Math.imul(checksum, 31) + this.#stack.checksum();
				}

				chunk = position.parent;
			}

			return {stack: this.#stackOf(parts.length === 1 ? parts[0] : Int32Array.from(parts.flatMap(part => [...part]))), chunk: first, checksum, locked};
		}, undefined);
	}

	/** Returns the frames of a chunk, from the cache if a walk read the same words there. */
	#frozenFrames({chunk, low, base, sp}: ChunkPosition): Int32Array {
		const stack = this.#stack;
		stack.load(this.#jvm.memory, low - 16, base);
		this.#expireWalks();
		const pc = stack.word(low - 8);
		const known = this.#walks.get(pc) ?? [];
		const walk = known.find(({words, length}) => length === base - low && hasWords(stack, low, words));
		if (walk) {
			return walk.frames;
		}

		this.#frames.count = 0;
		stack.record = [];
		try {
			this.#walkChunk(low, base);
		} finally {
			this.#recorded = stack.record;
			stack.record = undefined;
		}

		// The thread may have run during the walk.
		if (!this.#isStillAt(chunk, sp)) {
			fail();
		}

		const frames = this.#frames.copy();
		this.#walkCount++;
		this.#walks.set(pc, [...known, {length: base - low, words: this.#recorded.map((word, index) => index % 2 === 0 ? word - low : word), frames}]);
		return frames;
	}

	/** Returns the objects of the lock stack at the start of a chunk; with ZGC, read as coloured and as plain pointers. */
	#lockStack(chunk: number, {lockStackSize, stack}: Offsets): readonly number[] {
		const count = has(lockStackSize) ? this.#jvm.vm.reader.u8(chunk + lockStackSize) : 0;
		return count === 0 || count > lockStackLimit ? nothing : Array.from({length: count}, (_, index) => chunk + stack + (8 * index)).flatMap(address => [this.#jvm.heap.local(address), this.#jvm.heap.reference(address, true)]);
	}

	/** Whether a chunk still has this stack pointer; bypasses cached pages. */
	#isStillAt(chunk: number, sp: number): boolean {
		const bytes = this.#jvm.vm.reader.bytes(chunk + (this.#offsets ?? fail()).sp, 4);
		return new DataView(bytes.buffer).getUint32(0, true) === sp;
	}

	#expireWalks(): void {
		const nowMs = performance.now();
		if (nowMs - this.#walksSinceMs > walksMs || this.#walkCount >= walkLimit) {
			this.#walks.clear();
			this.#walkCount = 0;
			this.#walksSinceMs = nowMs;
		}
	}

	#stackOf(frames: Int32Array): FrozenStack {
		const known = this.#stackOfFrames.get(frames);
		if (known) {
			return known;
		}

		const key = frames.join(',');
		let stack = this.#stacks.get(key);
		if (!stack) {
			if (this.#stacks.size >= stackLimit) {
				this.#stacks.clear();
			}

			stack = new FrozenStack(++this.#stackCount, frames);
			this.#stacks.set(key, stack);
		}

		this.#stackOfFrames.set(frames, stack);
		return stack;
	}

	#continuationOf(stack: StackCopy, entry: number): number {
		if (this.#entryWord !== 0) {
			// Pointers on the stack are never compressed or coloured.
			return stack.word(entry + (8 * this.#entryWord));
		}

		for (let word = 1; word < entryWords; word++) {
			const oop = ifReadable(() => stack.word(entry + (8 * word)), 0);
			const isFound = ifReadable(() => {
				const klass = this.#continuationKlass(this.#jvm.heap.klassOf(oop));
				this.#offsets = klass === 0 ? this.#offsets : this.#findOffsets(klass, oop);
				return klass !== 0;
			}, false);
			if (isFound) {
				this.#entryWord = word;
				return oop;
			}
		}

		return fail();
	}

	/** Returns jdk.internal.vm.Continuation if a class is or extends it; otherwise 0. */
	#continuationKlass(klass: number): number {
		for (const at of this.#jvm.heap.hierarchy(klass)) {
			if (klassName(this.#jvm.vm, at) === 'jdk.internal.vm.Continuation') {
				return at;
			}
		}

		return 0;
	}

	#findOffsets(klass: number, oop: number): Offsets {
		const {heap} = this.#jvm;
		const tail = heap.requiredOffset(klass, 'tail', 'Ljdk/internal/vm/StackChunk;');
		const chunkKlass = heap.klassOf(heap.reference(oop + tail));
		const injected = heap.injectedOffsets(chunkKlass);
		return {
			chunkKlass, tail,
			parent: heap.requiredOffset(chunkKlass, 'parent', 'Ljdk/internal/vm/StackChunk;'),
			size: heap.requiredOffset(chunkKlass, 'size', 'I'),
			sp: heap.requiredOffset(chunkKlass, 'sp', 'I'),
			bottom: heap.fieldOffset(chunkKlass, 'bottom', 'I'),
			argumentSize: heap.fieldOffset(chunkKlass, 'argsize', 'I'),
			lockStackSize: this.#jvm.vm.release >= firstWithLockStack ? injected.at(lockStackSizeField) ?? Number.NaN : Number.NaN,
			// The frames follow the object's fields; the layout helper is the instance size, with flags in its lowest
			// bits (klass.hpp).
			stack: Math.floor(this.#jvm.vm.reader.u32(chunkKlass + this.#jvm.vm.layout.fields.klassLayout) / 8) * 8,
		};
	}

	/** Throws `Unreadable` if there is no chunk at the address: ZGC moves objects before it updates fields. */
	#checkChunk(chunk: number): void {
		if (this.#jvm.heap.klassOf(chunk) !== this.#offsets?.chunkKlass) {
			fail();
		}
	}

	#position(chunk: number): ChunkPosition {
		this.#checkChunk(chunk);
		const {reader} = this.#jvm.vm;
		const {size: sizeOffset, sp: spOffset, parent, bottom, argumentSize, stack} = this.#offsets ?? fail();
		const size = reader.u32(chunk + sizeOffset);
		const sp = reader.u32(chunk + spOffset);
		// Up to 22 a chunk has the number of argument words after its frames, later the end of the frames.
		const end = has(bottom) ? reader.u32(chunk + bottom) : size - reader.u32(chunk + argumentSize);
		if (size > chunkWords || end > size || sp > size) {
			fail();
		}

		return {chunk, parent: this.#jvm.heap.reference(chunk + parent), sp, low: chunk + stack + (8 * sp), base: chunk + stack + (8 * end)};
	}

	/**
	Appends a chunk's frames. Works as walker.ts, but the links of interpreted frames in a chunk are relative, in words
	(frame_x86.inline.hpp, derelativize).
	*/
	#walkChunk(low: number, base: number): void {
		const stack = this.#stack;
		let sp = low;
		let fpSlot = sp - 16;
		let pc = stack.word(sp - 8);
		while (sp < base) {
			const previous = sp;
			const position = this.#jvm.code.lookUp(pc) ?? fail();
			const {blob} = position;
			if (blob.kind === 'interpreter') {
				const fp = fpSlot + (8 * stack.signed(fpSlot));
				this.#frames.push(interpretedFrame(this.#jvm, stack, fp));
				sp = fp + (8 * stack.signed(fp + slot.senderSp));
				fpSlot = fp;
				pc = sp < base ? stack.word(fp + slot.returnPc) : 0;
			} else {
				if (blob.kind === 'java' || blob.kind === 'native') {
					const at = blob.deoptHandlers.includes(pc) ? stack.word(sp + blob.origPcOffset) : pc;
					for (const frame of this.#jvm.code.frames(this.#jvm.code.lookUp(at) ?? fail(), at, true)) {
						this.#frames.push(frame);
					}
				}

				sp += blob.frameSize * 8;
				fpSlot = sp - 16;
				pc = sp < base ? stack.word(sp - 8) : 0;
			}

			if (sp <= previous) {
				fail();
			}
		}
	}
}

/** Whether a chunk whose first frame is at `low` contains these words: offsets from there and values, in turn. */
function hasWords(stack: StackCopy, low: number, words: readonly number[]): boolean {
	for (let index = 0; index < words.length; index += 2) {
		if (!stack.has(low + words[index]) || stack.word(low + words[index]) !== words[index + 1]) {
			return false;
		}
	}

	return true;
}
