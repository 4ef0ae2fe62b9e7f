/*
What a refresh of the screen costs in queries: CPU time of this process, medians, without and with own code first. Each
call is of a snapshot of its own, as each refresh is: nothing is found that another call has counted. Two sizes: 200
threads x 50 frames (about 5,000 nodes and facts), wanted below 4 ms, and a table of 50,000 facts, of few stacks and of
many, wanted below 30 ms. Numbers choose some of the three: `npm run bench -- query 3`.
*/
import process from 'node:process';
import type {Snapshot} from '../source/model/snapshot.js';
import {queryChanges} from '../source/query/changes/changes.js';
import {defaultQuery} from '../source/query/defaults.js';
import {queryLineDetail} from '../source/query/detail.js';
import {queryLines} from '../source/query/lines.js';
import {queryStacks} from '../source/query/stacks.js';
import {summarize} from '../source/query/summary.js';
import {queryBlockers} from '../source/query/locks/blockers.js';
import {queryFocus} from '../source/query/focus/focus.js';
import {queryThreads} from '../source/query/threads.js';
import type {RowList} from '../source/query/row-list.js';
import {queryTree} from '../source/query/tree/tree.js';
import {queryVotes} from '../source/query/votes.js';
import type {Query} from '../source/query/types.js';
import {median} from './support/figures.js';
import {makeSnapshots} from './support/snapshots.js';

const rounds = 60;
const warmUpRounds = 20;
const sizes = [
	{facts: 5000, leaves: 1, below: 4, callsInRound: 5},
	{facts: 50_000, leaves: 1, below: 30, callsInRound: 1},
	{facts: 50_000, leaves: 40, below: 30, callsInRound: 1},
];

/** Median CPU milliseconds of a call. */
function measure(call: () => unknown, callsInRound: number): number {
	const times: number[] = [];
	for (let round = 0; round < warmUpRounds + rounds; round++) {
		const before = process.cpuUsage();
		for (let count = 0; count < callsInRound; count++) {
			call();
		}

		const {user, system} = process.cpuUsage(before);
		if (round >= warmUpRounds) {
			times.push((user + system) / 1000 / callsInRound);
		}
	}

	return median(times);
}

/** What is measured, by name. */
function casesOf(snapshot: () => Snapshot, baseline: Snapshot, hottest: string): ReadonlyArray<readonly [string, (query: Query) => unknown]> {
	const tree = {sort: {column: 'total', reverse: false}};
	const focus = {sort: {column: 'wall', reverse: false}, method: 'method1'};
	const words = {filter: 'part1 !method9'};
	return [
		['Lines', query => queryLines(snapshot(), undefined, query)],
		['Lines of a window', query => queryLines(snapshot(), baseline, query)],
		['Lines, filtered by words', query => queryLines(snapshot(), undefined, {...query, ...words})],
		['Lines, filtered by an expression', query => queryLines(snapshot(), undefined, {...query, filter: String.raw`/part\d+.*method1/`})],
		['Lines, methods', query => queryLines(snapshot(), undefined, {...query, by: 'method'})],
		['Changes', query => queryChanges(snapshot(), undefined, {...query, sort: {column: 'cpu', reverse: false}, mark: {snapshot: baseline, baseline: undefined, title: 'mark'}})],
		['Threads', query => queryThreads(snapshot(), undefined, {...query, foldPools: true})],
		['Stacks', query => queryVotes(snapshot(), undefined, query)],
		['Stacks, filtered by words', query => queryVotes(snapshot(), undefined, {...query, ...words})],
		['Stacks, ten frames', query => queryVotes(snapshot(), undefined, {...query, depth: 10})],
		['Tree', query => queryTree(snapshot(), undefined, {...query, ...tree})],
		['Tree, filtered by words', query => queryTree(snapshot(), undefined, {...query, ...tree, ...words})],
		['Tree, methods', query => queryTree(snapshot(), undefined, {...query, ...tree, by: 'method'})],
		['Tree, bottom-up', query => queryTree(snapshot(), undefined, {...query, ...tree, tree: {isBottomUp: true}})],
		['Focus on a hundred methods', query => queryFocus(snapshot(), undefined, {...query, ...focus})],
		['Blockers', query => queryBlockers(snapshot(), undefined, query)],
		['stacks of a report', query => queryStacks(snapshot(), undefined, query)],
		['detail of the hottest line', query => queryLineDetail(snapshot(), undefined, query, hottest)],
		['summary', () => summarize(snapshot(), baseline)],
	];
}

