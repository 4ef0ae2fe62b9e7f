import {fail, ifReadable, type Reader} from '../target/reader.js';
import {type PartialFrame} from '../decode/prologue.js';
import {CodeBlob} from './code-blob.js';
import {has} from './layout.js';
import {type Methods} from './methods.js';
import {type Vm} from './vm.js';

/** `segments`: address of the segment map, which has a byte for each segment; `shift`: log2 of a segment's bytes. */
type CodeHeap = {readonly low: number; readonly high: number; readonly segments: number; readonly shift: number};

/**
A code address. `exact`, `near`: frame ids there, innermost first, if it is a return address, and if not; `frameState`:
the state of the frame past the prologue. All three are undefined until needed.
*/
export type CodeLocation = {readonly blob: CodeBlob; exact?: Int32Array; near?: Int32Array; frameState?: PartialFrame | 'complete'};

/** Maximum number of code heaps: HotSpot has up to three, some builds a few more. */
const heapLimit = 16;

/** Maximum number of code addresses and blobs cached; beyond this the cache is emptied. */
const locationLimit = 200_000;

/** Maximum bytes of cached debug information, checked every `checkEveryRounds`; beyond this it is discarded. */
const debugInfoLimit = 1 << 25;
const checkEveryRounds = 256;

const mapWindowBytes = 64;

/** Resolves code addresses to blobs and Java frames. Validates compiled methods once a round. */
export class CodeCache {
	/** Whether threads ran compiled code with debug information between safepoints (`some`), and without (`none`). */
	readonly #linesBetween = {some: false, none: false};
	#round = 0;
	#heaps: readonly CodeHeap[] | undefined;
	readonly #vm: Vm;
	readonly #methods: Methods;
	readonly #locations = new Map<number, CodeLocation>();
	readonly #blobs = new Map<number, CodeBlob>();
	readonly #window = new Uint8Array(mapWindowBytes);

	constructor(vm: Vm, methods: Methods) {
		this.#vm = vm;
		this.#methods = methods;
	}

	/** Starts a round (a sample), which reads the heaps' bounds again. Throws `Unreadable`. */
	beginSample(): void {
		this.#round++;
		this.#heaps = undefined;
		if (this.#locations.size > locationLimit || this.#blobs.size > locationLimit) {
			this.#locations.clear();
			this.#blobs.clear();
		}

		if (this.#round % checkEveryRounds === 0) {
			this.#trimDebugInfo();
		}
	}

	/**
	Returns a line about inexact line numbers; undefined if they are exact. Depends on the debug information of the code
	observed running; until some has been found, on the flag for code yet to be compiled.
	*/
	get linesFinding(): string | undefined {
		const {some, none} = this.#linesBetween;
		if (some || (this.#vm.flags.get('DebugNonSafepoints') ?? false)) {
			return none ? 'line numbers in code compiled before DebugNonSafepoints was set are approximate' : undefined;
		}

		return 'line numbers in compiled code are approximate';
	}

	isCode(pc: number): boolean {
		return this.#heapOf(pc) !== undefined;
	}

	/** Returns the location at a code address; undefined if there is no code. Throws `Unreadable`. */
	lookUp(pc: number): CodeLocation | undefined {
		const known = this.#locations.get(pc);
		if (known && this.#isCurrent(known.blob)) {
			return known;
		}

		const blob = this.#findBlob(pc);
		if (!blob) {
			return undefined;
		}

		const location = {blob};
		this.#locations.set(pc, location);
		return location;
	}

	/** Returns the frame ids at an address in a compiled method, innermost first. `exact`: it is a return address. */
	frames(location: CodeLocation, pc: number, exact: boolean): Int32Array {
		const known = exact ? location.exact : location.near;
		if (known) {
			return known;
		}

		const {blob} = location;
		if (!exact && blob.kind === 'java') {
			this.#noteLinesBetween(blob);
		}

		const scopes = blob.kind === 'java' ? blob.scopesAt(pc, exact) : [];
		// Without debug information (entry, exit, a native wrapper) the method itself is still known.
		const virtual = scopes.length > 0 ? scopes : [{method: blob.method, bci: 0}];
		if (blob.kind === 'native') {
			blob.isEnterSpecial = this.#methods.at(blob.method).isEnterSpecial;
		}

		const frames = Int32Array.from(virtual, ({method, bci}) => this.#methods.at(method).frame(bci));
		if (exact) {
			location.exact = frames;
		} else {
			location.near = frames;
		}

		return frames;
	}

	#noteLinesBetween(blob: CodeBlob): void {
		const hasLines = ifReadable(() => blob.hasLinesBetween(), undefined);
		this.#linesBetween.some ||= hasLines === true;
		this.#linesBetween.none ||= hasLines === false;
	}

	#trimDebugInfo(): void {
		let bytes = 0;
		for (const blob of this.#blobs.values()) {
			bytes += blob.debugInfoBytes;
			if (bytes > debugInfoLimit) {
				blob.forgetDebugInfo();
			}
		}
	}

