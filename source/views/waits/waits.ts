import type {Snapshot} from '../../model/snapshot.js';
import {poolName} from '../../model/text.js';
import {sortRows} from '../../query/columns/sort.js';
import {locationName} from '../../query/counters/location.js';
import {membersOf} from '../../query/counters/members.js';
import {isCounted, scopeOf} from '../../query/counters/scope.js';
import {isOfJvm} from '../../query/counters/thread-kind.js';
import {filtered, type FilterFields} from '../../query/filter/filter.js';
import {mostOf} from '../../query/locks/contention-by-location.js';
import {isContendingNow, missingWaits, programLocation, stuckMs} from '../../query/locks/newest-sample.js';
import {
	groupWaits, waitOf, waitsForWork, waitText, type WaitGroup,
} from '../../query/locks/waits.js';
import type {Location, Query} from '../../query/types/query.js';
import {waitColumns, type WaitRow} from './columns.js';

/** What threads wait for in the newest sample; without `query.showIdle` no rows of threads that all wait for work. */
export function queryWaits(snapshot: Snapshot, _since: Snapshot | undefined, query: Query): {readonly rows: readonly WaitRow[]; readonly allRows: number; readonly idleRows: number; readonly missing?: string} {
	const scope = scopeOf(snapshot, query);
	const threads = Array.from({length: snapshot.threads.count}, (_, thread) => thread).filter(thread => isCounted(scope, thread));
	const rows = groupWaits(snapshot, threads).map(group => rowOf(snapshot, group));
	const matching = filtered(rows, scope.filter, filterFields);
	const shown = query.showIdle ? matching : matching.filter(row => !row.isForWork);
	return {rows: sortRows(shown, waitColumns, query.sort), allRows: rows.length, idleRows: matching.length - shown.length, missing: missingWaits(snapshot)};
}

function rowOf(snapshot: Snapshot, group: WaitGroup): WaitRow {
	const {threads} = snapshot;
	const locations = new Map<string, Location>();
	const [byLocation, byName] = [new Map<string, number>(), new Map<string, number>()];
	for (const thread of group.threads) {
		const members = membersOf(threads, thread);
		const location = programLocation(snapshot, threads.node[thread]);
		if (location) {
			const name = locationName(location);
			locations.set(name, location);
			byLocation.set(name, members + (byLocation.get(name) ?? 0));
		}

		const name = group.threads.length === 1 ? threads.name[thread] : poolName(threads.name[thread]);
		byName.set(name, members + (byName.get(name) ?? 0));
	}

	const [most] = mostOf(byLocation) ?? [];
	return {
		key: waitText(group),
		kind: group.kind,
		peer: group.peer,
		threads: group.count,
		threadKeys: group.threads.map(thread => threads.key[thread]),
		names: [...byName].sort(([, a], [, b]) => b - a).map(([name]) => name),
		longestMs: group.longestMs,
		longestAtLeast: group.isLonger,
		at: most === undefined ? undefined : locations.get(most),
		isForWork: group.threads.every(thread => !isContendingNow(snapshot, thread) && (isOfJvm(threads.flags[thread], threads.name[thread]) || waitsForWork(snapshot.dictionary, threads.node[thread]))),
		waiters: group.threads.map(thread => ({
			key: threads.key[thread], name: threads.name[thread], nativeId: threads.nativeId[thread], threads: membersOf(threads, thread), stuckMs: stuckMs(snapshot, thread), end: waitOf(snapshot, thread)?.end ?? '',
		})),
	};
}

const filterFields: FilterFields<WaitRow> = {
	text: ({kind, peer, at, waiters}) => [waitText({kind, peer}), at ? locationName(at) : '', ...waiters.map(({name}) => name)].join('\n'),
	threads: row => row.threads, stuckS: row => row.longestMs / 1000,
};