/** Trees of which a reader has opened every root to the last row, and those of files. */
function openTrees(snapshot: () => Snapshot): ReadonlyArray<readonly [string, (query: Query) => {readonly rows: RowList<unknown>}]> {
	const tree = {...defaultQuery, sort: {column: 'total', reverse: false}};
	const up = {isBottomUp: true};
	const focus = {...defaultQuery, sort: {column: 'wall', reverse: false}, method: 'method1'};
	const opened = (rows: Iterable<{readonly key: string; readonly parentKey?: string}>) => ({opened: new Map([...rows].filter(({parentKey}) => parentKey === undefined).map(({key}) => [key, 'all'] as const))});
	const downOpen = opened(queryTree(snapshot(), undefined, tree).rows);
	const upOpen = {...up, ...opened(queryTree(snapshot(), undefined, {...tree, tree: up}).rows)};
	const focusOpen = opened(queryFocus(snapshot(), undefined, focus).rows);
	return [
		['Tree, every root opened', ({ownFirst}) => queryTree(snapshot(), undefined, {...tree, ownFirst, tree: downOpen})],
		['Tree, bottom-up, every root opened', ({ownFirst}) => queryTree(snapshot(), undefined, {...tree, ownFirst, tree: upOpen})],
		['Focus on a hundred methods, opened', ({ownFirst}) => queryFocus(snapshot(), undefined, {...focus, ownFirst, tree: focusOpen})],
		['Tree of a file', ({ownFirst}) => queryTree(snapshot(), undefined, {...tree, ownFirst, tree: {isAllOpen: true}})],
		['Tree of a file, bottom-up', ({ownFirst}) => queryTree(snapshot(), undefined, {...tree, ownFirst, tree: {...up, isAllOpen: true}})],
		['Focus of a file', ({ownFirst}) => queryFocus(snapshot(), undefined, {...focus, ownFirst, tree: {isAllOpen: true}})],
	];
}

function main(): void {
	const chosen = process.argv.slice(2).map(Number);
	for (const [index, {facts, leaves, below, callsInRound}] of sizes.entries()) {
		if (chosen.length > 0 && !chosen.includes(index + 1)) {
			continue;
		}

		const {baseline, snapshot} = makeSnapshots(facts, leaves);
		const started = process.cpuUsage();
		const {rows} = queryLines(snapshot, undefined, defaultQuery);
		const first = process.cpuUsage(started);
		const firstMs = ((first.user + first.system) / 1000).toFixed(1);
		process.stdout.write(`${snapshot.facts.count} facts, ${snapshot.dictionary.nodeCount} nodes, ${rows.length} lines (the first query, which builds the index: ${firstMs} ms); wanted: < ${below} ms\n`);
		const report = (name: string, call: (query: Query) => unknown) => {
			const times = [false, true].map(ownFirst => measure(() => call({...defaultQuery, ownFirst}), callsInRound));
			const cells = times.map(ms => `${ms.toFixed(2).padStart(7)} ms ${ms < below ? '  ' : 'NO'}`);
			process.stdout.write(`${cells.join('  ')}  ${name}\n`);
		};

		for (const [name, call] of casesOf(() => ({...snapshot}), baseline, rows[0].key)) {
			report(name, call);
		}

		for (const [name, call] of openTrees(() => ({...snapshot}))) {
			report(`${name} (${call(defaultQuery).rows.length} rows)`, call);
		}
	}
}

main();
