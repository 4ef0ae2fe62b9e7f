import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {stateCode} from '../../source/model/thread-state.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import type {TableShape} from '../../source/table/table-layout.js';
import {seeded} from '../helpers/random.js';
import {newTable, snapshotOf, zeroFigures} from '../table/sample-maker.js';

/** Where all threads are in one sample, the ticks that it counts for, and the CPU time at each thread's line. */
type Moment = {
	readonly lines: readonly number[];
	readonly ticks?: number;
	readonly cpuNs?: number;
	readonly records?: number;
};

const runs = 100;

/** Room for this program alone: a table is made in each run. */
const shape: TableShape = {
	strings: 64,
	bytes: 4096,
	frames: 8,
	nodes: 8,
	threads: 128,
	counters: 512,
	contention: 8,
	events: 8,
	maxSlabs: 4,
};

/** The share of line 1 in a run of the program, as the Lines view has it, and the bar beside it. */
function measured(moments: readonly Moment[], unit: 'cpu' | 'ticks'): {readonly low: number; readonly high: number} {
	const {writer, reader, sample} = newTable(shape);
	const frames = [0, 1, 2, 3].map(line =>
		writer.internFrame(
			writer.internString('Program'),
			writer.internString('run'),
			writer.internString('Program.java'),
			line,
		));
	for (const [atMs, {lines, ticks = 1, cpuNs = 0, records = 1}] of moments.entries()) {
		sample.clear();
		for (const [thread, line] of lines.entries()) {
			const row = sample.addThread(thread + 1, thread + 1, safe`worker-${thread}`);
			sample.state[row] = stateCode.RUNNABLE;
			sample.addFrame(frames[line]);
			if (cpuNs > 0) {
				sample.addAttributedCpu(row, cpuNs, [frames[line]]);
				sample.attributedCpu.records[sample.attributedCpu.count - 1] = records;
			}
		}

		writer.count(sample, 1 + atMs, zeroFigures, undefined, {before: 0, now: ticks, samples: 1});
	}

	const row = queryLines(snapshotOf(reader), undefined, {...defaultQuery, unit}).rows.find(({line}) => line === 1);
	return row?.selfInterval ?? {low: 0, high: 100};
}

/** How many of the runs have the true share of line 1 within the bar. */
function coverage(
	truth: number,
	unit: 'cpu' | 'ticks',
	momentOf: (random: () => number) => Moment,
	samples = 100,
): number {
	const random = seeded(Math.round(truth * 1000) + unit.length);
	let hits = 0;
	for (let run = 0; run < runs; run++) {
		const {low, high} = measured(Array.from({length: samples}, () => momentOf(random)), unit);
		hits += low <= truth && truth <= high ? 1 : 0;
	}

	return hits / runs;
}

const eachAlone = (share: number) => (random: () => number): Moment => ({
	lines: Array.from({length: 8}, () => random() < share ? 1 : 2),
});
// Records at one stack in a row come as one sum; a thread stays there for so long.
const withRecords = (records: number, share: number) => (random: () => number): Moment => ({
	lines: [random() < share ? 1 : 2],
	ticks: 5,
	cpuNs: records * 1e7,
});

test.each<[string, () => number]>([
	['of ticks of threads that move for themselves', () => coverage(30, 'ticks', eachAlone(0.3))],
	['of few ticks of such threads', () => coverage(2, 'ticks', eachAlone(0.02))],
	[
		'of ticks of threads in lock-step',
		() => coverage(30, 'ticks', random => ({lines: Array.from<number>({length: 64}).fill(random() < 0.3 ? 1 : 2)})),
	],
	[
		'of ticks that count four each at a line where the program rests',
		() => coverage(100 * 1.2 / 1.9, 'ticks', random => random() < 0.3 ? {lines: [1], ticks: 4} : {lines: [2]}),
	],
	['of CPU time, of which a sample has three records together', () => coverage(30, 'cpu', withRecords(3, 0.3), 200)],
	['of little CPU time', () => coverage(5, 'cpu', withRecords(1, 0.05), 200)],
])('the bar of a share %s, holds the truth in 90 to 99 of 100 runs', (_, coverageOf) => {
	const found = coverageOf();
	expect(found).toBeGreaterThanOrEqual(0.9);
	expect(found).toBeLessThanOrEqual(0.99);
});

test('a sum of records counts as its records, and CPU time that a rule attributed as one piece, which makes the bar wider', () => {
	const half: Moment[] = Array.from({length: 50}, (_, index) => ({lines: [1 + (index % 2)], cpuNs: 4e7}));
	const width = (moments: readonly Moment[]) => {
		const {low, high} = measured(moments, 'cpu');
		return high - low;
	};

	const one = width(half);
	const four = width(half.map(moment => ({...moment, records: 4})));
	expect(one / four).toBeGreaterThan(1.9);
	const placed = [...half.map(moment => ({...moment, records: 4})), {lines: [1], cpuNs: 3e8}, {
		lines: [2],
		cpuNs: 3e8,
	}];
	expect(width(placed)).toBeGreaterThan(1.2 * four);
});
