import path from 'node:path';
import type {Snapshot} from '../../model/snapshot.js';
import type {ExportOptions} from '../formats/export-format.js';
import {pprof} from '../pprof/format.js';
import {text} from '../formats/text.js';
import {writeTogether} from './files.js';

/**
Saves what was sampled since a baseline (undefined: the session's start) as `tprof-<pid>-<UTC time>.pb.gz`, which opens
again, and the same moment as a readable `.txt` beside it; both or none, nothing replaced, see `writeTogether`. `now` is
the moment of saving, epoch milliseconds. Gives back the paths. Throws UserError.
*/
export async function saveSnapshot(snapshot: Snapshot, baseline: Snapshot | undefined, folder: string, now: number, options: ExportOptions): Promise<{readonly pb: string; readonly txt: string}> {
	const [pb, txt] = await writeTogether(path.join(folder, snapshotStem(snapshot.target.pid, now)), [
		{extension: pprof.extension, bytes: pprof.write(snapshot, baseline, options)},
		{extension: text.extension, bytes: text.write(snapshot, baseline, options)},
	], {taken: 'suffix'});
	return {pb, txt};
}

/** Such as tprof-4711-20260914T140201Z. */
export function snapshotStem(pid: number, now: number): string {
	return `tprof-${pid}-${new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')}`;
}
