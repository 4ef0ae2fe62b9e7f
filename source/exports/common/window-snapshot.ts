import {fromNames, makeArrays, select} from '../../model/column-types.js';
import {alignedTo} from '../../query/counters/aligned.js';
import {poolsSince} from '../../model/pool-reading.js';
import {rowsInWindow} from '../../model/rows-in-window.js';
import {contentionColumns, counterColumns, eventColumns, sessionFigures, threadNumbers} from '../../model/schema.js';
import type {SessionStats, Snapshot, ThreadTable} from '../../model/snapshot.js';

/**
Returns a snapshot of what was counted since an earlier one of the same session (undefined: since its start), without
rows that counted nothing.
*/
export function windowSnapshot(snapshot: Snapshot, earlier: Snapshot | undefined): Snapshot {
	const since = alignedTo(snapshot, earlier);
	const window = {
		...snapshot,
		counters: rowsInWindow(counterColumns, snapshot.counters, since?.counters),
		contention: rowsInWindow(contentionColumns, snapshot.contention, since?.contention),
		events: rowsInWindow(eventColumns, snapshot.events, since?.events),
	};
	if (!since) {
		return window;
	}

	return {
		...window,
		session: windowStats(snapshot.session, since.session),
		threads: windowThreads(snapshot.threads, since.threads),
		// Reports stay whole, with those at the start of the window: figures are subtracted when rows are made.
		...(snapshot.traces ? {traces: {...snapshot.traces, since: since.traces}} : {}),
		...(snapshot.pools ? {pools: poolsSince(snapshot.pools, since.pools)} : {}),
		...(snapshot.tasks ? {tasks: {...snapshot.tasks, since: since.tasks}} : {}),
	};
}

/** Returns the session's figures for the window from `then` to `now`: the cumulative ones are subtracted. */
export function windowStats(now: SessionStats, then: SessionStats | undefined): SessionStats {
	return then === undefined
		? now
		: {
			...now,
			...fromNames(select(sessionFigures, {window: 'difference'}), name => now[name] - then[name]),
			startedAtMs: then.takenAtMs,
		};
}

function windowThreads(now: ThreadTable, then: ThreadTable): ThreadTable {
	return {
		...now,
		...makeArrays(threadNumbers, select(threadNumbers, {window: 'difference'}), (_, name) => {
			const values = now[name].slice(0, now.count);
			for (let i = 0; i < Math.min(now.count, then.count); i++) {
				values[i] = Math.max(0, values[i] - then[name][i]);
			}

			return values;
		}),
	};
}
