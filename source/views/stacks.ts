import {threadStates, type ThreadState} from '../model/thread-state.js';
import {formatCount, formatMs} from '../query/columns/format.js';
import {voteColumns} from '../query/columns/vote-columns.js';
import {queryStackDetail} from '../query/detail.js';
import {placeName} from '../query/facts/place.js';
import {frameText} from '../query/fingerprint.js';
import type {Query, VoteRow} from '../query/types.js';
import {queryVotes} from '../query/votes.js';
import {
	decimals, frameTexts, msOf, stateColumns, statesOf, viaOf,
} from './record.js';
import type {View} from './view.js';

/** Frames that `l` compares, one choice after the other. */
const depths: ReadonlyArray<number | undefined> = [undefined, 10, 5, 1];

/** Identical stacks, counted: the poor man's profiler of thread dumps, live. */
export const stacksView: View<VoteRow> = {
	id: 'stacks',
	title: 'Stacks',
	columns: voteColumns,
	sort: {column: 'share', reverse: false},
	keys: [{
		keys: ['l'], shown: 'l', help: 'compare whole stacks, or their first 10, 5 frames or the first alone',
		press({depth}) {
			const next = depths[(depths.indexOf(depth) + 1) % depths.length];
			return {change: {depth: next}, said: `stacks are the same when ${comparedText(next)} are`};
		},
	}],
	about: 'Identical stacks, counted: the same when their frames are, whatever threads and locks they were seen with.',
	hints: (_, {depth}) => [
		{key: 'enter', title: 'the whole stack', short: 'stack'},
		{key: 't', title: 'only its threads', short: 'threads'},
		{key: 'l', title: depth === undefined || !Number.isFinite(depth) ? 'compare fewer frames' : 'compare other frames', short: 'frames'},
	],
	query: queryVotes,
	isDim: row => row.percent <= row.errorPercent,
	remark: ({depth, ownFirst}) => [depth === undefined || !Number.isFinite(depth) ? '' : `first ${depth === 1 ? 'frame' : `${depth} frames`}`, ownFirst ? 'own code' : ''].filter(Boolean).join(', '),
	emptyText: () => undefined,
	detail(snapshot, baseline, query, _key, row) {
		const detail = queryStackDetail(snapshot, baseline, query, row);
		return row ? {...detail, wholeStacks: [{title: 'STACK (innermost frame first)', frames: row.wholeFrames}]} : detail;
	},
	titleLines(row) {
		const share = `${row.percent.toFixed(1)}% +/- ${row.errorPercent.toFixed(1)}, ${formatMs(row.cpuNs)} ms CPU, ${formatCount(row.ticks)} ticks`;
		return [
			{text: frameText(row.top), role: 'title'},
			{text: `${share}, ${row.threadCount} ${row.threadCount === 1 ? 'thread' : 'threads'}`},
			{text: `fingerprint ${row.fingerprint}`},
		];
	},
	files: {
		csv: [
			{id: 'fingerprint', description: 'MD5 of the compared frames', cell: row => row.fingerprint},
			{id: 'percent', description: 'share of CPU time (of ticks where the counted states use none)', cell: row => decimals(row.percent, 2)},
			{id: 'error_percent', description: 'half the width of its 95 % confidence interval, percentage points', cell: row => decimals(row.errorPercent, 2)},
			{id: 'ticks', description: 'thread samples in the counted states', cell: row => row.ticks},
			{id: 'cpu_ms', description: 'CPU time, milliseconds', cell: row => msOf(row.cpuNs)},
			{id: 'threads', description: 'threads seen with it', cell: row => row.threadCount},
			...stateColumns<VoteRow>(),
			{id: 'frames', description: 'the compared frames as Java prints them, innermost first, separated by "; "', cell: row => row.frames.map(frame => frameText(frame)).join('; ')},
			{id: 'via', description: 'with --own-first: the method of others\' code that the first of these frames called, in most of its samples; empty where it stood in its own', cell: row => row.via ? placeName(row.via) : ''},
		],
		* json(snapshot, baseline, query, top) {
			const textOf = frameTexts();
			for (const row of queryVotes(snapshot, baseline, query).rows.slice(0, top)) {
				const head = JSON.stringify({
					ticks: row.ticks, cpuMs: msOf(row.cpuNs), percent: decimals(row.percent, 3), threads: row.threadCount, state: mostTicks(row), states: statesOf(row.states), fingerprint: row.fingerprint, ...viaOf(row, query),
				});
				yield `${head.slice(0, -1)},"frames":[${row.frames.map(frame => textOf(frame)).join(',')}]}`;
			}
		},
	},
	placeOf: ({top}) => top,
	threadsOf: (_, {threads}) => ({keys: threads.map(({key}) => key), label: threads.length === 1 ? threads[0].name : `${threads.length} threads`}),
};

function comparedText(depth: Query['depth']): string {
	return depth === undefined ? 'all their frames' : (depth === 1 ? 'their first frames' : `their first ${depth} frames`);
}

function mostTicks({states}: VoteRow): ThreadState {
	return threadStates[states.indexOf(Math.max(...states))];
}
