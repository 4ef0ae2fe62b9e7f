import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {alignedTo} from '../../source/query/counters/aligned.js';
import {endedThreadsKey, endedThreadsName, lockKindCode} from '../../source/model/sample.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCode} from '../../source/model/thread-state.js';
import {windowSnapshot} from '../../source/exports/common/window-snapshot.js';
import {queryBlockers} from '../../source/views/blockers/blockers.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {LookBack} from '../../source/query/past/look-back.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {defaultShape, otherName, type TableShape} from '../../source/table/table-layout.js';
import {ringOf, saidBy} from '../helpers/random-session.js';
import {rowsOf} from '../helpers/rows.js';
import {sum} from '../helpers/sum.js';
import {newTable, snapshotOf, type DrawnThread} from './sample-maker.js';

/** Room for 1,024 threads. */
const small: TableShape = {...defaultShape, threads: 64, counters: 1024, contention: 512};

const tasksAlive = 10;

/** The tasks that run in a sample. */
const tasksIn = (sample: number) =>
	Array.from({length: tasksAlive}, (_, index): DrawnThread => {
		const task = (Math.floor((sample + (index % 2)) / 2) * tasksAlive) + index;
		return {
			key: 100 + task,
			name: safe`task-${task}`,
			state: stateCode.BLOCKED,
			cpuNs: 1000,
			frames: [`Task.run${task % 3}`, 'Thread.run'],
			lock: {kind: lockKindCode.monitor, className: 'Ledger', owner: 0},
			allocated: [{bytes: 700, frames: ['Task.run0', 'Thread.run']}],
		};
	});

/**
A program that has a new thread for each task; each lives for two samples, and waits for the lock of a thread that
stays. Takes this many samples more, and gives what is known then.
*/
function threadPerTask(shape: TableShape): (samples: number) => Snapshot {
	const {count, reader} = newTable(shape);
	let taken = 0;
	return samples => {
		for (const end = taken + samples; taken < end; taken++) {
			count(
				[{key: 1, name: safe`keeper`, frames: ['Keeper.hold'], cpuNs: 500}, ...tasksIn(taken)],
				1000 * (1 + taken),
			);
		}

		const {session, ...snapshot} = snapshotOf(reader);
		const ms = 1000 * taken;
		return {...snapshot, session: {...session, takenAtMs: ms, durationMs: ms, sampledMs: ms}};
	};
}

/** What was counted at each stack, by all threads together. */
function byStack({counters}: Snapshot): Map<string, [ticks: number, cpuNs: number]> {
	const sums = new Map<string, [number, number]>();
	for (const {node, state, ticks, cpuNs} of rowsOf(counters)) {
		const [ticksBefore, cpuNsBefore] = sums.get(`${node} ${state}`) ?? [0, 0];
		sums.set(`${node} ${state}`, [ticksBefore + ticks, cpuNsBefore + cpuNs]);
	}

	return new Map([...sums].filter(([, [ticks]]) => ticks > 0));
}

