import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {rootNode} from '../../source/model/frame.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {stateCount, threadStates, type ThreadState} from '../../source/model/thread-state.js';
import {defaultQuery, type GroupBy, type Query} from '../../source/query/types/query.js';
import {queryLineDetail} from '../../source/query/detail.js';
import {lineColumns} from '../../source/views/lines/columns.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {queryStacks, type StackRow} from '../../source/query/stacks.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {byText, inOrder} from '../../source/query/columns/sort.js';
import type {LineRow} from '../../source/query/counted-lines.js';
import {sum} from '../helpers/sum.js';

type Sampled = {readonly thread: number; readonly frames: readonly number[]; readonly state: number; readonly cpuNs: number};

/** Snapshots of one session after `cut` samples and after all. */
function snapshots(samples: readonly Sampled[], cut = 0): {readonly before: Snapshot; readonly after: Snapshot} {
	const builder = newBuilder();
	const before = count(builder, samples.slice(0, cut)).build();
	return {before, after: count(builder, samples.slice(cut)).build()};
}

function newBuilder(): SnapshotBuilder {
	const builder = new SnapshotBuilder();
	for (let thread = 0; thread < 4; thread++) {
		builder.addThread({key: thread + 1, name: `pool-${thread}`});
	}

	// Three classes of two methods with three lines each; one of them native, one without lines.
	for (let frame = 0; frame < 18; frame++) {
		builder.addFrame(`p.C${frame % 3}`, `m${frame % 2}`, `C${frame % 3}.java`, [-2, -1, 0, 7, 8, 9][Math.floor(frame / 3)]);
	}

	return builder;
}

function count(builder: SnapshotBuilder, samples: readonly Sampled[]): SnapshotBuilder {
	for (const sample of samples) {
		builder.count(sample.thread, builder.addStack(sample.frames.map(frame => frame + 1)), sample.state, 1, sample.cpuNs);
	}

	return builder;
}

const stateLists: ReadonlyArray<readonly ThreadState[]> = [['RUNNABLE', 'BLOCKED'], threadStates, ['WAITING'], []];
const groupings: readonly GroupBy[] = ['line', 'method', 'class'];

const sampled: fc.Arbitrary<Sampled> = fc.record({
	thread: fc.nat(3),
	frames: fc.array(fc.nat(17), {maxLength: 6}),
	state: fc.nat(stateCount - 1),
	// Whole microseconds: sums of their squares are exact, and so are differences of these.
	cpuNs: fc.oneof({arbitrary: fc.constant(0), weight: 2}, fc.nat(999).map(us => us * 1000)),
});
const queries = fc.record({
	by: fc.constantFrom(...groupings),
	states: fc.constantFrom(...stateLists),
	unit: fc.constantFrom('cpu' as const, 'ticks' as const),
	threadKeys: fc.oneof({arbitrary: fc.constant(undefined), weight: 4}, fc.constant([1, 3])),
});

/**
Calls back with random samples of few threads, classes, methods and lines, so that locations repeat and recurse, with
queries of all sorts, and with a number of samples to cut the session at.
*/
function eachCase(check: (samples: readonly Sampled[], query: Query, cut: number) => void): void {
	fc.assert(fc.property(fc.array(sampled, {minLength: 1, maxLength: 120, size: 'max'}), queries, fc.nat(120), ([...samples], {threadKeys, ...query}, cut) => {
		check(samples, {...defaultQuery, ...query, threadKeys: threadKeys && new Set(threadKeys)}, Math.min(cut, samples.length));
	}), {numRuns: 100});
}