	#isCurrent(blob: CodeBlob): boolean {
		if (blob.isMethod && !blob.isGone && blob.validatedInRound !== this.#round) {
			blob.validatedInRound = this.#round;
			if (!blob.isUnchanged()) {
				blob.isGone = true;
				blob.forgetDebugInfo();
				this.#blobs.delete(blob.address);
			}
		}

		return !blob.isGone;
	}

	#findBlob(pc: number): CodeBlob | undefined {
		const heap = this.#heapOf(pc);
		if (!heap) {
			return undefined;
		}

		const start = this.#blockStart(heap, Math.floor((pc - heap.low) / (2 ** heap.shift)));
		if (start < 0) {
			return undefined;
		}

		const address = heap.low + (start * (2 ** heap.shift)) + this.#vm.layout.sizes.heapBlock;
		const known = this.#blobs.get(address);
		const blob = known && this.#isCurrent(known) ? known : new CodeBlob(this.#vm, address);
		blob.validatedInRound = this.#round;
		this.#blobs.set(address, blob);
		return blob.contains(pc) ? blob : undefined;
	}

	#blockStart(heap: CodeHeap, segment: number): number {
		let windowStart = -1;
		return blockStart(index => {
			if (windowStart < 0 || index < windowStart) {
				windowStart = Math.max(0, index - mapWindowBytes + 1);
				const length = index - windowStart + 1;
				if (this.#vm.reader.memory.read(heap.segments + windowStart, this.#window, 0, length) !== length) {
					return -1;
				}
			}

			return this.#window[index - windowStart];
		}, segment);
	}

	#heapOf(pc: number): CodeHeap | undefined {
		this.#heaps ??= readHeaps(this.#vm);
		return this.#heaps.find(({low, high}) => pc >= low && pc < high);
	}
}

function readHeaps({reader, layout: {fields}}: Vm): CodeHeap[] {
	if (has(fields.codeHeap)) {
		return [readHeap(reader, fields, reader.pointer(fields.codeHeap))];
	}

	const list = reader.pointer(fields.codeHeaps);
	const length = reader.u32(list + fields.arrayLength);
	const data = reader.pointer(list + fields.arrayData);
	return length > heapLimit ? fail() : Array.from({length}, (_, index) => readHeap(reader, fields, reader.pointer(data + (8 * index))));
}

function readHeap(reader: Reader, fields: Vm['layout']['fields'], heap: number): CodeHeap {
	const memory = heap + fields.heapMemory;
	return {
		low: reader.pointer(memory + fields.spaceLow), high: reader.pointer(memory + fields.spaceHigh),
		segments: reader.pointer(heap + fields.heapSegmentMap + fields.spaceLow),
		shift: Math.min(reader.u32(heap + fields.heapSegmentShift), 20),
	};
}

/** CodeHeap::free_sentinel. */
const free = 0xFF;

/** Maximum steps: a blob of 16 MB has 262,144 segments of 64 bytes, and each step goes back by 1 to 254. */
const stepLimit = 300_000;

/**
Returns the index of the first segment of a segment's block; -1 if the segment is free or the map is invalid. Each byte
of the map is the number of segments back to another one of the block, 0 at its start (heap.cpp). `byteAt`: returns the
map's byte at an index, -1 if unreadable.
*/
export function blockStart(byteAt: (index: number) => number, segment: number): number {
	for (let step = 0, index = segment; step < stepLimit; step++) {
		const byte = byteAt(index);
		if (byte === 0) {
			return index;
		}

		if (byte < 0 || byte === free || byte > index) {
			return -1;
		}

		index -= byte;
	}

	return -1;
}
