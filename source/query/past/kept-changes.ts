import {deflateRawSync, inflateRawSync} from 'node:zlib';

/** What led from one moment to the next (deltas.ts), deflated where it is kept for long. */
export type KeptChanges = {readonly changes: Uint8Array; readonly isDeflated: boolean};

/** A window with 4 KB to look back in and little memory while it deflates: what changes is some kilobytes at most. */
const deflating = {windowBits: 12, memLevel: 5};

/** Changes that are not deflated yet in fewer bytes; as they are where there would be more. */
export function deflated<Kept extends KeptChanges>(kept: Kept): Kept {
	const bytes = deflateRawSync(kept.changes, deflating);
	// What zlib gives is a part of a buffer of 16 KB.
	return bytes.length < kept.changes.length ? {...kept, changes: new Uint8Array(bytes), isDeflated: true} : kept;
}

/** The changes as deltas.ts made them. */
export function changesOf({changes, isDeflated}: KeptChanges): Uint8Array {
	return isDeflated ? inflateRawSync(changes) : changes;
}
