import {safe, type Printable} from '../../util/printable.js';
import type {Snapshot} from '../../model/snapshot.js';
import {formatDuration, rounded, stuckInWords} from '../../query/columns/format.js';
import {initializerText, publicName, shortName} from '../../query/columns/names.js';
import {queryThreadDetail} from '../../query/detail.js';
import {framesOf} from '../../query/counters/stack-index.js';
import {csvOf, frameOrNull, rowsAsJson} from '../common/file-fields.js';
import type {View} from '../common/view.js';
import {queryBlockers, blockerColumns, holderText, type BlockerRow, type Waiter} from './blockers.js';

export const blockersView: View<BlockerRow> = {
	id: 'blockers',
	title: 'Blockers',
	columns: blockerColumns,
	sort: {column: safe`waiting`, reverse: false},
	keys: [],
	asksForHolders: true,
	files: {
		csv: csvOf(blockerColumns, {
			lock: 'lock',
			kind: row => row.kind,
			holder: 'holder',
			took_at: 'took',
			holder_at: 'now',
			waiting: 'waiting',
			longest_ms: 'longest',
			waited_ms: 'waited',
			depth: row => row.depth,
			deadlock: row => Number(row.isDeadlocked),
			waiters: row => row.waiters.map(({name}) => name).join('; '),
			readers: row => row.readers,
		}),
		json: (snapshot, since, query, top) =>
			rowsAsJson(queryBlockers(snapshot, since, query).rows.slice(0, top), row => ({
				lock: row.lockClass,
				kind: row.kind,
				holder: row.holder < 0 ? null : row.holderName,
				tid: row.holder < 0 ? 0 : snapshot.threads.nativeId[row.holder],
				state: row.holderState ?? null,
				readers: row.readers,
				tookAt: frameOrNull(row.tookAt),
				nowAt: frameOrNull(row.nowAt),
				waiting: row.waitingNow,
				longestMs: rounded(row.longestMs),
				longestAtLeast: row.longestAtLeast,
				waitedMs: rounded(row.waitedMs),
				depth: row.depth,
				deadlock: row.isDeadlocked,
				waiters: row.waiters.map(waiter => waiterOf(waiter)),
			})),
	},
	about:
		'Who blocks whom: the locks of each holder with the threads that wait for them, for how long, and where the holder '
		+ 'is. The holder of an indented row itself waits for the lock that it is indented under. Earlier holders of locks '
		+ 'of a class are one row.',
	hints: row => [
		{
			key: 'enter',
			title: row.holder < 0 ? 'who waits' : 'where the holder is, who waits',
			short: row.holder < 0 ? 'waiters' : 'holder',
		},
		{key: 't', title: row.waiterCount === 1 ? 'only the waiter' : 'only the waiters', short: 'waiters'},
		row.holder < 0 && row.readers === 0 && row.earlierHolders === 0 && row.kind === 'park'
			? {key: 'L', title: 'ask the JVM who holds it', short: 'ask'}
			: {key: 'tab', title: 'next view', short: 'view'},
	],
	query: queryBlockers,
	// Nobody waits for its locks any more.
	isDim: row => row.waitingNow === 0,
	tabCount: ({contendingNow}) => contendingNow,
	emptyHints: [{key: '[', title: 'look back', short: 'back'}, {key: 'z', title: 'another window', short: 'window'}, {
		key: 'tab',
		title: 'next view',
		short: 'view',
	}],
	emptyText: ({missing}, {filter}) =>
		missing ?? (filter === '' ? safe`no thread waited in this window for a lock that another thread holds` : undefined),
	detail(snapshot, since, query, _key, row) {
		const detail = queryThreadDetail(
			snapshot,
			since,
			{...query, filter: safe``},
			row?.waiters.map(({key}) => key) ?? [],
		);
		// Other views show what the waiters did besides waiting.
		return {...detail, lines: [], stacks: [], fullStacks: row ? fullStacks(snapshot, row) : []};
	},
	// eslint-disable-next-line complexity -- The list of the lines, each with its condition.
	titleLines(row, width) {
		const {holder, lockClass, kind, readers, tookAt, nowAt, holderState, waitingNow, waiters: [longest]} = row;
		const isUnknown = holder < 0 && readers === 0 && row.earlierHolders === 0;
		const holderName = isUnknown ? 'an unknown thread' : holderText(row);
		const longestText = waitingNow > 0 && longest ? safe`, ${longest.name} for ${stuckInWords(longest)}` : safe``;
		const room = Math.max(20, width - 12);
		return [
			{
				text: kind === 'class-init'
					? safe`${initializerText(lockClass)}, run by ${holderName}`
					: safe`${publicName(lockClass) || kind} held by ${holderName}`,
				role: 'title',
			},
			{
				text: safe`${waitingNow} ${waitingNow === 1 ? 'thread waits' : 'threads wait'} now${longestText}; ${
					formatDuration(row.waitedMs)
				} of waiting in the window`,
			},
			tookAt && {text: safe`taken at ${shortName(tookAt, room)}`},
			nowAt && {text: safe`is now at ${shortName(nowAt, room)}${holderState ? safe` (${holderState})` : ''}`},
			isUnknown ? {text: whyHolderUnknown(row)} : undefined,
			readers > 0 ? {text: safe`only the first reader is known, while it reads`} : undefined,
			holder >= 0 && !tookAt ? {text: whyTakenAtUnknown(row)} : undefined,
			row.isDeadlocked
				? {text: safe`deadlock: the holder waits for a thread that waits for it`, role: 'error'}
				: undefined,
		];
	},
	isAbout({id, figures: {holder = ''}}, {kind, holderName, waitingNow, isDeadlocked}) {
		return (id === 'deadlock' && isDeadlocked)
			|| (id === 'class-init' && kind === 'class-init' && waitingNow > 0)
			|| (id === 'contention' && kind !== 'class-init' && waitingNow > 0 && holderName === holder);
	},
	locationOf: ({nowAt, tookAt, waiters}) => nowAt ?? tookAt ?? waiters.at(0)?.at,
	threadsOf: row => ({
		keys: row.waiters.map(({key}) => key),
		label: safe`${row.waiterCount === 1 ? row.waiters[0].name : safe`${row.waiterCount} threads`} behind ${
			row.earlierHolders > 0 ? holderText(row) : row.holderName || '?'
		}`,
	}),
};

