import {gunzipSync} from 'node:zlib';
import {UserError} from '../../runtime/errors.js';
import type {Snapshot} from '../../model/snapshot.js';
import {ExcessError, maxProfileBytes} from '../common/limits.js';
import {Profile} from './profile.js';
import {foreignSnapshot, mergedSnapshot, type MergedProfile, type MergedSpan} from './read-foreign.js';
import {sessionIn} from './session-in-profile.js';

export {maxProfileBytes} from '../common/limits.js';

const megabytes = maxProfileBytes / 1024 / 1024;

/** Returns the snapshot in a pprof file: all of ours, the samples of threads in another tool's. Throws UserError. */
export function readPprof(bytes: Uint8Array, name = 'the file'): Snapshot {
	return readingOf(name, () => {
		const raw = decompress(bytes);
		if (raw.length === 0) {
			throw new RangeError('it is empty');
		}

		return sessionIn(raw) ?? foreignSnapshot(new Profile(raw));
	});
}

type MergedBytes = Pick<MergedProfile, 'state'> & {readonly bytes: Uint8Array};

/** Returns one snapshot of profiles that a backend merged. Throws UserError. */
export function readMerged(profiles: readonly MergedBytes[], span: MergedSpan, name: string): Snapshot {
	return readingOf(name, () => {
		const read = profiles.map(({bytes, state}) => ({profile: new Profile(decompress(bytes)), state}));
		return mergedSnapshot(read, span);
	});
}

function readingOf(name: string, read: () => Snapshot): Snapshot {
	try {
		return read();
	} catch (error) {
		if (error instanceof ExcessError) {
			throw new UserError(`cannot open ${name}: it holds too much (${error.message})`, {
				hint: 'reading it would take too much time or memory; other pprof tools may open it',
			});
		}

		const reason = error instanceof RangeError ? error.message : 'its session data cannot be read';
		throw new UserError(`cannot open ${name} as a CPU profile in pprof format: ${reason}`, {
			hint: 'tprof-top opens the .pb.gz files that it saves, and CPU profiles of other pprof tools',
		});
	}
}

function decompress(bytes: Uint8Array): Uint8Array {
	// RFC 1952.
	const isGzip = bytes[0] === 0x1F && bytes[1] === 0x8B;
	if (!isGzip) {
		if (bytes.length > maxProfileBytes) {
			throw new ExcessError(`more than ${megabytes} MB`);
		}

		return bytes;
	}

	try {
		return gunzipSync(bytes, {maxOutputLength: maxProfileBytes});
	} catch (error) {
		throw (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
			? new ExcessError(`more than ${megabytes} MB when decompressed`)
			: new RangeError('damaged or truncated');
	}
}
