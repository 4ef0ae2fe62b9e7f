import {bounded, getOrCreate} from '../../../util/get-or-create.js';
import {type Jvm} from '../hotspot/jvm.js';
import {has} from '../hotspot/layout.js';
import {klassName} from '../hotspot/methods.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {interpretedFrame, slot} from './interpreted.js';
import {FrameBuffer, StackCopy} from './stack.js';

/** Frames of an unmounted virtual thread, which are in the heap. `id`: the same for equal frames. */
export type FrozenStack = {readonly id: number; readonly frames: Int32Array};

/** A frozen stack, its first chunk's address, a hash, and the objects that it has locked without a monitor (24+). */
export type FrozenRead = {
	readonly stack: FrozenStack;
	readonly chunk: number;
	readonly checksum: number;
	readonly locked: readonly number[];
};

/** Maximum number of frozen stacks that keep their ids; beyond this they get new ones. */
const stackLimit = 16_384;

/** A thread's frames in a chunk (jdk.internal.vm.StackChunk), from `low` to `base`. `sp`: the chunk's field. */
export type ChunkPosition = Readonly<Record<'chunk' | 'parent' | 'low' | 'base' | 'sp', number>>;

/** `chunkKlass`: the class of chunks; `stack`: where a chunk's frames begin; the others are field offsets. */
type Offsets = Readonly<
	Record<
		'chunkKlass' | 'tail' | 'parent' | 'size' | 'sp' | 'bottom' | 'argumentSize' | 'lockStackSize' | 'stack',
		number
	>
>;

/** Words of a ContinuationEntry searched for the Continuation object; on 25 it is the third (continuationEntry.hpp). */
const entryWords = 6;

/** Each yield at a greater depth may add a chunk. */
const chunkLimit = 64;

/**
First release in which an unmounted thread's lock stack is in its chunk (JEP 491), at most 8 objects; index of the
injected field with their number (STACKCHUNK_INJECTED_FIELDS in javaClasses.hpp).
*/
const firstWithLockStack = 24;
const lockStackSizeField = 4;
const lockStackLimit = 8;

const chunkSignature = 'Ljdk/internal/vm/StackChunk;';

/** A chunk of a thread with the largest usual stack, 1 MB. */
const maxChunkWords = 1 << 17;

