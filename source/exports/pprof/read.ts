import {gunzipSync} from 'node:zlib';
import {Profile} from 'pprof-format';
import {UserError} from '../../errors.js';
import type {Snapshot} from '../../model/snapshot.js';
import {foreignSnapshot} from './read-foreign.js';
import {ownSnapshot} from './read-own.js';
import {profileDigest} from './profile-digest.js';
import {ProfileTables} from './profile-tables.js';
import {sessionCommentPrefix} from './session-comment.js';
import {decodeSession} from './session-decode.js';
import {checkProfileBytes} from './wire-check.js';

/** Largest profile after decompression: 50,000 facts with stacks of 150 frames take 20 MB. A small file can claim any size (gzip reaches 1000 : 1). */
export const maxProfileBytes = 128 * 1024 * 1024;

/**
The snapshot in a pprof file, compressed or not: ours comes back whole, others as far as they hold samples of threads.
`name` is what messages call the file (printable). Throws UserError with one line on what is wrong.
*/
export function readPprof(bytes: Uint8Array, name = 'the file'): Snapshot {
	try {
		const raw = inflated(bytes);
		if (raw.length === 0) {
			throw new RangeError('it is empty');
		}

		checkProfileBytes(raw);
		return snapshotOf(Profile.decode(raw));
	} catch (error) {
		const reason = error instanceof RangeError ? error.message : 'its session data cannot be read';
		throw new UserError(`cannot open ${name}: not a CPU profile in pprof format (${reason})`, {hint: 'tprof-top opens the .pb.gz files that it saves, and CPU profiles of other pprof tools'});
	}
}

function snapshotOf(profile: Profile): Snapshot {
	if (profile.sampleType.length === 0 || profile.stringTable.strings[0] !== '') {
		throw new RangeError('its head is missing');
	}

	const tables = new ProfileTables(profile);
	const comments = profile.comment.map(index => tables.rawText(index)).filter(comment => comment.startsWith(sessionCommentPrefix));
	// Several are left where profiles were merged: none of them is about the whole.
	if (comments.length !== 1) {
		return foreignSnapshot(profile, tables);
	}

	const sizes = {samples: profile.sample.length, locations: profile.location.length, functions: profile.function.length};
	const saved = decodeSession(comments[0], profileDigest(profile), sizes);
	return saved ? ownSnapshot(profile, tables, saved) : foreignSnapshot(profile, tables);
}

function inflated(bytes: Uint8Array): Uint8Array {
	if (bytes.length < 2 || bytes[0] !== 0x1F || bytes[1] !== 0x8B) {
		if (bytes.length > maxProfileBytes) {
			throw new RangeError('too large');
		}

		return bytes;
	}

	try {
		return gunzipSync(bytes, {maxOutputLength: maxProfileBytes});
	} catch (error) {
		throw new RangeError((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? `larger than ${maxProfileBytes / 1024 / 1024} MB when decompressed` : 'damaged or cut short');
	}
}
