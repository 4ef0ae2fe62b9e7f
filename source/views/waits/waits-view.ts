import {safe} from '../../util/printable.js';
import {queryThreadDetail} from '../../query/detail.js';
import {formatDuration, plural, rounded, stuckInWords} from '../../query/columns/format.js';
import {locationNameOrEmpty} from '../../query/columns/column.js';
import {waitText} from '../../query/locks/wait-of.js';
import {csvOf, frameOrNull, rowsAsJson} from '../common/file-fields.js';
import {keyOrOption} from '../common/opening-keys.js';
import type {View} from '../common/view.js';
import {queryWaits, waitColumns, type WaitRow} from './waits.js';

const maxNamed = 5;

export const waitsView: View<WaitRow> = {
	id: 'waits',
	title: 'Waits',
	columns: waitColumns,
	sort: {column: safe`threads`, reverse: false},
	keys: [],
	about:
		'What threads wait for now, by kind and peer: sockets, files, pipes and child processes as the kernel knows them (read once a second), locks, conditions, queues and class initializers. Threads that wait for work are not listed.',
	hints: row => [
		{key: 'enter', title: 'its threads and stacks', short: 'threads'},
		{key: 't', title: row.threadCount === 1 ? 'only this thread' : 'only these threads', short: 'only'},
		{key: 'tab', title: 'next view', short: 'view'},
	],
	query: queryWaits,
	isDim: row => row.isForWork,
	emptyText({hiddenRows = 0, missing}, query) {
		if (hiddenRows > 0) {
			const which = query.filter === '' ? '' : ' that match the filter';
			return safe`all threads${which} run or wait for work; ${keyOrOption(query, safe`i`, safe`--idle`)} shows what for`;
		}

		return missing ?? (query.filter === '' ? safe`no thread waits now` : undefined);
	},
	detail(snapshot, since, query, _key, row) {
		const detail = queryThreadDetail(snapshot, since, {...query, filter: safe``}, row?.threadKeys ?? []);
		return {...detail, lines: [], waits: []};
	},
	titleLines(row) {
		const count = row.threadCount;
		const longest = row.longestMs > 0
			? safe`${count === 1 ? ' for' : ', longest for'} ${
				stuckInWords({stuckMs: row.longestMs, stuckAtLeast: row.longestAtLeast})
			}`
			: safe``;
		const waiters = row.waiters.slice(0, maxNamed).map(({name, nativeId, threadCount, stuckMs, clientSide}) =>
			safe`${name}${
				nativeId > 0
					? safe` (tid ${nativeId})`
					: (threadCount > 1 ? safe` (${plural(threadCount, safe`thread`)})` : '')
			}${stuckMs > 0 ? safe`, ${formatDuration(stuckMs)}` : ''}${clientSide === '' ? '' : safe`, ${clientSide}`}`);
		return [
			{text: waitText(row), role: 'title'},
			{text: safe`${count} ${count === 1 ? 'thread waits' : 'threads wait'}${longest}`},
			row.at && {text: safe`at ${locationNameOrEmpty(row.at)}`},
			...waiters.map(text => ({text: safe`  ${text}`})),
			row.waiters.length > maxNamed ? {text: safe`  ... and ${row.waiters.length - maxNamed} more`} : undefined,
		];
	},
	files: {
		csv: csvOf(waitColumns, {
			kind: 'kind',
			peer: 'peer',
			threads: 'threads',
			longest_ms: 'longest',
			longest_at_least: row => Number(row.longestAtLeast),
			at: 'at',
			names: 'names',
		}),
		json: (snapshot, since, query, top) =>
			rowsAsJson(queryWaits(snapshot, since, {...query, showsWaitsForWork: true}).rows.slice(0, top), row => ({
				kind: row.kind,
				peer: row.peer,
				threads: row.threadCount,
				longestMs: rounded(row.longestMs),
				longestAtLeast: row.longestAtLeast,
				at: frameOrNull(row.at),
				forWork: row.isForWork,
				waiters: row.waiters.map(({name, nativeId, threadCount, stuckMs, clientSide}) => ({
					thread: name, tid: nativeId, stuckMs: rounded(stuckMs), end: clientSide, threads: threadCount,
				})),
			})),
	},
	isAbout: ({id, figures}, {peer}) => id === 'server' && peer === figures.peer,
	locationOf: ({at}) => at,
	threadsOf: ({threadCount, threadKeys, waiters}) => ({
		keys: threadKeys,
		label: threadCount === 1 ? waiters[0].name : plural(threadCount, safe`thread`),
	}),
};
