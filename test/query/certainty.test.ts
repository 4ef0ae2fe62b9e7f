import {expect, test} from 'vitest';
import {Sample} from '../../source/model/sample.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCode} from '../../source/model/thread-state.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {createTable} from '../../source/table/layout.js';
import {TableReader} from '../../source/table/reader.js';
import {TableWriter} from '../../source/table/writer.js';
import {seeded} from '../helpers/random.js';
import {zeroFigures} from '../table/sample-maker.js';

/** Where all threads are in one sample, the ticks that it counts for, and the CPU time at each thread's line. */
type Moment = {readonly lines: readonly number[]; readonly ticks?: number; readonly cpuNs?: number; readonly records?: number};

const runs = 200;

/** The share of line 1 in a run of the program, as the Lines view has it, and the bar beside it. */
function measured(moments: readonly Moment[], unit: 'cpu' | 'ticks'): {readonly low: number; readonly high: number} {
	const buffer = createTable();
	const writer = new TableWriter(buffer);
	const frames = [0, 1, 2, 3].map(line => writer.internFrame(writer.internString('Program'), writer.internString('run'), writer.internString('Program.java'), line));
	const sample = new Sample();
	for (const [atMs, {lines, ticks = 1, cpuNs = 0, records = 1}] of moments.entries()) {
		sample.clear();
		for (const [thread, line] of lines.entries()) {
			const row = sample.addThread(thread + 1, thread + 1, `worker-${thread}`);
			sample.state[row] = stateCode.RUNNABLE;
			sample.addFrame(frames[line]);
			if (cpuNs > 0) {
				sample.addAttributedCpu(row, cpuNs, [frames[line]]);
				sample.attributedCpu.records[sample.attributedCpu.count - 1] = records;
			}
		}

		writer.count(sample, 1 + atMs, zeroFigures, undefined, {before: 0, now: ticks, samples: 1});
	}

	const {figures, ...image} = new TableReader(buffer).read(1000)!;
	const empty = new SnapshotBuilder().build();
	const snapshot: Snapshot = {...empty, ...image, session: {...empty.session, ...figures}};
	const row = queryLines(snapshot, undefined, {...defaultQuery, unit}).rows.find(({line}) => line === 1);
	return row?.selfInterval ?? {low: 0, high: 100};
}

/** How many of the runs have the true share of line 1 within the bar. */
function coverage(truth: number, unit: 'cpu' | 'ticks', momentsOf: (random: () => number) => readonly Moment[]): number {
	const random = seeded(Math.round(truth * 1000) + unit.length);
	let hits = 0;
	for (let run = 0; run < runs; run++) {
		const {low, high} = measured(momentsOf(random), unit);
		hits += low <= truth && truth <= high ? 1 : 0;
	}

	return hits / runs;
}

const samples = 100;

function times(count: number, make: () => Moment): Moment[] {
	return Array.from({length: count}, make);
}

test.each([[8, 0.3], [64, 0.3], [8, 0.02]])('%d threads that move for themselves: the bar of a share of ticks of %d holds the truth in 90 to 99 of 100 runs', (threads, share) => {
	const found = coverage(100 * share, 'ticks', random => times(samples, () => ({lines: Array.from({length: threads}, () => random() < share ? 1 : 2)})));
	expect(found).toBeGreaterThanOrEqual(0.9);
	expect(found).toBeLessThanOrEqual(0.99);
});

test.each([[8, 0.3], [64, 0.3], [64, 0.7]])('and of %d threads in lock-step, at a share of %d', (threads, share) => {
	const found = coverage(100 * share, 'ticks', random => times(samples, () => ({lines: Array.from<number>({length: threads}).fill(random() < share ? 1 : 2)})));
	expect(found).toBeGreaterThanOrEqual(0.9);
	expect(found).toBeLessThanOrEqual(0.99);
});

test.each([0.3, 0.6])('and where a sample counts for four at rest: line 1 is reached in %d of the samples, and rests', share => {
	const truth = 100 * 4 * share / ((4 * share) + 1 - share);
	const found = coverage(truth, 'ticks', random => times(samples, () => random() < share ? {lines: [1], ticks: 4} : {lines: [2]}));
	expect(found).toBeGreaterThanOrEqual(0.9);
	expect(found).toBeLessThanOrEqual(0.99);
});

test.each([[1, 0.3], [3, 0.3], [1, 0.05]])('a share of CPU time rests on its records, of which a sample has %d together: %d', (records, share) => {
	const found = coverage(100 * share, 'cpu', random => times(200, () => {
		// Records at one stack in a row come as one sum; a thread stays there for so long.
		const line = random() < share ? 1 : 2;
		return {lines: [line], ticks: 5, cpuNs: records * 1e7, records: 1};
	}));
	expect(found).toBeGreaterThanOrEqual(0.9);
	expect(found).toBeLessThanOrEqual(0.99);
});

test('a sum of records counts as so many, and CPU time that a rule placed as one piece: the bar is the wider', () => {
	const half: Moment[] = Array.from({length: 50}, (_, index) => ({lines: [1 + (index % 2)], cpuNs: 4e7}));
	const width = (moments: readonly Moment[]) => {
		const {low, high} = measured(moments, 'cpu');
		return high - low;
	};

	const one = width(half);
	const four = width(half.map(moment => ({...moment, records: 4})));
	expect(one / four).toBeGreaterThan(1.9);
	const placed = [...half.map(moment => ({...moment, records: 4})), {lines: [1], cpuNs: 3e8}, {lines: [2], cpuNs: 3e8}];
	expect(width(placed)).toBeGreaterThan(1.2 * four);
});
