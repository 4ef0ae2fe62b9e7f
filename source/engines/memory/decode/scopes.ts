import {isInLoop, type Loop} from './loops.js';
import {Unsigned5} from './unsigned5.js';

/**
One virtual frame of a compiled method: index into its metadata (from 1), and bytecode index (-1: at entry, for a
synchronised method's lock).
*/
export type Scope = {readonly method: number; readonly bci: number};

/**
Deepest inlining believed: C2 inlines at most MaxInlineLevel (15) levels, more through method handles and recursion.
*/
const depthLimit = 256;

const pcDescSize = 16;

/**
Where the scopes for a code offset begin, from a table of PcDesc (pcDesc.hpp: pc offset, scope offset, object offset,
flags; sorted; a sentinel at both ends). `exact`: a return address, which has an entry of its own. Otherwise the next
entry is taken, as HotSpot itself does for an interrupted thread (CompiledMethod::pc_desc_near), and if that has no
scope (the end, or a leaf call) the last one before it that has. 0 if there is none.
*/
export function scopeOffsetAt(pcDescs: Uint8Array, offset: number, exact: boolean): number {
	const table = new PcDescs(pcDescs);
	const next = table.indexFrom(offset);
	if (exact) {
		return next < table.count && table.pc(next) === offset ? table.scope(next) : 0;
	}

	for (let index = Math.min(next, table.count - 1); index >= 0; index--) {
		const scope = table.scope(index);
		if (scope !== 0) {
			return scope;
		}
	}

	return 0;
}

/**
Where the scopes for a return address begin. It has an entry of its own, unless it is that of a leaf call (of a stub that
copies arrays, or of C++ code that reads the clock), for which no thread can be held up: then as for a thread that was
interrupted at the call. The entry that comes next may be that of what follows the loop.
*/
export function scopeOffsetAfterCall(pcDescs: Uint8Array, offset: number, loops: () => readonly Loop[]): number {
	return scopeOffsetAt(pcDescs, offset, true) || scopeOffsetInLoop(pcDescs, offset - 1, loops());
}

/** How many entries in a table of PcDesc say which frames are there. */
export function scopeCount(pcDescs: Uint8Array): number {
	const table = new PcDescs(pcDescs);
	let scopes = 0;
	for (let index = 0; index < table.count; index++) {
		scopes += table.scope(index) === 0 ? 0 : 1;
	}

	return scopes;
}

/**
Where the scopes for an interrupted place begin, given the code's loops (the smallest first). The next entry may lie
after the loop that the thread is in, at a call to another method: a counted loop needs no entry of its own. So we take
the next entry in the smallest loop around the place that has any, or else the last one in it; without such a loop, the
one that `scopeOffsetAt` gives.
*/
export function scopeOffsetInLoop(pcDescs: Uint8Array, offset: number, loops: readonly Loop[]): number {
	const table = new PcDescs(pcDescs);
	const next = table.indexFrom(offset);
	for (const loop of loops.filter(around => isInLoop(around, offset))) {
		// A return address may lie after the block of the call; the byte before it is in that block.
		const isOfLoop = (index: number) => table.scope(index) !== 0 && isInLoop(loop, table.pc(index) - 1);
		for (let index = next; index < table.count; index++) {
			if (isOfLoop(index)) {
				return table.scope(index);
			}
		}

		for (let index = next - 1; index >= 0; index--) {
			if (isOfLoop(index)) {
				return table.scope(index);
			}
		}
	}

	return scopeOffsetAt(pcDescs, offset, false);
}

/** A table of PcDesc. */
class PcDescs {
	readonly count: number;
	readonly #view: DataView;

	constructor(bytes: Uint8Array) {
		this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
		this.count = Math.floor(bytes.length / pcDescSize);
	}

	pc(index: number): number {
		return this.#view.getInt32(index * pcDescSize, true);
	}

	scope(index: number): number {
		return this.#view.getInt32((index * pcDescSize) + 4, true);
	}

	/** Index of the first entry at or after a code offset. */
	indexFrom(offset: number): number {
		let low = 0;
		let high = this.count;
		while (low < high) {
			const middle = (low + high) >>> 1;
			if (this.pc(middle) < offset) {
				low = middle + 1;
			} else {
				high = middle;
			}
		}

		return low;
	}
}

/**
Decodes the frames inlined into one another at an offset of the scope data, the innermost first (scopeDesc.cpp). Throws
`Unreadable` on bytes that cannot be scopes.
*/
export function decodeScopes(data: Uint8Array, offset: number, excluded: number): Scope[] {
	const scopes: Scope[] = [];
	// A sender is written before what is inlined into it, so offsets only fall; a false chain that loops ends here.
	let previous = Number.POSITIVE_INFINITY;
	while (offset !== 0 && offset < previous && scopes.length < depthLimit) {
		const stream = new Unsigned5(data, excluded, offset);
		previous = offset;
		offset = stream.next();
		scopes.push({method: stream.next(), bci: stream.next() - 1});
	}

	return scopes;
}
