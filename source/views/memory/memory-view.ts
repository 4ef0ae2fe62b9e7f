import {plural, rounded} from '../../query/columns/format.js';
import {noDetail, queryThreadDetail} from '../../query/detail.js';
import {safe} from '../../util/printable.js';
import {csvOf, rowsAsJson} from '../common/file-fields.js';
import type {View} from '../common/view.js';
import {memoryColumns, queryMemory, type MemoryRow} from './memory-rows.js';

export const memoryView: View<MemoryRow> = {
	id: 'memory',
	title: 'Memory',
	columns: memoryColumns,
	sort: {column: safe`what`, reverse: false},
	keys: [],
	about:
		'What the process lives on, and how near its limits are: heap, metaspace, buffers, code, resident memory, '
		+ 'threads, open files, collections. From the JVM\'s own counters, /proc and the JVM\'s memory; nothing runs '
		+ 'in the JVM for it. What cannot be read has no row.',
	hints: ({threadKeys}) => [
		{key: 'enter', title: threadKeys.length > 0 ? 'its threads and stacks' : 'what it is', short: 'more'},
		{key: '/', title: 'filter', short: 'filter'},
		{key: 'tab', title: 'next view', short: 'view'},
	],
	query: queryMemory,
	isDim: () => false,
	emptyText: ({missing}, {filter}) => missing ?? (filter === '' ? safe`nothing is known yet` : undefined),
	detail(snapshot, since, query, _key, row) {
		if (!row || row.threadKeys.length === 0) {
			return noDetail;
		}

		const detail = queryThreadDetail(snapshot, since, {...query, filter: safe``}, row.threadKeys);
		return {...detail, lines: [], waits: []};
	},
	titleLines: ({name, about, note}) => [
		{text: name.trim(), role: 'title'},
		{text: about},
		note === '' ? undefined : {text: note},
	],
	files: {
		csv: csvOf(memoryColumns, {
			what: row => row.name.trim(),
			used: 'used',
			max: 'max',
			unit: row => row.unit,
			used_percent: 'percent',
			more: 'more',
		}),
		json: (snapshot, since, query, top) =>
			rowsAsJson(queryMemory(snapshot, since, query).rows.slice(0, top), row => ({
				what: row.name.trim(),
				used: rounded(row.used),
				max: row.max ?? null,
				unit: row.unit,
				usedPercent: row.percent === undefined ? null : rounded(row.percent),
				more: row.note,
			})),
	},
	isAbout: ({id, figures}, {key, name}) => id === key || (id === 'gc' && key === 'collections')
		|| ((id === 'limit' || id === 'growth') && figures.limit === name.trim()),
	locationOf: () => undefined,
	threadsOf: ({threadKeys, name}) => ({
		keys: threadKeys,
		label: threadKeys.length > 0 ? name.trim() : plural(0, safe`thread`),
	}),
};
