/*
What a refresh of the screen costs in queries: CPU time of this process, medians. Two sizes: 200 threads x 50 frames
(about 5,000 nodes and facts), about a millisecond; and a full table of 50,000 facts, of few stacks and of many.
*/
import process from 'node:process';
import {defaultQuery} from '../source/query/defaults.js';
import {queryLineDetail} from '../source/query/detail.js';
import {queryLines} from '../source/query/lines.js';
import {queryStacks} from '../source/query/stacks.js';
import {summarize} from '../source/query/summary.js';
import {queryBlockers} from '../source/query/locks/blockers.js';
import {queryFocus} from '../source/query/focus/focus.js';
import {queryThreads} from '../source/query/threads.js';
import {queryTree} from '../source/query/tree/tree.js';
import {queryVotes} from '../source/query/votes.js';
import type {Query} from '../source/query/types.js';
import {makeSnapshots} from './support/snapshots.js';

const rounds = 60;
const callsInRound = 5;
const warmUpRounds = 20;

/** Median CPU milliseconds of a call. */
function measure(call: () => unknown): number {
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

	return times.sort((a, b) => a - b)[Math.floor(times.length / 2)];
}

function main(): void {
	const query: Query = defaultQuery;
	for (const [wanted, leaves] of [[5000, 1], [50_000, 1], [50_000, 40]]) {
		const {baseline, snapshot} = makeSnapshots(wanted, leaves);
		const tree = {...query, sort: {column: 'total', reverse: false}};
		const focus = {...query, sort: {column: 'wall', reverse: false}, method: 'method1'};
		const started = process.cpuUsage();
		const {rows} = queryLines(snapshot, undefined, query);
		const first = process.cpuUsage(started);
		const firstMs = ((first.user + first.system) / 1000).toFixed(1);
		process.stdout.write(`${snapshot.facts.count} facts, ${snapshot.dictionary.nodeCount} nodes, ${rows.length} lines (the first query, which builds the index: ${firstMs} ms)\n`);
		const cases: ReadonlyArray<readonly [string, () => unknown]> = [
			['lines', () => queryLines(snapshot, undefined, query)],
			['lines of a window', () => queryLines(snapshot, baseline, query)],
			['lines, filtered by words', () => queryLines(snapshot, undefined, {...query, filter: 'part1 !method9'})],
			['lines, filtered by an expression', () => queryLines(snapshot, undefined, {...query, filter: String.raw`/part\d+.*method1/`})],
			['methods', () => queryLines(snapshot, undefined, {...query, by: 'method'})],
			['threads', () => queryThreads(snapshot, undefined, {...query, foldPools: true})],
			['stacks', () => queryStacks(snapshot, undefined, query)],
			['Stacks', () => queryVotes(snapshot, undefined, query)],
			['Stacks, filtered by words', () => queryVotes(snapshot, undefined, {...query, filter: 'part1 !method9'})],
			['Stacks, ten frames', () => queryVotes(snapshot, undefined, {...query, depth: 10})],
			['Tree', () => queryTree(snapshot, undefined, tree)],
			['Tree, filtered by words', () => queryTree(snapshot, undefined, {...tree, filter: 'part1 !method9'})],
			['Tree, methods', () => queryTree(snapshot, undefined, {...tree, by: 'method'})],
			['Tree, bottom-up', () => queryTree(snapshot, undefined, {...tree, tree: {isBottomUp: true}})],
			['Tree, all of it open', () => queryTree(snapshot, undefined, {...tree, tree: {isAllOpen: true}})],
			['Focus on a hundred methods', () => queryFocus(snapshot, undefined, focus)],
			['Focus on a hundred methods, all of it open', () => queryFocus(snapshot, undefined, {...focus, tree: {isAllOpen: true}})],
			['Blockers', () => queryBlockers(snapshot, undefined, query)],
			['detail of the hottest line', () => queryLineDetail(snapshot, undefined, query, rows[0].key)],
			['summary', () => summarize(snapshot, baseline)],
		];
		for (const [name, call] of cases) {
			process.stdout.write(`  ${measure(call).toFixed(2).padStart(7)} ms  ${name}\n`);
		}
	}
}

main();
