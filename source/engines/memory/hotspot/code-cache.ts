import {blockStart} from '../decode/segment-map.js';
import {fail, type Reader, Unreadable} from '../process/reader.js';
import {type PartialFrame} from '../stacks/prologue.js';
import {CodeBlob} from './code-blob.js';
import {has} from './layout.js';
import {type Methods} from './methods.js';
import {Rechecks} from './rechecks.js';
import {type Vm} from './vm.js';

type CodeHeap = {readonly low: number; readonly high: number; readonly segments: number; readonly shift: number};

/**
What is known of a code address. `frames`: the ids of a compiled method's frames there, innermost first; undefined until
asked for. `leaving`: what is left of its frame there, `complete` where it all is; undefined until looked for.
*/
export type CodePlace = {readonly blob: CodeBlob; exact?: Int32Array; near?: Int32Array; leaving?: PartialFrame | 'complete'};

/** Most code heaps: HotSpot has up to three, some builds a few more. */
const heapLimit = 16;

/** Places and blobs kept at most; beyond this the cache starts again from nothing. */
const placeLimit = 200_000;

/**
Most debug information kept, bytes; it is counted once every so many rounds. Beyond this it is forgotten and read again
as needed: by then most places that matter are known.
*/
const debugInfoLimit = 1 << 25;
const countEveryRounds = 256;

/** Bytes of the segment map read at a time, backwards. */
const mapWindow = 64;

/**
Looks up code addresses: which blob, and which Java frames. Compiled methods are checked once a round, since they come
and go.
*/
export class CodeCache {
	/**
	Whether running threads were found in compiled code that has debug information between safepoints, and in code that
	has not.
	*/
	readonly linesBetween = {some: false, none: false};
	#round = 0;
	/** Read when a round first asks for them: most rounds have no code to look up. */
	#heaps: readonly CodeHeap[] | undefined;
	readonly #vm: Vm;
	readonly #methods: Methods;
	readonly #places = new Map<number, CodePlace>();
	readonly #blobs = new Map<number, CodeBlob>();
	readonly #window = new Uint8Array(mapWindow);
	readonly #rechecks: Rechecks<CodeBlob>;

	constructor(vm: Vm, methods: Methods) {
		this.#vm = vm;
		this.#methods = methods;
		this.#rechecks = new Rechecks(vm.reader.memory);
	}

	/** Starts a round (a sample); reads the heaps' bounds, which grow. Throws `Unreadable`. */
	nextRound(): void {
		this.#round++;
		this.#rechecks.nextRound();
		this.#heaps = undefined;
		if (this.#places.size > placeLimit || this.#blobs.size > placeLimit) {
			this.#places.clear();
			this.#blobs.clear();
		}

		if (this.#round % countEveryRounds === 0) {
			this.#boundDebugInfo();
		}
	}

	/** Whether an address lies in a code heap at all. */
	isCode(pc: number): boolean {
		return this.#heapOf(pc) !== undefined;
	}

	/** What is at a code address; undefined where there is no code. Throws `Unreadable`. */
	lookUp(pc: number): CodePlace | undefined {
		const known = this.#places.get(pc);
		if (known && this.#isCurrent(known.blob)) {
			return known;
		}

		const blob = this.#findBlob(pc);
		if (!blob) {
			return undefined;
		}

		const place = {blob};
		this.#places.set(pc, place);
		return place;
	}

	/** Frame ids at a place in a compiled method, innermost first. `exact`: a return address. Throws `Unreadable`. */
	frames(place: CodePlace, pc: number, exact: boolean): Int32Array {
		const known = exact ? place.exact : place.near;
		if (known) {
			return known;
		}

		const {blob} = place;
		if (!exact && blob.kind === 'java') {
			this.#noteLines(blob);
		}

		const scopes = blob.kind === 'java' ? blob.scopesAt(pc, exact) : [];
		// Without debug information there (entry, exit, a native wrapper) at least the method itself is certain.
		const virtual = scopes.length > 0 ? scopes : [{method: blob.method, bci: 0}];
		if (blob.kind === 'native') {
			blob.isEnterSpecial = this.#methods.at(blob.method).isEnterSpecial;
		}

		const frames = Int32Array.from(virtual, ({method, bci}) => this.#methods.at(method).frame(bci));
		if (exact) {
			place.exact = frames;
		} else {
			place.near = frames;
		}

		return frames;
	}

	#noteLines(blob: CodeBlob): void {
		try {
			const hasLines = blob.hasLinesBetween();
			this.linesBetween.some ||= hasLines === true;
			this.linesBetween.none ||= hasLines === false;
		} catch (error) {
			if (!(error instanceof Unreadable)) {
				throw error;
			}
		}
	}

	#boundDebugInfo(): void {
		let bytes = 0;
		for (const blob of this.#blobs.values()) {
			bytes += blob.debugInfoBytes;
			if (bytes > debugInfoLimit) {
				blob.forgetDebugInfo();
			}
		}
	}

	#isCurrent(blob: CodeBlob): boolean {
		if (blob.isMethod && !blob.isGone && !this.#rechecks.isSame(blob)) {
			blob.isGone = true;
			blob.forgetDebugInfo();
			this.#blobs.delete(blob.address);
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
		const blob = known && this.#isCurrent(known) ? known : this.#newBlob(address);
		return blob.contains(pc) ? blob : undefined;
	}

	#newBlob(address: number): CodeBlob {
		const blob = new CodeBlob(this.#vm, address);
		if (blob.isMethod) {
			this.#rechecks.isNew(blob);
		}

		this.#blobs.set(address, blob);
		return blob;
	}

	#blockStart(heap: CodeHeap, segment: number): number {
		let windowStart = -1;
		return blockStart(index => {
			if (windowStart < 0 || index < windowStart) {
				windowStart = Math.max(0, index - mapWindow + 1);
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
		for (const heap of this.#heaps) {
			if (pc >= heap.low && pc < heap.high) {
				return heap;
			}
		}

		return undefined;
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