/** The figures by the definitions, sample by sample. */
function naive(samples: readonly Sampled[], snapshot: Snapshot, {by, states, threadKeys}: Query): Map<string, number[]> {
	const {dictionary} = snapshot;
	const rows = new Map<string, number[]>();
	const keyOf = (frame: number): string => {
		const [className, method] = [dictionary.strings[dictionary.frameClass[frame]], dictionary.strings[dictionary.frameMethod[frame]]];
		return by === 'class' ? className : (by === 'method' ? `${className}.${method}` : `${className}.${method}:${dictionary.frameLine[frame]}`);
	};

	const add = (key: string, at: number, amount: number) => {
		const row = rows.get(key) ?? [0, 0, 0, 0];
		row[at] += amount;
		rows.set(key, row);
	};

	for (const {thread, frames, state, cpuNs} of samples) {
		if (frames.length === 0 || (threadKeys && !threadKeys.has(thread + 1))) {
			continue;
		}

		const ids = frames.map(frame => frame + 1);
		const tick = Number(states.includes(threadStates[state]));
		const self = keyOf(ids.find(id => dictionary.frameLine[id] >= 0) ?? ids[0]);
		add(self, 0, tick);
		add(self, 1, cpuNs);
		for (const key of new Set(ids.map(id => keyOf(id)))) {
			add(key, 2, tick);
			add(key, 3, cpuNs);
		}
	}

	return new Map([...rows].filter(([, row]) => row[2] > 0 || (states.includes('RUNNABLE') && row[3] > 0)).sort(([a], [b]) => a < b ? -1 : 1));
}

/** All that a row says, which it looks up as it is asked. */
function figuresOf(row: LineRow): Partial<LineRow> {
	const prototypes: object[] = [];
	for (let prototype = Object.getPrototypeOf(row) as object; prototype !== Object.prototype; prototype = Object.getPrototypeOf(prototype) as object) {
		prototypes.push(prototype);
	}

	// What is read from is not compared, but what is read.
	const names = prototypes.flatMap(prototype => Object.getOwnPropertyNames(prototype)).filter(name => !['constructor', 'bucket', 'counted'].includes(name)) as Array<keyof LineRow>;
	expect(names).toEqual(expect.arrayContaining(['topThreads', 'className']));
	return Object.fromEntries(names.map(name => [name, row[name]]));
}

describe('lines', () => {
	test('are what the definitions say, sample by sample', () => {
		eachCase((samples, query) => {
			const {after} = snapshots(samples);
			const rows = queryLines(after, undefined, query).rows.map(row => [row.key, [row.selfTicks, row.selfCpuNs, row.totalTicks, row.totalCpuNs]] as const);
			expect(new Map([...rows].sort(([a], [b]) => a < b ? -1 : 1))).toEqual(naive(samples, after, query));
		});
	});

	test('self adds up to the whole, total is at least self, shares are within 0 and 100', () => {
		eachCase((samples, query) => {
			const table = queryLines(snapshots(samples).after, undefined, query);
			expect(sum(table.rows.map(row => row.selfTicks))).toBe(table.wholeTicks);
			if (query.states.includes('RUNNABLE')) {
				expect(sum(table.rows.map(row => row.selfCpuNs))).toBe(table.wholeCpuNs);
			}

			for (const row of table.rows) {
				expect(row.totalTicks).toBeGreaterThanOrEqual(row.selfTicks);
				expect(row.totalCpuNs).toBeGreaterThanOrEqual(row.selfCpuNs);
				expect(row.totalPercent).toBeGreaterThanOrEqual(row.selfPercent);
				expect(row.totalPercent).toBeLessThanOrEqual(100);
				expect(row.errorPercent).toBeGreaterThanOrEqual(0);
				expect(row.errorPercent).toBeLessThanOrEqual(100);
			}
		});
	});

	test('a baseline taken away leaves what a session of the later samples alone has', () => {
		eachCase((samples, query, cut) => {
			const {before, after} = snapshots(samples, cut);
			const later = snapshots(samples.slice(cut)).after;
			const [window, alone] = [queryLines(after, before, query), queryLines(later, undefined, query)];
			// Nothing but which threads stand first among equals depends on ids.
			const comparable = (rows: readonly LineRow[]) => rows.map(row => {
				const {file, blockedNow, stuckMs, ...others} = figuresOf(row);
				return others;
			});
			expect(comparable(window.rows)).toEqual(comparable(alone.rows));
			expect([window.wholeCpuNs, window.wholeTicks]).toEqual([alone.wholeCpuNs, alone.wholeTicks]);
			const figures = (rows: readonly StackRow[]) => rows.map(row => `${row.ticks} ${row.cpuNs}`).sort(byText);
			expect(figures(queryStacks(after, before, query))).toEqual(figures(queryStacks(later, undefined, query)));
		});
	});

	test('an earlier snapshot reads the same after the session went on', () => {
		eachCase((samples, query) => {
			const {before, after} = snapshots(samples, samples.length >> 1);
			const first = queryLines(before, undefined, query).rows.map(row => figuresOf(row));
			queryLines(after, undefined, query);
			expect(queryLines(before, undefined, query).rows.map(row => figuresOf(row))).toEqual(first);
		});
	});

	test('every column orders the rows without losing any, and its reverse is the reverse', () => {
		eachCase((samples, query) => {
			const {after} = snapshots(samples);
			const all = queryLines(after, undefined, query).rows.map(({key}) => key);
			for (const column of lineColumns) {
				const forwards = queryLines(after, undefined, {...query, sort: {column: column.id, reverse: false}}).rows;
				const backwards = queryLines(after, undefined, {...query, sort: {column: column.id, reverse: true}}).rows;
				expect(forwards.map(({key}) => key).sort()).toEqual([...all].sort());
				for (const [sorted, reverse] of [[forwards, false], [backwards, true]] as const) {
					const order = inOrder(lineColumns, {column: column.id, reverse});
					expect(sorted.every((row, index) => index === 0 || order(sorted[index - 1], row) < 0)).toBe(true);
				}
			}
		});
	});
});

