import {
	fromNames, makeArrays, namesOf, newArray, select,
} from '../../model/column-types.js';
import {
	contentionColumns, factColumns, sessionFigures, threadColumns, type CounterColumns, type RecordArrays,
} from '../../model/schema.js';
import type {SessionStats, Snapshot, ThreadTable} from '../../model/snapshot.js';

/**
The snapshot of what was counted after `baseline`, an earlier snapshot of the same session: same dictionary and threads,
counters subtracted. Facts and contention rows that did not grow are left out. Without a baseline: the snapshot itself.
`intervalMs` and the pause percentiles are not cumulative and stay.
*/
export function windowSnapshot(snapshot: Snapshot, baseline: Snapshot | undefined): Snapshot {
	if (!baseline) {
		return snapshot;
	}

	return {
		target: snapshot.target,
		session: windowStats(snapshot.session, baseline.session),
		dictionary: snapshot.dictionary,
		threads: windowThreads(snapshot.threads, baseline.threads),
		facts: windowRecords(factColumns, snapshot.facts, baseline.facts),
		contention: windowRecords(contentionColumns, snapshot.contention, baseline.contention),
	};
}

/** Cumulative figures of `now` less those of `then`; the window starts where `then` was taken. */
export function windowStats(now: SessionStats, then: SessionStats): SessionStats {
	return {...now, ...fromNames(select(sessionFigures, {window: 'difference'}), name => now[name] - then[name]), startedAtMs: then.takenAtMs};
}

function windowThreads(now: ThreadTable, then: ThreadTable): ThreadTable {
	return {
		...now,
		...makeArrays(threadColumns, select(threadColumns, {window: 'difference'}), (_, name) => {
			const values = now[name].slice(0, now.count);
			for (let i = 0; i < Math.min(now.count, then.count); i++) {
				values[i] -= then[name][i];
			}

			return values;
		}),
	};
}

/** Counters of one session are append-only and keyed: the same index is the same key in every snapshot. */
function windowRecords<C extends CounterColumns>(columns: C, now: RecordArrays<C>, then: RecordArrays<C>): RecordArrays<C> {
	const grown = new Uint8Array(now.count);
	for (const name of namesOf(columns).filter(column => columns[column].role === 'counter')) {
		for (let i = 0; i < now.count; i++) {
			grown[i] |= now[name][i] > (i < then.count ? then[name][i] : 0) ? 1 : 0;
		}
	}

	const rows = Int32Array.from(grown.keys()).filter(i => grown[i] === 1);
	const arrays = makeArrays(columns, namesOf(columns), (column, name) => {
		const values = newArray(column, rows.length);
		for (const [row, i] of rows.entries()) {
			values[row] = now[name][i] - (column.role === 'counter' && i < then.count ? then[name][i] : 0);
		}

		return values;
	});
	return {count: rows.length, ...arrays};
}
