import {safe, type Printable} from '../../../util/printable.js';
import {sumOf} from '../../../util/sum.js';
import {fail, ifReadable, type Reader} from '../target/memory-reader.js';
import {type TopFrameState} from '../arch/architecture.js';
import {callsNothing} from './call-site.js';
import {BlobIdentities} from './blob-identity.js';
import {CodeBlob} from './code-blob.js';
import {has} from './layout.js';
import {type Methods} from './methods.js';
import {type Vm} from './vm.js';

/**
`low` to `end`: its reserved addresses; `high`: address of the pointer to where those end that are committed;
`segments`: address of the segment map, which has a byte for each segment; `shift`: log2 of a segment's bytes.
*/
type CodeHeap = Readonly<Record<'low' | 'end' | 'segments' | 'shift' | 'high', number>>;

/** Whether a code address is a call's return address, or the program counter of an interrupted thread. */
export type PcKind = 'returnAddress' | 'interrupted';

/**
A kind of call. `leaf`: by compiled code without debug information there, or by a stub with a frame; `other`: another
one by compiled code; `none`: no call.
*/
export type ReturnKind = 'leaf' | 'interpreter' | 'other' | 'none';

/**
A code address. `frames`: ids of the Java frames there, innermost first; `called`: the name of the method that the
innermost one calls, if it is a return address (`calledBy`); `topFrame`: for an address past the prologue, the state of
the frame of a thread interrupted there; `pushed`, `stubFrame`: see `Architecture`, null for undefined; `returnKind`: of
the call before it. All but `blob` are set when first needed.
*/
export type CodeLocation = {
	readonly blob: CodeBlob;
	readonly frames: Partial<Record<PcKind, Int32Array>>;
	called?: string;
	topFrame?: TopFrameState;
	pushed?: number;
	stubFrame?: TopFrameState | null;
	returnKind?: ReturnKind;
};

/** Maximum number of code heaps: HotSpot has up to three, some builds a few more. */
const heapLimit = 16;

/** Maximum number of code addresses and blobs cached; beyond this the cache is emptied. */
const locationLimit = 200_000;

/**
Maximum bytes of cached debug information: larger, the cache is emptied. Checked every `checkEverySamples` samples.
*/
const debugInfoLimit = 1 << 25;
const checkEverySamples = 256;

/** Bytes of a segment map that are read at once. */
const mapWindowBytes = 64;

/** With fewer compiled methods to check, reads one by one cost less than finding them in a stack. */
const fewUnchecked = 4;

/** Bytes of code read at an address; a prologue has up to 40. */
const codeWindowBytes = 64;

/**
Resolves code addresses to blobs and Java frames. Checks once a sample whether a compiled method is still there: those
of a stack in one read (unwind/check-stack.ts).
*/
export class CodeCache {
	/** Whether `check` is worth its while for the next stack. */
	hasUnchecked = true;
	/** Whether threads ran compiled code with exact lines (debug information also between safepoints), and without. */
	readonly #observedLines = {exact: false, approximate: false};
	#sampleNumber = 0;
	#cachedHeaps: readonly CodeHeap[] | undefined;
	#cachedBounds: {readonly low: number; readonly end: number} | undefined;
	readonly #vm: Vm;
	readonly #methods: Methods;
	/** By offset from `bounds.low`: V8 finds small numbers faster than addresses. */
	readonly #locations = new Map<number, CodeLocation>();
	readonly #blobs = new Map<number, CodeBlob>();
	readonly #identities: BlobIdentities;
	readonly #window = new Uint8Array(mapWindowBytes);
	readonly #bytes = new Uint8Array(codeWindowBytes);

	constructor(vm: Vm, methods: Methods) {
		this.#vm = vm;
		this.#methods = methods;
		this.#identities = new BlobIdentities(vm);
	}