/**
Reads the frames of virtual threads in the heap. When a virtual thread resumes, only its topmost frames return to the
stack; the others remain in a chunk until it returns to them (stackChunkOop.hpp, continuationFreezeThaw.cpp).
*/
export class Continuations {
	readonly #jvm: Jvm;
	readonly #frames = new FrameBuffer();
	readonly #stack = new StackCopy();
	/** Index of the Continuation object in a ContinuationEntry; 0 until found. */
	#entryWord = 0;
	#offsets?: Offsets;
	/** Frozen stacks by their frames; and the number made so far, the last id. */
	readonly #stacks = new Map<string, FrozenStack>();
	#stackCount = 0;

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
			return this.#position(this.#tailOf(continuation));
		}, undefined);
	}

	/** Returns the frames in the heap, valid until the next call; undefined if unreadable or changed since `locate`. */
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
	readFrozen(continuation: number): FrozenRead | undefined {
		return ifReadable(() => {
			this.#frames.count = 0;
			let [checksum, first] = [0, 0];
			let locked: readonly number[] = [];
			let chunk = this.#tailOf(continuation);
			for (let left = chunkLimit; chunk !== 0 && left > 0; left--) {
				this.#offsets ??= this.#findOffsets(continuation);
				const {low, base, sp, parent} = this.#position(chunk);
				locked = first === 0 ? this.#lockStack(chunk, this.#offsets) : locked;
				first = first === 0 ? chunk : first;
				if (low < base) {
					this.#stack.load(this.#jvm.memory, low - 16, base);
					this.#walkChunk(low, base);
					checksum = Math.imul(checksum, 31) + this.#stack.checksum();
					if (!this.#isStillAt(chunk, sp)) {
						// The thread has run meanwhile.
						fail();
					}
				}

				chunk = parent;
			}

			return {stack: this.#frozenStack(), chunk: first, checksum, locked};
		}, undefined);
	}

	/** Returns the objects of a chunk's lock stack, each twice: with ZGC its pointer may be coloured or not. */
	#lockStack(chunk: number, {lockStackSize, stack}: Offsets): readonly number[] {
		const {heap, vm} = this.#jvm;
		const count = has(lockStackSize) ? vm.reader.u8(chunk + lockStackSize) : 0;
		return count > lockStackLimit
			? []
			: Array.from({length: count}, (_, index) => chunk + stack + (8 * index))
				.flatMap(address => [heap.uncolouredReference(address), heap.wideReference(address)]);
	}

	/** Returns the first chunk of a Continuation; 0 if it has none. Needs no `#offsets`, which are found by a chunk. */
	#tailOf(continuation: number): number {
		const {heap} = this.#jvm;
		return heap.reference(continuation
			+ (this.#offsets?.tail ?? heap.requiredOffset(heap.klassOf(continuation), 'tail', chunkSignature)));
	}

	#isStillAt(chunk: number, sp: number): boolean {
		// `bytes` does not use the page cache, which may be older.
		const bytes = this.#jvm.vm.reader.bytes(chunk + (this.#offsets ?? fail()).sp, 4);
		return new DataView(bytes.buffer).getUint32(0, true) === sp;
	}

	#frozenStack(): FrozenStack {
		const frames = this.#frames.copy();
		return getOrCreate(
			bounded(this.#stacks, stackLimit),
			frames.join(','),
			() => ({id: ++this.#stackCount, frames}),
		);
	}

	#continuationOf(stack: StackCopy, entry: number): number {
		if (this.#entryWord !== 0) {
			// Pointers on the stack are never compressed or coloured.
			return stack.word(entry + (8 * this.#entryWord));
		}

		for (let word = 1; word < entryWords; word++) {
			const oop = ifReadable(() => stack.word(entry + (8 * word)), 0);
			const offsets = ifReadable(() => this.#findOffsets(oop), undefined);
			if (offsets) {
				this.#offsets = offsets;
				this.#entryWord = word;
				return oop;
			}
		}

		return fail();
	}

	/** Returns the offsets. Throws `Unreadable` if the object is not a Continuation. */
	#findOffsets(continuation: number): Offsets {
		const {heap, vm} = this.#jvm;
		const klass = heap.klassOf(continuation);
		if (![...heap.hierarchy(klass)].some(at => klassName(vm, at) === 'jdk.internal.vm.Continuation')) {
			fail();
		}

		const tail = heap.requiredOffset(klass, 'tail', chunkSignature);
		const chunkKlass = heap.klassOf(heap.reference(continuation + tail));
		const injected = heap.injectedOffsets(chunkKlass);
		return {
			chunkKlass,
			tail,
			parent: heap.requiredOffset(chunkKlass, 'parent', chunkSignature),
			size: heap.requiredOffset(chunkKlass, 'size', 'I'),
			sp: heap.requiredOffset(chunkKlass, 'sp', 'I'),
			bottom: heap.fieldOffset(chunkKlass, 'bottom', 'I'),
			argumentSize: heap.fieldOffset(chunkKlass, 'argsize', 'I'),
			lockStackSize: vm.release >= firstWithLockStack
				? injected.at(lockStackSizeField) ?? Number.NaN
				: Number.NaN,
			// The frames follow the object's fields; the layout helper is the instance size, with flags in its lowest
			// bits (klass.hpp).
			stack: Math.floor(vm.reader.u32(chunkKlass + vm.layout.fields.klassLayout) / 8) * 8,
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
		if (size > maxChunkWords || end > size || sp > size) {
			fail();
		}

		return {
			chunk,
			parent: this.#jvm.heap.reference(chunk + parent),
			sp,
			low: chunk + stack + (8 * sp),
			base: chunk + stack + (8 * end),
		};
	}

	/**
	Appends a chunk's frames. As walker.ts, but interpreted frames have relative links, in words (derelativize). The two
	words below a frame's stack pointer are its frame pointer and its code address.
	*/
	#walkChunk(low: number, base: number): void {
		const stack = this.#stack;
		let sp = low;
		let fpSlot = sp - 16;
		let pc = stack.returnAddress(sp - 8);
		while (sp < base) {
			const previous = sp;
			const {blob} = this.#jvm.code.lookUp(pc) ?? fail();
			if (blob.kind === 'interpreter') {
				const fp = fpSlot + (8 * stack.i32(fpSlot));
				this.#frames.push(interpretedFrame(this.#jvm, stack, fp));
				sp = fp + (8 * stack.i32(fp + slot.senderSp));
				fpSlot = fp;
				pc = sp < base ? stack.returnAddress(fp + slot.returnPc) : 0;
			} else {
				if (blob.kind === 'java' || blob.kind === 'native') {
					const at = blob.deoptHandlers.includes(pc) ? stack.word(sp + blob.origPcOffset) : pc;
					const {code} = this.#jvm;
					this.#frames.pushAll(code.frames(code.lookUp(at) ?? fail(), at, 'returnAddress'));
				}

				sp += blob.frameSize * 8;
				fpSlot = sp - 16;
				pc = sp < base ? stack.returnAddress(sp - 8) : 0;
			}

			if (sp <= previous) {
				fail();
			}
		}
	}
}
