import {fromNames, makeArrays, select} from '../../model/column-types.js';
import {alignedTo} from '../../query/counters/aligned.js';
import {recordsInWindow} from '../../model/records-in-window.js';
import {
	contentionColumns, counterColumns, sessionFigures, threadNumbers,
} from '../../model/schema.js';
import type {SessionStats, Snapshot, ThreadTable} from '../../model/snapshot.js';

/**
Returns the snapshot of what was counted after a baseline of the same session; without one the snapshot itself. It lacks
rows that did not grow. Interval and pauses are those of the snapshot.
*/
export function windowSnapshot(snapshot: Snapshot, earlier: Snapshot | undefined): Snapshot {
	if (!earlier) {
		// Without the free slots of ended threads.
		const [counters, contention] = [recordsInWindow(counterColumns, snapshot.counters, undefined), recordsInWindow(contentionColumns, snapshot.contention, undefined)];
		return counters === snapshot.counters && contention === snapshot.contention ? snapshot : {...snapshot, counters, contention};
	}

	const baseline = alignedTo(snapshot, earlier);

	return {
		target: snapshot.target,
		session: windowStats(snapshot.session, baseline.session),
		dictionary: snapshot.dictionary,
		threads: windowThreads(snapshot.threads, baseline.threads),
		counters: recordsInWindow(counterColumns, snapshot.counters, baseline.counters),
		contention: recordsInWindow(contentionColumns, snapshot.contention, baseline.contention),
		...(snapshot.traces ? {traces: {...snapshot.traces, since: baseline.traces}} : {}),
		...(snapshot.tasks ? {tasks: {...snapshot.tasks, since: baseline.tasks}} : {}),
	};
}

/** Returns the figures of `now`, the cumulative ones minus those of `then`; the window starts when that was taken. */
export function windowStats(now: SessionStats, then: SessionStats | undefined): SessionStats {
	return then === undefined ? now : {...now, ...fromNames(select(sessionFigures, {window: 'difference'}), name => now[name] - then[name]), startedAtMs: then.takenAtMs};
}

function windowThreads(now: ThreadTable, then: ThreadTable): ThreadTable {
	return {
		...now,
		...makeArrays(threadNumbers, select(threadNumbers, {window: 'difference'}), (_, name) => {
			const values = now[name].slice(0, now.count);
			for (let i = 0; i < Math.min(now.count, then.count); i++) {
				values[i] -= then[name][i];
			}

			return values;
		}),
	};
}
