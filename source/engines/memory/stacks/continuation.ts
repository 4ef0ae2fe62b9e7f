import {type CodeCache} from '../hotspot/code-cache.js';
import {type Heap} from '../hotspot/heap.js';
import {has} from '../hotspot/layout.js';
import {klassName, type Methods} from '../hotspot/methods.js';
import {fail, Unreadable} from '../process/reader.js';
import {type Vm} from '../hotspot/vm.js';
import {FrameBuffer} from './frame-buffer.js';
import {bytecodeIndex, savedBytecode, slot} from './interpreted.js';
import {StackCopy} from './stack.js';

/**
Where those frames of a mounted virtual thread are that are still in the heap: a chunk (jdk.internal.vm.StackChunk) and
the frames' place in it at the moment it was looked at.
*/
export type ChunkPlace = {readonly chunk: number; readonly parent: number; readonly low: number; readonly base: number; readonly sp: number};

/** Where the fields of these classes are. */
type Offsets = {readonly tail: number; readonly parent: number; readonly size: number; readonly sp: number; readonly bottom: number; readonly argumentSize: number; readonly stack: number};

/**
Words of a ContinuationEntry among which the one with the Continuation object is looked for; it is the third on 25
(continuationEntry.hpp).
*/
const entryWords = 6;

/** Most chunks of one thread: a thread that yields at ever greater depth gets another one each time. */
const chunkLimit = 64;

/** Most words of one chunk, 1 MB of frames. */
const chunkWords = 1 << 17;

/**
The heap part of virtual threads (24 and later). When a virtual thread resumes after a wait, only its topmost frames
come back to the stack; the others stay in a chunk in the heap until the thread returns to them (stackChunkOop.hpp,
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
	Looks where the heap part begins now, quickly enough for a thread that is held; `entry`: JavaThread._cont_entry,
	which lies on the stack. Undefined if there is none or it cannot be read.
	*/
	locate(stack: StackCopy, entry: number): ChunkPlace | undefined {
		try {
			const continuation = this.#continuationOf(stack, entry);
			const offsets = this.#offsets ?? fail();
			return this.#place(this.#heap.reference(continuation + offsets.tail));
		} catch (error) {
			ignore(error);
		}
	}

	/**
	Fills `frames` with what the heap holds, innermost first; false when the frames cannot be read, or were changed
	since they were located.
	*/
	walk(place: ChunkPlace): boolean {
		this.frames.count = 0;
		try {
			let next: ChunkPlace | undefined = place;
			for (let count = 0; next && count < chunkLimit; count++) {
				const {chunk, parent, sp, low, base}: ChunkPlace = next;
				if (low < base) {
					this.#stack.load(this.#vm.reader.memory, low - 16, base);
					this.#walkChunk(low, base);
				}

				// Frames are taken from the chunk while the thread returns to them, and new ones are put there when it
				// waits again.
				if (this.#vm.reader.u32(chunk + (this.#offsets ?? fail()).sp) < sp) {
					return false;
				}

				next = parent === 0 ? undefined : this.#place(parent);
			}

			return next === undefined;
		} catch (error) {
			ignore(error);
			return false;
		}
	}

	#continuationOf(stack: StackCopy, entry: number): number {
		if (this.#entryWord !== 0) {
			return this.#entryReference(stack, entry, this.#entryWord);
		}

		for (let word = 1; word < entryWords; word++) {
			try {
				const oop = this.#entryReference(stack, entry, word);
				const klass = this.#continuationKlass(this.#heap.klassOf(oop));
				if (klass !== 0) {
					this.#offsets = this.#findOffsets(klass, oop);
					this.#entryWord = word;
					return oop;
				}
			} catch (error) {
				ignore(error);
			}
		}

		return fail();
	}

	/** A pointer on the stack is never compressed and never coloured. */
	#entryReference(stack: StackCopy, entry: number, word: number): number {
		return stack.word(entry + (8 * word));
	}

	/** jdk.internal.vm.Continuation itself, for a class that is or extends it; otherwise 0. */
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
			tail, parent: find('parent', 'Ljdk/internal/vm/StackChunk;') ?? fail(),
			size: find('size', 'I') ?? fail(), sp: find('sp', 'I') ?? fail(),
			bottom: find('bottom', 'I') ?? Number.NaN, argumentSize: find('argsize', 'I') ?? Number.NaN,
			// The frames follow the object's fields: the layout helper is the size of an instance, its lowest bits are
			// flags (klass.hpp).
			stack: Math.floor(this.#vm.reader.u32(chunkKlass + this.#vm.layout.fields.klassLayout) / 8) * 8,
		};
	}

	#place(chunk: number): ChunkPlace {
		const {reader} = this.#vm;
		const {size: sizeOffset, sp: spOffset, parent, bottom, argumentSize, stack} = this.#offsets ?? fail();
		const size = reader.u32(chunk + sizeOffset);
		const sp = reader.u32(chunk + spOffset);
		// Up to 22 a chunk says how many words of arguments follow its frames; later ones say where the frames end.
		const end = has(bottom) ? reader.u32(chunk + bottom) : size - reader.u32(chunk + argumentSize);
		if (size > chunkWords || end > size || sp > size) {
			fail();
		}

		return {chunk, parent: this.#heap.reference(chunk + parent), sp, low: chunk + stack + (8 * sp), base: chunk + stack + (8 * end)};
	}

	/**
	As in walker.ts, but the links of interpreted frames in a chunk are relative, in words (frame_x86.inline.hpp,
	derelativize).
	*/
	#walkChunk(low: number, base: number): void {
		const stack = this.#stack;
		let sp = low;
		let fpSlot = sp - 16;
		let pc = stack.word(sp - 8);
		while (sp < base) {
			const previous = sp;
			const place = this.#code.lookUp(pc) ?? fail();
			const {blob} = place;
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

/** A small signed number in a word of the stack. */
function relative(stack: StackCopy, at: number): number {
	const low = stack.word(at) % (2 ** 32);
	return low < 2 ** 31 ? low : low - (2 ** 32);
}

function ignore(error: unknown): undefined {
	if (!(error instanceof Unreadable)) {
		throw error;
	}

	return undefined;
}
