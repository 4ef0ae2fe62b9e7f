import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {otherFrame, unknownLine} from '../../source/model/frame.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCount, threadStates, type ThreadState} from '../../source/model/thread-state.js';
import {defaultQuery, type GroupBy, type Query} from '../../source/query/types/query.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {queryStacks, type StackRow} from '../../source/query/stack-rows.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {locationName} from '../../source/query/counters/location.js';
import {getOrCreate} from '../../source/util/get-or-create.js';
import {byText} from '../../source/query/columns/sort.js';
import type {LineRow} from '../../source/query/counted-lines.js';
import {Picture} from '../helpers/picture.js';
import {sum} from '../helpers/sum.js';

type Sampled = {
	readonly thread: number;
	readonly frames: readonly number[];
	readonly state: number;
	readonly cpuNs: number;
};

/** Three classes of two methods with three lines each; one of them native, one without lines. */
const cells = Array.from(
	{length: 18},
	(_, frame) => `p.C${frame % 3}.m${frame % 2}${[':native', '', ':0', ':7', ':8', ':9'][Math.floor(frame / 3)]}`,
);

/** Snapshots of one session after `cut` samples and after all. */
function snapshots(
	samples: readonly Sampled[],
	cut = 0,
	names = cells,
): {readonly before: Snapshot; readonly after: Snapshot} {
	const drawing = new Picture();
	const threads = [0, 1, 2, 3].map(thread => drawing.thread(`pool-${thread}`));
	const ids = names.map(cell => drawing.frame(cell));
	const after = (counted: readonly Sampled[]) => {
		for (const {thread, frames, state, cpuNs} of counted) {
			drawing.builder.count(
				threads[thread],
				drawing.builder.addStack(frames.map(frame => ids[frame])),
				state,
				1,
				cpuNs,
			);
		}

		return drawing.build();
	};

	return {before: after(samples.slice(0, cut)), after: after(samples.slice(cut))};
}

const sampled: fc.Arbitrary<Sampled> = fc.record({
	thread: fc.nat(3),
	frames: fc.array(fc.nat(17), {maxLength: 6}),
	state: fc.nat(stateCount - 1),
	// Whole microseconds: sums of their squares are exact, and so are differences of these.
	cpuNs: fc.oneof({arbitrary: fc.constant(0), weight: 2}, fc.nat(999).map(us => us * 1000)),
});
const queries = fc.record({
	by: fc.constantFrom<GroupBy[]>('line', 'method', 'class'),
	states: fc.constantFrom<Array<readonly ThreadState[]>>(['RUNNABLE', 'BLOCKED'], threadStates, ['WAITING'], []),
	unit: fc.constantFrom('cpu' as const, 'ticks' as const),
	threadKeys: fc.oneof({arbitrary: fc.constant(undefined), weight: 4}, fc.constant([1, 3])),
	firstLine: fc.boolean(),
});

/**
Calls back with random samples of few threads, classes, methods and lines, so that locations repeat and recurse, with
queries of all sorts, and with a number of samples to cut the session at.
*/
function eachCase(check: (samples: readonly Sampled[], query: Query, cut: number) => void): void {
	fc.assert(
		fc.property(
			fc.array(sampled, {minLength: 1, maxLength: 120, size: 'max'}),
			queries,
			fc.nat(120),
			([...samples], {threadKeys, ...query}, cut) => {
				check(
					samples,
					{...defaultQuery, ...query, threadKeys: threadKeys && new Set(threadKeys)},
					Math.min(cut, samples.length),
				);
			},
		),
		{numRuns: 100},
	);
}

/** The figures by the definitions, sample by sample. */
function naive(
	samples: readonly Sampled[],
	snapshot: Snapshot,
	{by, states, threadKeys, firstLine}: Query,
): Map<string, number[]> {
	const {dictionary} = snapshot;
	const rows = new Map<string, number[]>();
	const keyOf = (frame: number): string => {
		const [className, method] = [
			dictionary.strings[dictionary.frameClass[frame]],
			dictionary.strings[dictionary.frameMethod[frame]],
		];
		return by === 'class'
			? className
			: (by === 'method' ? `${className}.${method}` : `${className}.${method}:${dictionary.frameLine[frame]}`);
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

		const ids = frames.map(frame => otherFrame + 1 + frame);
		const tick = Number(states.includes(threadStates[state]));
		const self = keyOf(ids.find(id => dictionary.frameLine[id] >= (firstLine ? 0 : unknownLine)) ?? ids[0]);
		add(self, 0, tick);
		add(self, 1, cpuNs);
		for (const key of new Set(ids.map(id => keyOf(id)))) {
			add(key, 2, tick);
			add(key, 3, cpuNs);
		}
	}

	return new Map([...rows].filter(([, row]) => row[2] > 0 || (states.includes('RUNNABLE') && row[3] > 0)).sort((
		[a],
		[b],
	) => a < b ? -1 : 1));
}

/** The classes of `cells` as one of the JDK, one of a known library, and one of the program. */
const namesOfThree = cells.map(cell =>
	cell.replace('p.C0', 'java.util.C0').replace('p.C1', 'com.fasterxml.C1').replace('p.C2', 'com.acme.C2'));

type Figures = {ticks: number; allTicks: number; cpuNs: number};

