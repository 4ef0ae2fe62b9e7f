import {type CodeCache} from '../hotspot/code-cache.js';
import {type Heap} from '../hotspot/heap.js';
import {has} from '../hotspot/layout.js';
import {klassName, type Methods} from '../hotspot/methods.js';
import {fail, ifReadable} from '../target/reader.js';
import {type Vm} from '../hotspot/vm.js';
import {bytecodeIndex, savedBytecode, slot} from './interpreted.js';
import {FrameBuffer, StackCopy} from './stack.js';

/** The position of a mounted virtual thread's frames in a heap chunk (jdk.internal.vm.StackChunk), as last read. */
export type ChunkPosition = {readonly chunk: number; readonly parent: number; readonly low: number; readonly base: number; readonly sp: number};

/** Field offsets of these classes, and the class of chunks. */
type Offsets = {readonly chunkKlass: number; readonly tail: number; readonly parent: number; readonly size: number; readonly sp: number; readonly bottom: number; readonly argumentSize: number; readonly stack: number};

/** Words of a ContinuationEntry searched for the Continuation object; on 25 it is the third (continuationEntry.hpp). */
const entryWords = 6;

/** Maximum number of chunks of a thread: one that yields at ever greater depth gets another each time. */
const chunkLimit = 64;

/** Maximum words of a chunk, 1 MB of frames. */
const chunkWords = 1 << 17;

/**
Reads the frames of virtual threads in the heap (24 and later). A virtual thread that resumes gets only its topmost
frames back on the stack; the others stay in a chunk until it returns to them (stackChunkOop.hpp,
continuationFreezeThaw.cpp).
*/
export class Continuations {
	readonly frames = new FrameBuffer();
	readonly #vm: Vm;
	readonly #heap: Heap;
	readonly #code: CodeCache;
	readonly #methods: Methods;
	readonly #stack = new StackCopy();
	#entryWord = 0;
	#offsets?: Offsets;

	constructor(vm: Vm, heap: Heap, code: CodeCache, methods: Methods) {
		this.#vm = vm;
		this.#heap = heap;
		this.#code = code;
		this.#methods = methods;
	}

	/**
	Finds the start of the heap part, quickly enough for a thread that is held; undefined if there is none or it is
	unreadable. `entry`: JavaThread._cont_entry, an address on the stack.
	*/
	locate(stack: StackCopy, entry: number): ChunkPosition | undefined {
		return ifReadable(() => {
			const continuation = this.#continuationOf(stack, entry);
			const offsets = this.#offsets ?? fail();
			return this.#position(this.#heap.reference(continuation + offsets.tail));
		}, undefined);
	}

	/**
	Fills `frames` with the frames in the heap, innermost first; false if they are unreadable or have changed since
	`locate`.
	*/
	walk(position: ChunkPosition): boolean {
		this.frames.count = 0;
		return ifReadable(() => {
			let next: ChunkPosition | undefined = position;
			for (let count = 0; next && count < chunkLimit; count++) {
				const {chunk, parent, sp, low, base}: ChunkPosition = next;
				if (low < base) {
					this.#stack.load(this.#vm.reader.memory, low - 16, base);
					this.#checkChunk(chunk);
					this.#walkChunk(low, base);
				}

				// Frames are thawed when the thread returns to them, and frozen when it yields again.
				if (this.#vm.reader.u32(chunk + (this.#offsets ?? fail()).sp) < sp) {
					return false;
				}

				next = parent === 0 ? undefined : this.#position(parent);
			}

			return next === undefined;
		}, false);
	}

