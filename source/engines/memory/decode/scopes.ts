import {isInLoop, type Loop} from './loops.js';
import {Unsigned5} from './compressed.js';

/** A virtual frame: the method's metadata index (from 1) and its bytecode index (-1: entry, where it may lock). */
export type Scope = {readonly method: number; readonly bci: number};

/** Maximum inlining depth: C2 inlines up to MaxInlineLevel (15), more through method handles and recursion. */
const depthLimit = 256;

const pcDescSize = 16;

/* A PcDesc table (pcDesc.hpp) is sorted by code offset and has sentinels. A scope offset of 0 means no scopes. */

/**
Returns the offset of the scopes for exactly this code offset (return addresses have an entry); 0 if there are none.
*/
export function scopeOffsetAt(pcDescs: Uint8Array, offset: number): number {
	const table = new PcDescs(pcDescs);
	const next = table.firstAtOrAfter(offset);
	return next < table.count && table.pc(next) === offset ? table.scope(next) : 0;
}

/**
Returns the offset of the next entry's scopes, as HotSpot does for an interrupted thread
(CompiledMethod::pc_desc_near). If that entry (a leaf call's, or the sentinel at the end) has none, returns those of the
nearest earlier entry that has scopes; 0 if none has.
*/
export function scopeOffsetNear(pcDescs: Uint8Array, offset: number): number {
	const table = new PcDescs(pcDescs);
	const next = table.firstAtOrAfter(offset);
	for (let index = Math.min(next, table.count - 1); index >= 0; index--) {
		const scope = table.scope(index);
		if (scope !== 0) {
			return scope;
		}
	}

	return 0;
}

/**
Returns the offset of the scopes for a return address. Leaf calls (array copy stubs, C++ code that reads the clock) have
no scopes; they are treated as interrupted, so that they are not mapped to code after their loop.
*/
export function scopeOffsetAfterCall(pcDescs: Uint8Array, offset: number, loops: () => readonly Loop[]): number {
	return scopeOffsetAt(pcDescs, offset) || scopeOffsetInLoop(pcDescs, offset - 1, loops());
}

/** Returns the number of entries with scopes. */
export function scopeCount(pcDescs: Uint8Array): number {
	const table = new PcDescs(pcDescs);
	let scopes = 0;
	for (let index = 0; index < table.count; index++) {
		scopes += table.scope(index) === 0 ? 0 : 1;
	}

	return scopes;
}

/**
Returns the offset of the scopes for an interrupted address: in the smallest enclosing loop with scopes, the next
entry's, or without one the nearest earlier entry's; outside such loops as `scopeOffsetNear`. A counted loop needs no
entry, so the next entry may belong to code after it. `loops`: the code's loops, smallest first.
*/
export function scopeOffsetInLoop(pcDescs: Uint8Array, offset: number, loops: readonly Loop[]): number {
	const table = new PcDescs(pcDescs);
	const next = table.firstAtOrAfter(offset);
	for (const loop of loops.filter(around => isInLoop(around, offset))) {
		// A return address may be after the call's block; the byte before it is in that block.
		const isInThisLoop = (index: number) => table.scope(index) !== 0 && isInLoop(loop, table.pc(index) - 1);
		for (let index = next; index < table.count; index++) {
			if (isInThisLoop(index)) {
				return table.scope(index);
			}
		}

		for (let index = next - 1; index >= 0; index--) {
			if (isInThisLoop(index)) {
				return table.scope(index);
			}
		}
	}

	return scopeOffsetNear(pcDescs, offset);
}

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

	firstAtOrAfter(offset: number): number {
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

/** Decodes the virtual frames at an offset of the scope data (scopeDesc.cpp), innermost first. Throws `Unreadable`. */
export function decodeScopes(data: Uint8Array, offset: number, excludedBytes: number): Scope[] {
	return Array.from(
		scopesFrom(data, offset, excludedBytes),
		stream => ({method: stream.next(), bci: stream.next() - 1}),
	);
}

/** Generates the scopes, innermost first: for each, a stream positioned after its caller's offset. */
function * scopesFrom(data: Uint8Array, offset: number, excludedBytes: number): Generator<Unsigned5> {
	// Callers are written before the methods inlined into them, so offsets decrease; the check prevents endless loops.
	let previous = Number.POSITIVE_INFINITY;
	for (let depth = 0; offset !== 0 && offset < previous && depth < depthLimit; depth++) {
		const stream = new Unsigned5(data, excludedBytes, offset);
		previous = offset;
		offset = stream.next();
		yield stream;
	}
}

/**
Location of an object that a virtual frame has locked: bytes above the frame's stack pointer, and whether the pointer
there is compressed; undefined if it is not on the stack (a constant).
*/
export type ScopeMonitor = {readonly offset: number; readonly isNarrow: boolean} | undefined;

/** Bounds what invalid bytes can claim. */
const monitorLimit = 64;

/** Codes of values in scope data (debugInfo.cpp): at a location, or a constant object. */
const locationCode = 0;
const constantObjectCode = 2;

/** Bits of a location (location.hpp): type, register, offset in ints; and the type of an uncompressed pointer. */
const typeMask = 0xF;
const registerBit = 0x10;
const offsetShift = 5;
const fullPointer = 2;

/**
Decodes the monitors of each virtual frame, except eliminated ones: innermost frame first, as `decodeScopes`, but within
a frame outermost monitor first.
*/
export function decodeMonitors(
	data: Uint8Array,
	offset: number,
	excludedBytes: number,
): Array<readonly ScopeMonitor[]> {
	return Array.from(scopesFrom(data, offset, excludedBytes), stream => {
		// Skip method, bytecode index, locals and expressions (scopeDesc.cpp).
		for (let index = 0; index < 4; index++) {
			stream.next();
		}

		const monitorsOffset = stream.next();
		return monitorsOffset === 0 ? [] : monitorsAt(new Unsigned5(data, excludedBytes, monitorsOffset));
	});
}

function monitorsAt(stream: Unsigned5): ScopeMonitor[] {
	const monitors: ScopeMonitor[] = [];
	const count = Math.min(stream.next(), monitorLimit);
	for (let index = 0; index < count; index++) {
		// The lock word's location.
		stream.next();
		const code = stream.next();
		if (code !== locationCode && code !== constantObjectCode) {
			// A scalar-replaced object has a description of variable length.
			return monitors;
		}

		const value = stream.next();
		const isEliminated = stream.byte() !== 0;
		if (!isEliminated) {
			monitors.push(code === locationCode && (value & registerBit) === 0
				? {offset: (value >>> offsetShift) * 4, isNarrow: (value & typeMask) !== fullPointer}
				: undefined);
		}
	}

	return monitors;
}