/** By row, and by the program's line that led to it (empty for none), what was counted there, sample by sample. */
function naiveCallers(
	samples: readonly Sampled[],
	{by, states, threadKeys, firstLine}: Query,
): ReadonlyMap<string, ReadonlyMap<string, Figures>> {
	const keyOf = (frame: string, grouping: GroupBy) => {
		const [, className, method, line = ''] = /^(.*)\.(.*?)(:.*)?$/.exec(frame)!;
		return grouping === 'class' ? className : (grouping === 'method' ? `${className}.${method}` : `${className}.${method}${line}`);
	};

	const canCount = (frame: string) => firstLine ? /:\d+$/.test(frame) : !frame.endsWith(':native');
	const rows = new Map<string, Map<string, Figures>>();
	for (const {thread, frames, state, cpuNs} of samples) {
		if (frames.length === 0 || (threadKeys && !threadKeys.has(thread + 1))) {
			continue;
		}

		const names = frames.map(frame => namesOfThree[frame]);
		const at = Math.max(0, names.findIndex(name => canCount(name)));
		const self = keyOf(names[at], by);
		const of = (prefix: RegExp) => {
			const own = names.slice(at).filter(name => prefix.test(name));
			return own.find(name => canCount(name)) ?? own.at(0);
		};

		const own = of(/^com\.acme/) ?? of(/^com/);
		const line = own === undefined || keyOf(own, by) === self ? '' : keyOf(own, 'line');
		const row = getOrCreate(rows, self, () => new Map<string, Figures>());
		const figures = getOrCreate(row, line, () => ({ticks: 0, allTicks: 0, cpuNs: 0}));
		figures.ticks += Number(states.includes(threadStates[state]));
		figures.allTicks++;
		figures.cpuNs += cpuNs;
	}

	return rows;
}

test('the program\'s line beside one of a library is that of most of it, by the definition', () => {
	let named = 0;
	eachCase((samples, query, cut) => {
		const {before, after} = snapshots(samples, cut, namesOfThree);
		const naiveRows = naiveCallers(samples.slice(cut), query);
		for (const row of queryLines(after, before, query).rows) {
			const callers = naiveRows.get(locationName(row).replace('(native)', ':native')) ?? new Map<string, Figures>();
			const has = (figure: keyof Figures) => [...callers.values()].some(figures => figures[figure] > 0);
			const isOfCpu = query.unit !== 'ticks' && query.states.includes('RUNNABLE') && has('cpuNs');
			const ofTicks = has('ticks') ? 'ticks' : 'allTicks';
			const part = (line: string) => callers.get(line)?.[isOfCpu ? 'cpuNs' : ofTicks] ?? 0;
			const shown = row.own === undefined ? '' : locationName(row.own).replace('(native)', ':native');
			const lines = [...callers.keys()];
			expect(part(shown)).toBe(Math.max(0, ...lines.map(line => part(line))));
			const whole = sum(lines.map(line => part(line)));
			const others = lines.filter(line =>
				line !== '' && line !== shown && part(line) > 0 && part(line) >= whole / 10);
			expect(row.otherOwn).toBe(shown === '' ? 0 : others.length);
			named += Number(shown !== '');
		}
	});
	expect(named).toBeGreaterThan(0);
});

describe('lines', () => {
	test('are what the definitions say, sample by sample', () => {
		eachCase((samples, query) => {
			const {after} = snapshots(samples);
			const table = queryLines(after, undefined, query);
			expect(sum(table.rows.map(row => row.selfTicks))).toBe(table.wholeTicks);
			const rows = table.rows.map(row =>
				[row.key, [row.selfTicks, row.selfCpuNs, row.totalTicks, row.totalCpuNs]] as const);
			expect(new Map([...rows].sort(([a], [b]) => a < b ? -1 : 1))).toEqual(naive(samples, after, query));
		});
	});

	test('a baseline taken away leaves what a session of the later samples alone has', () => {
		eachCase((samples, query, cut) => {
			const {before, after} = snapshots(samples, cut);
			const later = snapshots(samples.slice(cut)).after;
			const [window, alone] = [queryLines(after, before, query), queryLines(later, undefined, query)];
			const comparable = (rows: readonly LineRow[]) =>
				rows.map(row => [
					row.key,
					row.selfTicks,
					row.selfCpuNs,
					row.totalTicks,
					row.totalCpuNs,
					row.selfPercent,
					row.errorPercent,
					row.totalPercent,
					row.states,
					row.threadCount,
					row.topThreads,
				]);
			expect(comparable(window.rows)).toEqual(comparable(alone.rows));
			expect([window.wholeCpuNs, window.wholeTicks]).toEqual([alone.wholeCpuNs, alone.wholeTicks]);
			const figures = (rows: readonly StackRow[]) => rows.map(row => `${row.ticks} ${row.cpuNs}`).sort(byText);
			expect(figures(queryStacks(after, before, query))).toEqual(figures(queryStacks(later, undefined, query)));
		});
	});
});

test('every sample is in one thread and, with frames and in a counted state, in one stack', () => {
	eachCase((samples, query) => {
		const {after} = snapshots(samples);
		const counted = samples.filter(({thread}) => !query.threadKeys || query.threadKeys.has(thread + 1));
		const {rows} = queryThreads(after, undefined, {...query, showsWaitsForWork: true});
		expect(sum([...rows].flatMap(({states}) => [...states]))).toBe(counted.length);
		expect(sum(queryStacks(after, undefined, query).map(({ticks}) => ticks)))
			.toBe(counted.filter(({frames, state}) => frames.length > 0 && query.states.includes(threadStates[state]))
				.length);
	});
});