	#continuationOf(stack: StackCopy, entry: number): number {
		if (this.#entryWord !== 0) {
			// Pointers on the stack are never compressed or coloured.
			return stack.word(entry + (8 * this.#entryWord));
		}

		for (let word = 1; word < entryWords; word++) {
			const oop = ifReadable(() => stack.word(entry + (8 * word)), 0);
			const isFound = ifReadable(() => {
				const klass = this.#continuationKlass(this.#heap.klassOf(oop));
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

	/** jdk.internal.vm.Continuation, for a class that is or extends it; otherwise 0. */
	#continuationKlass(klass: number): number {
		for (let at = klass, depth = 0; at !== 0 && depth < 4; depth++) {
			if (klassName(this.#vm, at) === 'jdk.internal.vm.Continuation') {
				return at;
			}

			at = this.#vm.reader.word(at + this.#vm.layout.fields.klassSuper);
		}

		return 0;
	}

	#findOffsets(klass: number, oop: number): Offsets {
		const heap = this.#heap;
		const tail = heap.fieldOffset(klass, 'tail', 'Ljdk/internal/vm/StackChunk;') ?? fail();
		const chunkKlass = heap.klassOf(heap.reference(oop + tail));
		const find = (name: string, signature: string) => heap.fieldOffset(chunkKlass, name, signature);
		return {
			chunkKlass, tail, parent: find('parent', 'Ljdk/internal/vm/StackChunk;') ?? fail(),
			size: find('size', 'I') ?? fail(), sp: find('sp', 'I') ?? fail(),
			bottom: find('bottom', 'I') ?? Number.NaN, argumentSize: find('argsize', 'I') ?? Number.NaN,
			// The frames follow the object's fields; the layout helper is the instance size, with flags in its lowest
			// bits (klass.hpp).
			stack: Math.floor(this.#vm.reader.u32(chunkKlass + this.#vm.layout.fields.klassLayout) / 8) * 8,
		};
	}

	/** Fails if there is no chunk at the address: ZGC moves objects before it updates fields. */
	#checkChunk(chunk: number): void {
		if (this.#heap.klassOf(chunk) !== this.#offsets?.chunkKlass) {
			fail();
		}
	}

	#position(chunk: number): ChunkPosition {
		this.#checkChunk(chunk);
		const {reader} = this.#vm;
		const {size: sizeOffset, sp: spOffset, parent, bottom, argumentSize, stack} = this.#offsets ?? fail();
		const size = reader.u32(chunk + sizeOffset);
		const sp = reader.u32(chunk + spOffset);
		// Up to 22 a chunk has the number of argument words after its frames; later ones have the end of the frames.
		const end = has(bottom) ? reader.u32(chunk + bottom) : size - reader.u32(chunk + argumentSize);
		if (size > chunkWords || end > size || sp > size) {
			fail();
		}

		return {chunk, parent: this.#heap.reference(chunk + parent), sp, low: chunk + stack + (8 * sp), base: chunk + stack + (8 * end)};
	}

	/**
	As in walker.ts, but links of interpreted frames in a chunk are relative, in words (frame_x86.inline.hpp,
	derelativize).
	*/
	#walkChunk(low: number, base: number): void {
		const stack = this.#stack;
		let sp = low;
		let fpSlot = sp - 16;
		let pc = stack.word(sp - 8);
		while (sp < base) {
			const previous = sp;
			const position = this.#code.lookUp(pc) ?? fail();
			const {blob} = position;
			if (blob.kind === 'interpreter') {
				const fp = fpSlot + (8 * relative(stack, fpSlot));
				const method = this.#methods.at(stack.word(fp + slot.method));
				this.frames.push(method.frame(bytecodeIndex(method, method.isNative ? 0 : savedBytecode(this.#vm, stack, fp))));
				sp = fp + (8 * relative(stack, fp + slot.senderSp));
				fpSlot = fp;
				pc = sp < base ? stack.word(fp + slot.returnPc) : 0;
			} else {
				if (blob.kind === 'java' || blob.kind === 'native') {
					const at = blob.deoptHandlers.includes(pc) ? stack.word(sp + blob.origPcOffset) : pc;
					for (const frame of this.#code.frames(this.#code.lookUp(at) ?? fail(), at, true)) {
						this.frames.push(frame);
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

/** A word of the stack as a small signed number. */
function relative(stack: StackCopy, at: number): number {
	const low = stack.word(at) % (2 ** 32);
	return low < 2 ** 31 ? low : low - (2 ** 32);
}
