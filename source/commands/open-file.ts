import type {Options} from '../options/parse.js';
import {isBackend} from '../fleet/backend-address.js';
import {usage} from '../runtime/errors.js';
import {printable} from '../util/printable.js';
import {momentOf, openSaved, reading, savedSource, spanMoments, spanOf, windowAt} from './recording.js';
import {show} from './show.js';

/**
Shows a saved session (a snapshot, or a recording from a moment on) or what a Pyroscope has. Returns the exit code;
throws UserError.
*/
export async function showFile(file: string, options: Options): Promise<number> {
	if (isBackend(file)) {
		const {openBackend} = await import('./fleet.js');
		return openBackend(file, options);
	}

	const saved = await openSaved(file, options.headers);
	const {recording} = saved;
	const {at, from, to} = options;
	if (!recording) {
		if ([at, from, to].some(moment => moment !== undefined)) {
			throw usage(
				`${printable(file)} is a snapshot: it has no moments`,
				'--at, --from and --to are for recordings',
			);
		}

		return show(savedSource(saved), options);
	}

	return reading(file, async () => {
		const {ring} = recording;
		const atMs = at === undefined ? undefined : momentOf(at, '--at', ring);
		if (options.onScreen && from === undefined && to === undefined) {
			return show(savedSource(saved), options, {recording, atMs});
		}

		const snapshot = atMs === undefined ? spanOf(ring, ...spanMoments({from, to}, ring)) : windowAt(ring, atMs);
		return show(savedSource({...saved, snapshot}), options);
	});
}
