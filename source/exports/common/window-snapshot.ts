import {fromNames, makeArrays, select} from '../../model/column-types.js';
import {alignedTo} from '../../query/counters/aligned.js';
import {recordsInWindow} from '../../model/records-in-window.js';
import {
	contentionColumns, counterColumns, sessionFigures, threadNumbers,
} from '../../model/schema.js';
import type {SessionStats, Snapshot, ThreadTable} from '../../model/snapshot.js';

/**
The snapshot of what was counted after a baseline of the same session; without one the snapshot itself. Rows that did
not grow are left out; the interval and the pauses stay.
*/
export function windowSnapshot(snapshot: Snapshot, given: Snapshot | undefined): Snapshot {
	if (!given) {
		// Places of ended threads that are free are no rows.
		const [counters, contention] = [recordsInWindow(counterColumns, snapshot.counters, undefined), recordsInWindow(contentionColumns, snapshot.contention, undefined)];
		return counters === snapshot.counters && contention === snapshot.contention ? snapshot : {...snapshot, counters, contention};
	}

	const baseline = alignedTo(snapshot, given);

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

/** Cumulative figures of `now` less those of `then`, if there is one; the window starts where that was taken. */
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
