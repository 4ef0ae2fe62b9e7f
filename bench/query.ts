/*
What a refresh of the screen costs in queries: CPU time of this process, medians. Two sizes: 200 threads x 50 frames (about 5,000 nodes and facts), about a millisecond; and a full table of 50,000 facts.
*/
import process from 'node:process';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import type {Snapshot} from '../source/model/snapshot.js';
import {stateCode} from '../source/model/thread-state.js';
import {defaultQuery} from '../source/query/defaults.js';
import {queryLineDetail} from '../source/query/detail.js';
import {queryLines} from '../source/query/lines.js';
import {queryStacks} from '../source/query/stacks.js';
import {summarize} from '../source/query/summary.js';
import {queryThreads} from '../source/query/threads.js';
import type {Query} from '../source/query/types.js';

const threads = 200;
const depth = 50;
const rounds = 60;
const callsInRound = 5;
const warmUpRounds = 20;

/** Stacks of `depth` frames that share their lower parts, as those of a service do; `facts` of them, over all threads and some states. */
function makeSnapshots(facts: number): {baseline: Snapshot; snapshot: Snapshot} {
	const builder = new SnapshotBuilder();
	let seed = 1;
	const random = (below: number) => {
		seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
		return Math.floor(seed / 4_294_967_296 * below);
	};

	const frames = Array.from({length: 2000}, (_, index) => {
		const name = `Class${index % 300}`;
		return builder.addFrame(`com.acme.part${index % 40}.${name}`, `method${index % 900}`, `${name}.java`, index % 17 === 0 ? -2 : index);
	});
	const ids = Array.from({length: threads}, (_, index) => builder.addThread({key: index + 1, name: builder.internString(`worker-${index}`)}));
	const bases = Array.from({length: 40}, (_, base) => builder.addStack(Array.from({length: depth - 8}, (_, index) => frames[((base * 31) + (index * 7)) % frames.length])));
	let baseline: Snapshot | undefined;
	for (let fact = 0; fact < facts; fact++) {
		let node = bases[random(bases.length)];
		for (let level = 0; level < 8; level++) {
			node = builder.addCallee(node, frames[(((node % 97) * 13) + random(level < 5 ? 1 : 3)) % frames.length]);
		}

		const state = [stateCode.RUNNABLE, stateCode.RUNNABLE, stateCode.BLOCKED, stateCode.WAITING][random(4)];
		builder.count(ids[random(threads)], node, state, 1 + random(20), state === stateCode.RUNNABLE ? random(1e7) : 0);
		if (fact === Math.floor(facts / 2)) {
			baseline = builder.build({session: {durationMs: 10_000, samples: 50}});
		}
	}

	return {baseline: baseline!, snapshot: builder.build({session: {durationMs: 20_000, samples: 100}})};
}

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
	for (const wanted of [5000, 50_000]) {
		const {baseline, snapshot} = makeSnapshots(wanted);
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
			['detail of the hottest line', () => queryLineDetail(snapshot, undefined, query, rows[0].key)],
			['summary', () => summarize(snapshot, baseline)],
		];
		for (const [name, call] of cases) {
			process.stdout.write(`  ${measure(call).toFixed(2).padStart(7)} ms  ${name}\n`);
		}
	}
}

main();
