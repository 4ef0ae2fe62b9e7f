import {joined, safe} from '../../util/printable.js';
import {threadStates, type ThreadState} from '../../model/thread-state.js';
import {locationNameOrEmpty} from '../../query/columns/column.js';
import {amountsText} from '../../query/columns/event-columns.js';
import {decimals, msOf, partText, plural} from '../../query/columns/format.js';
import {queryStackDetail} from '../../query/detail.js';
import type {Query} from '../../query/types/query.js';
import {csvOf, frameOf, rowsAsJson, csvFieldsOfStates, statesAsJson, viaOf} from '../common/file-fields.js';
import {cyclingKey} from '../common/opening-keys.js';
import type {View} from '../common/view.js';
import {frameText, queryStackHistogram, stackColumns, type StackHistogramRow} from './stacks.js';

/** The choices of frames to compare that `l` cycles through. */
const depths: ReadonlyArray<number | undefined> = [undefined, 10, 5, 1];

export const stacksView: View<StackHistogramRow> = {
	id: 'stacks',
	title: 'Stacks',
	columns: stackColumns,
	sort: {column: safe`share`, reverse: false},
	keys: [
		cyclingKey('compare whole stacks, or only their first 10 or 5 frames, or the first alone', depths, ({depth}) =>
			depth, depth => ({change: {depth}, message: `stacks are the same when ${comparedText(depth)} are`})),
	],
	about: 'Identical stacks, counted: the same when their frames are, with any threads and locks.',
	hints: (_, {depth}) => [
		{key: 'enter', title: 'the whole stack', short: 'stack'},
		{key: 't', title: 'only its threads', short: 'threads'},
		{
			key: 'l',
			title: depth === undefined || !Number.isFinite(depth) ? 'compare fewer frames' : 'compare other frames',
			short: 'frames',
		},
	],
	query: queryStackHistogram,
	isDim: row => row.selfPercent <= row.errorPercent,
	remark: ({depth, ownFirst}) =>
		joined([
			depth === undefined || !Number.isFinite(depth)
				? safe``
				: safe`first ${depth === 1 ? 'frame' : safe`${depth} frames`}`,
			ownFirst ? safe`own code` : safe``,
		].filter(Boolean), safe`, `),
	detail(snapshot, since, query, _key, row) {
		const detail = queryStackDetail(snapshot, since, query, row);
		return row
			? {...detail, fullStacks: [{title: safe`STACK (innermost frame first)`, frames: row.fullStack}]}
			: detail;
	},
	titleLines(row) {
		const self = partText(row.selfFigure, row.selfPercent);
		const share = safe`${self}, ${amountsText(row.unit, row.selfCpuNs, row.selfTicks)}`;
		return [
			{text: frameText(row), role: 'title'},
			{text: safe`${share}, ${plural(row.threadCount, safe`thread`)}`},
			{text: safe`fingerprint ${row.fingerprint}`},
		];
	},
	files: {
		csv: csvOf(stackColumns, {
			fingerprint: 'fingerprint',
			percent: 'share',
			error_percent: row => decimals(row.errorPercent, 2),
			ticks: 'ticks',
			cpu_ms: 'cpu',
			threads: 'threads',
			...csvFieldsOfStates,
			frames: row => row.frames.map(frame => frameText(frame)).join('; '),
			via: row => locationNameOrEmpty(row.via),
		}),
		json: (snapshot, since, query, top) =>
			rowsAsJson(queryStackHistogram(snapshot, since, query).rows.slice(0, top), row => ({
				ticks: row.selfTicks,
				cpuMs: msOf(row.selfCpuNs),
				percent: decimals(row.selfPercent, 3),
				threads: row.threadCount,
				state: mostTicks(row),
				states: statesAsJson(row.states),
				fingerprint: row.fingerprint,
				...viaOf(row, query),
				frames: row.frames.map(frame => frameOf(frame)),
			})),
	},
	locationOf: row => row,
};

function comparedText(depth: Query['depth']): string {
	return depth === undefined
		? 'all their frames'
		: (depth === 1 ? 'their first frames' : `their first ${depth} frames`);
}

function mostTicks({states}: StackHistogramRow): ThreadState {
	return threadStates[states.indexOf(Math.max(...states))];
}
