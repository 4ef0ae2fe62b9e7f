import {Unsigned5} from './unsigned5.js';

/**
A monitor that a virtual frame of a compiled method holds, by where its object is: so many bytes above the frame's stack
pointer, as a full or a narrow pointer; undefined where that is not on the stack (a constant).
*/
export type ScopeMonitor = {readonly offset: number; readonly isNarrow: boolean} | undefined;

/** Deepest inlining believed, see `decodeScopes`; and most monitors of a frame. */
const depthLimit = 256;
const monitorLimit = 64;

/** How values are told in scope data (debugInfo.cpp): at a location, or a constant object. */
const locationCode = 0;
const constantObjectCode = 2;

/** Bits of a location (location.hpp): its type, whether it is a register, and its offset in ints. */
const typeMask = 0xF;
const registerBit = 0x10;
const offsetShift = 5;
const fullPointer = 2;

/**
The monitors of each of the frames inlined into one another at an offset of the scope data, the innermost frame first,
each frame's outermost monitor first, without those that the compiler left out. Throws `Unreadable` on bytes that cannot
be scopes.
*/
export function decodeMonitors(data: Uint8Array, offset: number, excluded: number): Array<readonly ScopeMonitor[]> {
	const frames: Array<readonly ScopeMonitor[]> = [];
	let previous = Number.POSITIVE_INFINITY;
	while (offset !== 0 && offset < previous && frames.length < depthLimit) {
		const stream = new Unsigned5(data, excluded, offset);
		previous = offset;
		offset = stream.next();
		// Method, bytecode index, and where locals and expressions are told (scopeDesc.cpp).
		for (let skipped = 0; skipped < 4; skipped++) {
			stream.next();
		}

		const monitors = stream.next();
		frames.push(monitors === 0 ? [] : monitorsAt(new Unsigned5(data, excluded, monitors)));
	}

	return frames;
}

function monitorsAt(stream: Unsigned5): ScopeMonitor[] {
	const monitors: ScopeMonitor[] = [];
	const count = Math.min(stream.next(), monitorLimit);
	for (let index = 0; index < count; index++) {
		// Where the lock word is says nothing of the object.
		stream.next();
		const code = stream.next();
		if (code !== locationCode && code !== constantObjectCode) {
			// Objects that were never made are told in as many words as they have fields.
			return monitors;
		}

		const value = stream.next();
		const isEliminated = stream.byte() !== 0;
		if (!isEliminated) {
			monitors.push(code === locationCode && (value & registerBit) === 0 ? {offset: (value >>> offsetShift) * 4, isNarrow: (value & typeMask) !== fullPointer} : undefined);
		}
	}

	return monitors;
}
