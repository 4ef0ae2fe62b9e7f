import type {Snapshot} from './model/snapshot.js';
import type {SnapshotSource} from './model/source.js';

/** An opened file as a source: one snapshot, nothing more comes. */
export function recordingSource(snapshot: Snapshot): SnapshotSource {
	return {
		status: () => ({phase: 'recording', stale: false}),
		read: () => snapshot,
		setPaused() {
			// There is nothing to pause.
		},
		async close() {
			// There is nothing to let go of.
		},
		onChange: () => () => {
			// It never changes.
		},
	};
}