test('every sample is in one thread and, with frames and in a counted state, in one stack', () => {
	eachCase((samples, query) => {
		const {after} = snapshots(samples);
		const counted = samples.filter(({thread}) => !query.threadKeys || query.threadKeys.has(thread + 1));
		const {rows} = queryThreads(after, undefined, {...query, showIdle: true});
		expect(sum([...rows].flatMap(({states}) => [...states]))).toBe(counted.length);
		expect(sum(queryStacks(after, undefined, query).map(({ticks}) => ticks))).toBe(counted.filter(({frames, state}) => frames.length > 0 && query.states.includes(threadStates[state])).length);
	});
});

test('callers of a line and its beginnings of stacks add up to its total; its callees never to more', () => {
	eachCase((samples, query) => {
		const {after} = snapshots(samples);
		const {nodeParent} = after.dictionary;
		for (const row of queryLines(after, undefined, query).rows) {
			const detail = queryLineDetail(after, undefined, query, row.key);
			const calls = sum(detail.callers.map(({ticks}) => ticks));
			expect(calls).toBeLessThanOrEqual(row.totalTicks);
			expect(sum(detail.callees.map(({ticks}) => ticks))).toBeLessThanOrEqual(row.totalTicks);
			const isNeverOutermost = [...after.counters.node.subarray(0, after.counters.count)].every(node => {
				let root = node;
				while (root !== rootNode && nodeParent[root] !== rootNode) {
					root = nodeParent[root];
				}

				return root === rootNode || keyOfNode(after, root, query.by) !== row.key;
			});
			if (isNeverOutermost) {
				expect(calls).toBe(row.totalTicks);
			}
		}
	});
});

function keyOfNode({dictionary}: Snapshot, node: number, by: GroupBy): string {
	const frame = dictionary.nodeFrame[node];
	const method = `${dictionary.strings[dictionary.frameClass[frame]]}.${dictionary.strings[dictionary.frameMethod[frame]]}`;
	return by === 'class' ? dictionary.strings[dictionary.frameClass[frame]] : (by === 'method' ? method : `${method}:${dictionary.frameLine[frame]}`);
}
