import type {SnapshotSource} from '../model/source.js';
import type {Options} from '../options/parse.js';
import {runBatch} from './batch.js';
import type {LiveParts} from './live.js';

/** Shows the source on the screen, or prints reports of it. Returns the exit code; throws UserError. */
export async function show(source: SnapshotSource, options: Options, origin: LiveParts = {}): Promise<number> {
	return await showOrGoBack(source, options, origin) ?? 0;
}

/** The same; returns undefined if the user went back to the table in which it was opened. */
export async function showOrGoBack(
	source: SnapshotSource,
	options: Options,
	origin: LiveParts,
): Promise<number | undefined> {
	if (!options.onScreen) {
		return runBatch(source, options, origin.target);
	}

	const {runLive} = await import('./live.js');
	return runLive(source, options, origin);
}
