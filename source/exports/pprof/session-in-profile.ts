import type * as crypto from 'node:crypto';
import {createRequire} from 'node:module';
import {deflateRawSync, inflateRawSync} from 'node:zlib';
import type {Snapshot} from '../../model/snapshot.js';
import {VarintWriter} from '../../util/varints.js';
import {maxProfileBytes} from '../common/limits.js';
import {readSnapshot, snapshotBytes} from '../recording/moment.js';

/** Begins our string in a profile. Names have no line end. */
const prefix = '#tprof-top-session\n';

/** Field 6 of profile.proto, string_table: length-delimited. */
const stringTag = (6 << 3) + 2;

/**
Returns the profile with the whole snapshot in its last string, after a digest of all bytes before that string. Nothing
refers to the string, so tools do not print it, and one that rewrites the profile drops it. The snapshot is deflated
because gzip finds little that repeats in base64.
*/
export function withSession(profile: Uint8Array, snapshot: Snapshot): Uint8Array {
	const saved = deflateRawSync(snapshotBytes(snapshot)).toString('base64');
	const length = new VarintWriter();
	length.number(prefix.length + digestLength + saved.length);
	const before = Buffer.concat([profile, Uint8Array.of(stringTag), length.take()]);
	return Buffer.concat([before, Buffer.from(prefix + digestOf(before) + saved)]);
}

/**
Returns the snapshot that `withSession` wrote; undefined if there is none, or the profile was changed. Throws RangeError
or SyntaxError if it is malformed.
*/
export function sessionIn(profile: Uint8Array): Snapshot | undefined {
	const bytes = Buffer.from(profile.buffer, profile.byteOffset, profile.length);
	const at = bytes.lastIndexOf(prefix);
	const savedAt = at + prefix.length + digestLength;
	return at !== -1 && bytes.toString('latin1', at + prefix.length, savedAt) === digestOf(bytes.subarray(0, at))
		? readSnapshot(inflateRawSync(Buffer.from(bytes.toString('latin1', savedAt), 'base64'), {
			maxOutputLength: maxProfileBytes,
		}))
		: undefined;
}

/** SHA-256, hex. */
const digestLength = 64;

function digestOf(bytes: Uint8Array): string {
	const {createHash} = createRequire(import.meta.url)('node:crypto') as typeof crypto;
	return createHash('sha256').update(bytes).digest('hex');
}
