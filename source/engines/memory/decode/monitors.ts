import {Unsigned5} from './unsigned5.js';

/**
A monitor held by a virtual frame, by the location of its object: bytes above the frame's stack pointer, as a full or a
narrow pointer; undefined if it is not on the stack (a constant).
*/
export type ScopeMonitor = {readonly offset: number; readonly isNarrow: boolean} | undefined;

/** Maximum inlining depth, see `decodeScopes`; and maximum monitors of a frame. */
const depthLimit = 256;
const monitorLimit = 64;

/** Kinds of values in scope data (debugInfo.cpp): at a location, or a constant object. */
const locationCode = 0;
const constantObjectCode = 2;

/** Bits of a location (location.hpp): type, in a register, offset in ints. */
const typeMask = 0xF;
const registerBit = 0x10;
const offsetShift = 5;
const fullPointer = 2;

/**
The monitors of the inlined frames at an offset of the scope data, innermost frame first, outermost monitor first,
without eliminated ones. Throws `Unreadable` on invalid bytes.
*/
export function decodeMonitors(data: Uint8Array, offset: number, excluded: number): Array<readonly ScopeMonitor[]> {
	const frames: Array<readonly ScopeMonitor[]> = [];
	let previous = Number.POSITIVE_INFINITY;
	while (offset !== 0 && offset < previous && frames.length < depthLimit) {
		const stream = new Unsigned5(data, excluded, offset);
		previous = offset;
		offset = stream.next();
		// Method, bytecode index, locals and expressions (scopeDesc.cpp).
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
			monitors.push(code === locationCode && (value & registerBit) === 0 ? {offset: (value >>> offsetShift) * 4, isNarrow: (value & typeMask) !== fullPointer} : undefined);
		}
	}

	return monitors;
}