test('a program that has started a hundred times as many threads as there is room for has right names and owners, and nothing is lost', () => {
	const program = threadPerTask({...small, maxSlabs: 4});
	const samples = 5000;
	const snapshot = program(samples);
	expect(sum(snapshot.counters.ticks.subarray(0, snapshot.counters.count))).toBe(samples * (tasksAlive + 1));
	expect(snapshot.session.threadSamples).toBe(samples * (tasksAlive + 1));
	expect(snapshot.session.otherTicks).toBe(0);
	expect(sum(snapshot.counters.cpuNs.subarray(0, snapshot.counters.count)))
		.toBe(samples * ((tasksAlive * 1000) + 500));
	expect(sum(snapshot.threads.cpuNs.subarray(0, snapshot.threads.count))).toBe(samples * ((tasksAlive * 1000) + 500));
	expect(sum(snapshot.contention.ticks.subarray(0, snapshot.contention.count))).toBe(samples * tasksAlive);
	expect(sum(snapshot.events.amount.subarray(0, snapshot.events.count))).toBe(samples * tasksAlive * 700);
	const alive = [...snapshot.threads.name].filter((_, thread) => snapshot.threads.alive[thread] === 1);
	expect(alive.length).toBe(tasksAlive + 1);
	const numbers = alive.filter(name => name !== 'keeper').map(name => Number(/^task-(\d+)$/.exec(name)![1]));
	expect(Math.min(...numbers)).toBeGreaterThanOrEqual(((samples / 2) - 1) * tasksAlive);
	expect(snapshot.threads.name).not.toContain(otherName);
	const [row, ...more] = queryBlockers(snapshot, undefined, defaultQuery).rows;
	expect(more).toEqual([]);
	expect(row).toMatchObject({holderName: 'keeper', lockClass: 'Ledger'});
	expect(new Set(row.waiters.filter(({isNow}) => isNow).map(({name}) => name)))
		.toEqual(new Set(alive.filter(name => name !== 'keeper')));
});

test('windows subtract what a thread counted from where it counts now: from any snapshot to any later one', () => {
	const program = threadPerTask(small);
	const snapshots = [5, 40, 100, 3, 700, 20, 20].map(samples => program(samples));
	expect(snapshots.at(-1)!.threads.name).toContain(endedThreadsName);
	for (const [index, now] of snapshots.entries()) {
		for (const then of snapshots.slice(0, index)) {
			const samples = now.session.samples - then.session.samples;
			const window = windowSnapshot(now, then);
			expect(sum(window.counters.ticks.subarray(0, window.counters.count))).toBe(samples * (tasksAlive + 1));
			expect(sum(window.contention.ticks.subarray(0, window.contention.count))).toBe(samples * tasksAlive);
			expect(sum(window.threads.cpuNs.subarray(0, window.threads.count)))
				.toBe(samples * ((tasksAlive * 1000) + 500));
			const [all, before] = [byStack(now), byStack(then)];
			expect(byStack(window)).toEqual(new Map([...all].map(([stack, [ticks, cpuNs]]) => {
				const [ticksBefore, cpuNsBefore] = before.get(stack) ?? [0, 0];
				return [stack, [ticks - ticksBefore, cpuNs - cpuNsBefore]];
			})));
			// No thread has more than it can have used, and each of the window's own has what it used.
			const {rows} = queryThreads(now, then, {...defaultQuery, showsWaitsForWork: true});
			for (const {name, cpuNs} of rows.filter(row => row.name.startsWith('task-'))) {
				expect([name, cpuNs]).toEqual([name, cpuNs > 1000 ? 2000 : 1000]);
			}
		}
	}
});

test('the past ring leads back over places that were used again', () => {
	const program = threadPerTask(small);
	const snapshots = Array.from({length: 60}, () => program(20));
	const ring = ringOf(snapshots);
	const lookBack = new LookBack();
	for (const index of [58, 3, 30, 0, 59]) {
		const back = lookBack.at(ring, index)!.snapshot;
		// The ring does not keep when the sampler will take its next sample.
		expect(saidBy(snapshots[index])).toMatchObject(saidBy(back)!);
		if (index > 3) {
			const window = windowSnapshot(back, lookBack.at(ring, 3)!.snapshot);
			expect(sum(window.counters.ticks.subarray(0, window.counters.count)))
				.toBe((index - 3) * 20 * (tasksAlive + 1));
		}
	}
});

test('a snapshot without a place used again is its own baseline; one that is aligned twice is the same', () => {
	const program = threadPerTask(small);
	const [first, second, third] = [5, 5, 5000].map(samples => program(samples));
	expect(alignedTo(second, first)).toBe(first);
	const aligned = alignedTo(third, first);
	expect(aligned.threads.key).toContain(endedThreadsKey);
	expect(alignedTo(third, first)).toBe(aligned);
	expect(alignedTo(third, aligned)).toBe(aligned);
});
