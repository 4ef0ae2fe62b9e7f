import {Unsigned5} from './unsigned5.js';

/** One virtual frame of a compiled method: index into its metadata (from 1), and bytecode index (-1: at entry, for a synchronised method's lock). */
export type Scope = {readonly method: number; readonly bci: number};

/** Deepest inlining taken as true: C2 inlines at most MaxInlineLevel (15) levels, more through method handles and recursion. */
const depthLimit = 256;

const pcDescSize = 16;

/**
Where the scopes at a code offset begin, out of a table of PcDesc (pcDesc.hpp: pc offset, scope offset, object offset, flags; sorted; a sentinel at both ends).
`exact`: a return address, which has an entry of its own. Otherwise the next entry is taken, as HotSpot itself does for an interrupted thread (CompiledMethod::pc_desc_near), and before
an entry without scope (the end, or a leaf call) the last one that has a scope. 0 where there is none.
*/
export function scopeOffsetAt(pcDescs: Uint8Array, offset: number, exact: boolean): number {
	const view = new DataView(pcDescs.buffer, pcDescs.byteOffset, pcDescs.byteLength);
	const count = Math.floor(pcDescs.length / pcDescSize);
	let low = 0;
	let high = count;
	while (low < high) {
		const middle = (low + high) >>> 1;
		if (view.getInt32(middle * pcDescSize, true) < offset) {
			low = middle + 1;
		} else {
			high = middle;
		}
	}

	if (exact) {
		return low < count && view.getInt32(low * pcDescSize, true) === offset ? view.getInt32((low * pcDescSize) + 4, true) : 0;
	}

	for (let index = Math.min(low, count - 1); index >= 0; index--) {
		const scope = view.getInt32((index * pcDescSize) + 4, true);
		if (scope !== 0) {
			return scope;
		}
	}

	return 0;
}

/** Decodes the frames inlined into one another at an offset of the scope data, the innermost first (scopeDesc.cpp). Throws `Unreadable` on bytes that cannot be scopes. */
export function decodeScopes(data: Uint8Array, offset: number, excluded: number): Scope[] {
	const scopes: Scope[] = [];
	// A sender is written before what is inlined into it, so offsets only fall; a lie that loops ends here.
	let previous = Number.POSITIVE_INFINITY;
	while (offset !== 0 && offset < previous && scopes.length < depthLimit) {
		const stream = new Unsigned5(data, excluded, offset);
		previous = offset;
		offset = stream.next();
		scopes.push({method: stream.next(), bci: stream.next() - 1});
	}

	return scopes;
}
