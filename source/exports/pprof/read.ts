import {gunzipSync} from 'node:zlib';
import {UserError} from '../../runtime/errors.js';
import type {Snapshot} from '../../model/snapshot.js';
import {ExcessError, maxProfileBytes} from './limits.js';
import {PiecewiseProfile} from './piecewise.js';
import {foreignSnapshot} from './read-foreign.js';
import {ownSnapshot} from './read-own.js';
import {profileDigest, sessionCommentPrefix, decodeReports} from './session-comment.js';
import {ProfileTables, size} from './profile-tables.js';
import {decodeSession} from './session-decode.js';

export {maxProfileBytes} from './limits.js';

const megabytes = maxProfileBytes / 1024 / 1024;

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

		return snapshotOf(new PiecewiseProfile(raw));
	} catch (error) {
		if (error instanceof ExcessError) {
			throw new UserError(`cannot open ${name}: it holds too much (${error.message})`, {hint: 'reading it would take too much time or memory; other pprof tools may open it'});
		}

		const reason = error instanceof RangeError ? error.message : 'its session data cannot be read';
		throw new UserError(`cannot open ${name}: not a CPU profile in pprof format (${reason})`, {hint: 'tprof-top opens the .pb.gz files that it saves, and CPU profiles of other pprof tools'});
	}
}

function snapshotOf(profile: PiecewiseProfile): Snapshot {
	const {head, sizes} = profile;
	if (head.sampleType.length === 0 || profile.string(0, 1) !== '') {
		throw new RangeError('its header is missing');
	}

	const tables = new ProfileTables(profile);
	const commentsWith = (prefix: string) => head.comment.map(index => size(index)).filter(index => profile.string(index, prefix.length)?.startsWith(prefix));
	const sessions = commentsWith(sessionCommentPrefix);
	// There are several if profiles were merged: none of them is about the whole.
	const saved = sessions.length === 1 ? decodeSession(profile.string(sessions[0], maxProfileBytes)!, profileDigest(profile), sizes) : undefined;
	const snapshot = saved ? ownSnapshot(profile, tables, saved) : foreignSnapshot(profile, tables);
	const reports = saved && decodeReports(prefix => {
		const [index] = commentsWith(prefix);
		return index === undefined ? undefined : profile.string(index, maxProfileBytes);
	});
	return {...snapshot, ...reports};
}

function inflated(bytes: Uint8Array): Uint8Array {
	if (bytes.length < 2 || bytes[0] !== 0x1F || bytes[1] !== 0x8B) {
		if (bytes.length > maxProfileBytes) {
			throw new ExcessError(`more than ${megabytes} MB`);
		}

		return bytes;
	}

	try {
		return gunzipSync(bytes, {maxOutputLength: maxProfileBytes});
	} catch (error) {
		throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE' ? new ExcessError(`more than ${megabytes} MB when decompressed`) : new RangeError('damaged or truncated');
	}
}