function whyHolderUnknown({kind}: BlockerRow): Printable {
	if (kind === 'monitor') {
		return safe`who held it could not be read, or nobody did: it was free, and its waiters had not run yet`;
	}

	return kind === 'class-init'
		? safe`which thread runs it is unknown: up to JDK 16 a thread dump does not say for which class a thread waits`
		: safe`who holds it is unknown: a thread dump does not show holders of java.util.concurrent locks, ${
			'and a lock does not record its readers; L asks the JVM for a full dump'
		}`;
}

function whyTakenAtUnknown({kind}: BlockerRow): Printable {
	return kind === 'park'
		? safe`where the holder took it is unknown: lock() has returned and left nothing on the stack`
		: safe`where the holder took it could not be read: the holder runs, has moved meanwhile, or is a virtual thread`;
}

function fullStacks(snapshot: Snapshot, row: BlockerRow) {
	const {threads, dictionary} = snapshot;
	const [longest] = row.waiters;
	const waiter = longest?.isNow ? threads.key.subarray(0, threads.count).indexOf(longest.key) : -1;
	return [
		...(row.nowAt
			? [{title: safe`THE HOLDER NOW: ${row.holderName}`, frames: framesOf(dictionary, threads.node[row.holder])}]
			: []),
		...(waiter >= 0
			? [{title: safe`WAITS LONGEST: ${longest.name}`, frames: framesOf(dictionary, threads.node[waiter])}]
			: []),
	];
}

function waiterOf({name, nativeId, threadCount, isNow, stuckMs, stuckAtLeast, at, waitedMs}: Waiter) {
	return {
		thread: name,
		tid: nativeId,
		now: isNow,
		stuckMs: rounded(stuckMs),
		stuckAtLeast,
		at: frameOrNull(at),
		waitedMs: rounded(waitedMs),
		threads: threadCount,
	};
}
