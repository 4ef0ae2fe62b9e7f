import {joined, printable, safe} from '../../util/printable.js';
import {locationNameOrEmpty} from '../../query/columns/column.js';
import {decimals, formatCount, formatMs, formatPercent, msOf, rounded} from '../../query/columns/format.js';
import {nameWith, viaText} from '../../query/columns/names.js';
import {queryLineDetail} from '../../query/detail.js';
import {locationKey} from '../../query/counters/location.js';
import {treesAsJson} from '../tree/tree.js';
import {csvOf, frameOf, csvFieldsOfLocation, csvFieldsOfStates, statesAsJson, viaOf} from '../common/file-fields.js';
import {groupingRemarks, keyOrOption, treeKeys} from '../common/opening-keys.js';
import type {View} from '../common/view.js';
import {openFocus, queryFocus, focusColumns, type FocusRow} from './focus.js';

export const focusView: View<FocusRow> = {
	id: 'focus',
	title: 'Focus',
	columns: focusColumns,
	sort: {column: safe`wall`, reverse: false},
	keys: treeKeys,
	about:
		'Where the time of one method goes, waits included, what it calls and who calls it: thread time in every state and CPU time side by side, by samples. f on a row of any view chooses the method.',
	hints: row => [
		row.isOpen ? {key: '-', title: 'close', short: 'close'} : {key: '+', title: 'open', short: 'open'},
		{key: 'f', title: 'the same of this method', short: 'focus'},
		{key: 'escape', title: 'back', short: 'back'},
	],
	query: queryFocus,
	isDim: row => row.totalPercent <= row.wallError && row.cpuPercent <= row.cpuError,
	remark: query => joined([...(query.method ? [printable(query.method)] : []), ...groupingRemarks(query)], safe` `),
	emptyText(_, query) {
		if (query.method) {
			const filtered = query.filter === '' ? '' : ' and matches the filter';
			return safe`no sample in this window has a method like ${printable(query.method)} on its stack${filtered}`;
		}

		const key = safe`press f on a row of another view, or start with --method PATTERN`;
		return safe`no method is chosen: ${keyOrOption(query, key, safe`--method PATTERN chooses one`)}`;
	},
	focusOn: ({className, method}) => ({
		method: locationKey({className, method, file: safe``, line: -1}, 'method'),
		tree: undefined,
	}),
	locationOf: row => row,
	detail(snapshot, since, query, _key, row) {
		const by = row?.isMethod ? 'method' : query.by;
		return queryLineDetail(snapshot, since, {...query, by}, row ? locationKey(row, by) : '');
	},
	titleLines: (row, width) => [
		{text: nameWith(row, row.via ? [viaText(row.via)] : [], width, true), role: 'title'},
		{
			text:
				joined([
					safe`${row.part === 'calls' ? 'by this path' : 'as a caller, by this path'}:`,
					safe`${formatPercent(row.totalPercent)}% +/- ${formatPercent(row.wallError)} of the method's`,
					safe`thread time (${formatMs(row.wallMs * 1e6)} ms),`,
					safe`${formatPercent(row.cpuPercent)}% +/- ${formatPercent(row.cpuError)} of its CPU time`,
					safe`(${formatMs(row.totalCpuNs)} ms), ${formatCount(row.totalTicks)} ticks in all states`,
				], safe` `),
		},
		{text: safe`below: all of it, by any path`},
	],
	files: {
		csv: csvOf(focusColumns, {
			part: row => row.part,
			level: row => row.level,
			...csvFieldsOfLocation,
			wall_percent: 'wall',
			wall_error_percent: 'wall-error',
			cpu_percent: 'cpu',
			cpu_error_percent: 'cpu-error',
			wall_ms: 'wall-ms',
			cpu_ms: 'cpu-ms',
			ticks: row => row.totalTicks,
			self_ticks: row => row.selfTicks,
			self_cpu_ms: row => msOf(row.selfCpuNs),
			...csvFieldsOfStates,
			via: row => locationNameOrEmpty(row.via),
		}),
		csvRows: (snapshot, since, query) =>
			queryFocus(snapshot, since, {...query, tree: {...query.tree, isAllOpen: true}}).rows,
		* json(snapshot, since, query, top) {
			const [calls, callers] = openFocus(snapshot, since, query).map(({tree}) => tree);
			if (calls) {
				const options = {top, fieldsOf: (row: FocusRow) => ({...rowAsJson(row), ...viaOf(row, query)})};
				const [method] = treesAsJson(calls, [calls.root], options);
				// The callers become the last field of the method's object.
				yield `${method.slice(0, -1)},"callers":[${[...treesAsJson(callers, callers.below(callers.root), options)].join(',')}]}`;
			}
		},
	},
};

function rowAsJson(row: FocusRow) {
	return {
		...frameOf(row),
		ticks: row.totalTicks,
		wallMs: rounded(row.wallMs),
		wallPercent: decimals(row.totalPercent, 3),
		wallErrorPercent: decimals(row.wallError, 3),
		cpuMs: msOf(row.totalCpuNs),
		cpuPercent: decimals(row.cpuPercent, 3),
		cpuErrorPercent: decimals(row.cpuError, 3),
		selfTicks: row.selfTicks,
		selfCpuMs: msOf(row.selfCpuNs),
		states: statesAsJson(row.states),
	};
}
