import {joined, safe} from '../../util/printable.js';
import {locationNameOrEmpty} from '../../query/columns/column.js';
import {amountsText} from '../../query/columns/event-columns.js';
import {decimals, formatPercent, msOf} from '../../query/columns/format.js';
import {nameWith, viaText} from '../../query/columns/names.js';
import {queryLineDetail} from '../../query/detail.js';
import {locationKey} from '../../query/counters/location.js';
import {csvOf, frameOf, csvFieldsOfLocation, viaOf} from '../common/file-fields.js';
import {directionKey, groupingRemarks, treeKeys} from '../common/opening-keys.js';
import type {View} from '../common/view.js';
import type {CallNode} from './call-tree.js';
import {openTree, queryTree, treesAsJson, treeColumns} from './tree.js';

export const treeView: View<CallNode> = {
	id: 'tree',
	title: 'Tree',
	columns: treeColumns,
	sort: {column: safe`total`, reverse: false},
	keys: [directionKey, ...treeKeys],
	files: {
		csv: csvOf(treeColumns, {
			level: row => row.level,
			...csvFieldsOfLocation,
			total_percent: 'total',
			self_percent: 'self',
			total_ticks: 'ticks',
			self_ticks: row => row.selfTicks,
			total_cpu_ms: 'cpu',
			self_cpu_ms: row => msOf(row.selfCpuNs),
			via: row => locationNameOrEmpty(row.via),
		}),
		csvRows: (snapshot, since, query) =>
			queryTree(snapshot, since, {...query, tree: {...query.tree, isAllOpen: true}}).rows,
		json(snapshot, since, query, top) {
			const {tree} = openTree(snapshot, since, query);
			return treesAsJson(tree, tree.below(tree.root), {
				top,
				fieldsOf: row => ({
					...frameOf(row),
					self: row.selfTicks,
					total: row.totalTicks,
					cpuMs: msOf(row.selfCpuNs),
					totalCpuMs: msOf(row.totalCpuNs),
					totalPercent: decimals(row.totalPercent, 3),
					...viaOf(row, query),
				}),
			});
		},
	},
	about: 'Paths of calls with their CPU time, open to where the hot one forks: from the threads\' roots down, '
		+ 'or from hot lines up to their callers.',
	hints: (row, {tree}) => [
		row.isOpen ? {key: '-', title: 'close', short: 'close'} : {key: '+', title: 'open', short: 'open'},
		{key: '*', title: 'open all below', short: 'all'},
		tree?.isBottomUp
			? {key: 'b', title: 'from the roots down', short: 'down'}
			: {key: 'b', title: 'from hot lines up', short: 'up'},
	],
	query: queryTree,
	locationOf: row => row,
	isDim: row => row.totalPercent < 1,
	remark: query => joined(
		[query.tree?.isBottomUp ? safe`bottom-up` : safe`top-down`, ...groupingRemarks(query)],
		safe` `,
	),
	detail: (snapshot, since, query, _key, row) =>
		queryLineDetail(snapshot, since, query, row ? locationKey(row, query.by) : ''),
	titleLines(row, width) {
		const {total, self, of} = row.percents;
		const percents = safe`${formatPercent(total)}% of ${of}, ${formatPercent(self)}% self`;
		return [
			{text: nameWith(row, row.via ? [viaText(row.via)] : [], width, true), role: 'title'},
			{
				text: safe`by this path: ${percents}, ${amountsText(row.unit, row.totalCpuNs, row.totalTicks)}`,
			},
			{text: safe`below: all of it, by any path`},
		];
	},
};