	/** Begins a sample, in which each compiled method is checked once when it is first used. */
	beginSample(): void {
		this.#sampleNumber++;
		this.hasUnchecked = true;
		if (this.#locations.size > locationLimit || this.#blobs.size > locationLimit) {
			this.#locations.clear();
			this.#blobs.clear();
		}

		if (this.#sampleNumber % checkEverySamples === 0) {
			this.#trimDebugInfo();
		}
	}

	/**
	Returns a line about inexact line numbers; undefined if they are exact. Depends on the debug information of the code
	observed running; until some has been found, on the flag for code yet to be compiled.
	*/
	get lineNote(): Printable | undefined {
		const {exact, approximate} = this.#observedLines;
		if (exact || (this.#vm.flags.get('DebugNonSafepoints') ?? false)) {
			return approximate
				? safe`line numbers in code compiled before DebugNonSafepoints was set are approximate`
				: undefined;
		}

		return safe`line numbers in compiled code are approximate`;
	}

	/**
	Checks the compiled methods that are known to be at these addresses, in one read. The stacks of a sample share most
	of their methods: once a stack had few that were unchecked, those of later ones are left to `lookUp`.
	*/
	check(pcs: readonly number[]): void {
		const unchecked: CodeBlob[] = [];
		for (const pc of pcs) {
			const blob = this.known(pc)?.blob;
			if (blob && this.#needsCheck(blob)) {
				blob.validatedInSample = this.#sampleNumber;
				unchecked.push(blob);
			}
		}

		this.#findGone(unchecked);
		this.hasUnchecked = unchecked.length >= fewUnchecked;
	}

	/** Returns what is known of a code address, unchecked; undefined if it was not looked up yet. */
	known(pc: number): CodeLocation | undefined {
		return this.#locations.get(pc - this.bounds.low);
	}

	/** All code is from `low` up to `end`. */
	get bounds(): {readonly low: number; readonly end: number} {
		this.#cachedBounds ??= {
			low: Math.min(...this.#heaps.map(heap => heap.low)),
			end: Math.max(...this.#heaps.map(heap => heap.end)),
		};
		return this.#cachedBounds;
	}

	/** Returns the bytes of all code heaps that are committed and reserved. Throws `Unreadable`. */
	sizes(): {readonly committed: number; readonly reserved: number} {
		return {
			committed: sumOf(this.#heaps, ({low, high}) => this.#vm.reader.pointer(high) - low),
			reserved: sumOf(this.#heaps, ({low, end}) => end - low),
		};
	}

	/** Returns 64 bytes of code at an address, zero where unreadable; valid until the next call. */
	bytesAt(address: number): Uint8Array {
		this.#bytes.fill(0);
		this.#vm.reader.memory.read(address, this.#bytes, 0, codeWindowBytes);
		return this.#bytes;
	}

	isCode(pc: number): boolean {
		return this.#heapOf(pc) !== undefined;
	}

	/** Returns the location at a code address; undefined if there is no code. Throws `Unreadable`. */
	lookUp(pc: number): CodeLocation | undefined {
		const cachedLocation = this.#locations.get(pc - this.bounds.low);
		if (cachedLocation && this.#isCurrent(cachedLocation.blob)) {
			return cachedLocation;
		}

		const blob = this.#findBlob(pc);
		if (!blob) {
			return undefined;
		}

		const location: CodeLocation = {blob, frames: {}};
		this.#locations.set(pc - this.bounds.low, location);
		return location;
	}

	/** Returns the frame ids at an address in a compiled method, innermost first. */
	frames(location: CodeLocation, pc: number, kind: PcKind): Int32Array {
		const {blob, frames} = location;
		const cachedIds = frames[kind];
		if (cachedIds) {
			return cachedIds;
		}

		if (kind === 'interrupted' && blob.kind === 'java') {
			this.#noteLines(blob);
		}

		const scopes = blob.kind === 'java' ? blob.scopesAt(pc, kind === 'returnAddress') : [];
		// Without debug information (entry, exit, a native wrapper) the method itself is still known.
		const virtual = scopes.length > 0 ? scopes : [{method: blob.method, bci: 0}];
		if (blob.kind === 'native') {
			blob.isEnterSpecial = this.#methods.at(blob.method).isEnterSpecial;
		}

		this.#methods.check(virtual.map(({method}) => method));
		const ids = Int32Array.from(virtual, ({method, bci}) => this.#methods.at(method).frame(bci));
		frames[kind] = ids;
		if (kind === 'returnAddress') {
			// A return address without debug information is that of a leaf call.
			const isCall = blob.kind === 'native' || blob.isSafepoint(pc);
			location.called = isCall ? this.#methods.at(virtual[0].method).called(virtual[0].bci) : callsNothing;
		}

		return ids;
	}

	#noteLines(blob: CodeBlob): void {
		if (blob.hasNotedLines) {
			return;
		}

		blob.hasNotedLines = true;
		const isExact = ifReadable(() => blob.hasLinesBetweenSafepoints(), undefined);
		this.#observedLines.exact ||= isExact === true;
		this.#observedLines.approximate ||= isExact === false;
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

	/** Whether a blob is still what it was when it was decoded. */
	#isCurrent(blob: CodeBlob): boolean {
		if (this.#needsCheck(blob)) {
			blob.validatedInSample = this.#sampleNumber;
			this.#findGone([blob]);
		}

		return !blob.isGone;
	}

	#needsCheck({isMethod, isGone, validatedInSample}: CodeBlob): boolean {
		return isMethod && !isGone && validatedInSample !== this.#sampleNumber;
	}

	/** Marks those compiled methods as gone that are no longer at their addresses. */
	#findGone(blobs: readonly CodeBlob[]): void {
		for (const blob of this.#identities.changed(blobs)) {
			blob.isGone = true;
			blob.forgetDebugInfo();
			this.#blobs.delete(blob.address);
		}
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
		const cachedBlob = this.#blobs.get(address);
		const blob = cachedBlob && this.#isCurrent(cachedBlob) ? cachedBlob : new CodeBlob(this.#vm, address);
		blob.validatedInSample = this.#sampleNumber;
		this.#blobs.set(address, blob);
		return blob.contains(pc) ? blob : undefined;
	}

	/** As the function `blockStart`, for a heap's segment map. */
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
		for (const heap of this.#heaps) {
			if (pc >= heap.low && pc < heap.end) {
				return heap;
			}
		}

		return undefined;
	}

	/** Reserved when the JVM starts, so they never change. */
	get #heaps(): readonly CodeHeap[] {
		this.#cachedHeaps ??= readHeaps(this.#vm);
		return this.#cachedHeaps;
	}
}

function readHeaps({reader, layout: {fields}}: Vm): CodeHeap[] {
	if (has(fields.codeHeap)) {
		return [readHeap(reader, fields, reader.pointer(fields.codeHeap))];
	}

	const list = reader.pointer(fields.codeHeaps);
	const length = reader.u32(list + fields.arrayLength);
	const data = reader.pointer(list + fields.arrayData);
	return length > heapLimit
		? fail()
		: Array.from({length}, (_, index) => readHeap(reader, fields, reader.pointer(data + (8 * index))));
}

/** Maximum log2 of a segment's bytes: bounds what invalid data can claim. */
const maxSegmentShift = 20;

function readHeap(reader: Reader, fields: Vm['layout']['fields'], heap: number): CodeHeap {
	const memory = heap + fields.heapMemory;
	return {
		low: reader.pointer(memory + fields.spaceLow),
		high: memory + fields.spaceHigh,
		end: reader.pointer(memory + fields.spaceEnd),
		segments: reader.pointer(heap + fields.heapSegmentMap + fields.spaceLow),
		shift: Math.min(reader.u32(heap + fields.heapSegmentShift), maxSegmentShift),
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
