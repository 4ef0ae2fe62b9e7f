import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {fitColumns, headingOf, type Column} from '../../source/query/columns/column.js';
import {defaultQuery} from '../../source/query/types/query.js';
import {lineColumns, stuckNote} from '../../source/views/lines/lines.js';
import {byNumber, byText, sortRows} from '../../source/query/columns/sort.js';
import {lockText} from '../../source/views/threads/columns.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {taskColumns, type TaskRow} from '../../source/views/tasks/task-rows.js';
import {tasksView} from '../../source/views/tasks/tasks-view.js';
import {views} from '../../source/views/view-registry.js';
import {stateCode} from '../../source/model/thread-state.js';
import {
	formatBytes,
	formatCount,
	formatDuration,
	formatMs,
	formatPercent,
	formatStuck,
} from '../../source/query/columns/format.js';
import {percentOf, effectiveSampleSize} from '../../source/query/counters/share.js';
import {stateCells} from '../../source/query/columns/state-cells.js';
import {picture} from '../helpers/picture.js';
import {pick, seeded} from '../helpers/random.js';
import {sum} from '../helpers/sum.js';

describe('lines', () => {
	test('narrower, columns go in the order of their worth', () => {
		const usual = lineColumns.filter(({onlyWithValues, isWithoutValues}) =>
			!(onlyWithValues && isWithoutValues?.([], defaultQuery)));
		const ids = (columns: number) => fitColumns(usual, columns).map(({column}) => column.id).join(' ');
		expect(ids(1)).toBe('self state line');
		expect(ids(59)).toBe('self state line');
		expect(ids(63)).toBe('self state line note');
		expect(ids(75)).toBe('self bar state line note');
		expect(ids(80)).toBe('self bar state line own note');
		expect(ids(100)).toBe('self bar error total state line own note');
		expect(ids(120)).toBe('self bar error total threads state cpu trend line own note');
	});

	test('what is to be noticed', () => {
		expect(stuckNote({blockedNow: 0, contendingNow: 0, stuckMs: 99_000, stuckAtLeast: true})).toBe('');
		expect(stuckNote({blockedNow: 8, contendingNow: 8, stuckMs: 300, stuckAtLeast: false})).toBe('8 blocked');
		expect(stuckNote({blockedNow: 8, contendingNow: 8, stuckMs: 42_000, stuckAtLeast: false})).toBe('stuck 42s');
		expect(stuckNote({blockedNow: 8, contendingNow: 8, stuckMs: 307_000, stuckAtLeast: true})).toBe('stuck >=5m');
		expect(stuckNote({blockedNow: 0, contendingNow: 3, stuckMs: 300, stuckAtLeast: false})).toBe('3 held up');
	});
});

test('a lock in words', () => {
	const snapshot = picture('http-2 <- http-1@com.acme.db.Pool.take:80 | B | com.acme.db.Pool.take:88');
	const [row] = queryThreads(snapshot, undefined, {...defaultQuery, filter: 'thread:http-2'}).rows;
	expect(lockText(row.waitsFor!, 60)).toBe('Object held by http-1 at c.a.db.Pool.take:80');
	expect(lockText(row.waitsFor!, 30)).toBe('Object held by http-1 at Pool.take:80');
	expect(lockText({kind: safe`park`, className: safe``}, 30)).toBe('park');
});

/** Cells that names have at a width of the terminal. */
function leastRoom(view: string, terminal: number): number {
	if (terminal < 50) {
		return 0;
	}

	if (view === 'lines' || view === 'threads') {
		return 20;
	}

	return terminal < 64 ? 8 : 16;
}

describe.each(views.map(view => [view.id, view] as const))('the columns of %s', (id, view) => {
	const {columns}: {readonly columns: ReadonlyArray<Column<never>>} = view;

	test('have ids and titles of their own, texts, and headings that fit', () => {
		expect(new Set(columns.map(({id}) => id)).size).toBe(columns.length);
		expect(new Set(columns.map(({title}) => title)).size).toBe(columns.length);
		for (const column of columns) {
			expect(column.description).toMatch(/^\S.{9,}\S$/);
			for (const unit of ['cpu', 'ticks', 'cpu-ms'] as const) {
				expect(column.width === 0 || headingOf(column, unit).length <= column.width).toBe(true);
			}
		}
	});

	test('fill each width, with room for names', () => {
		for (let terminal = 1; terminal < 300; terminal++) {
			const fitted = fitColumns(columns.filter(({onlyWithValues}) => !onlyWithValues), terminal);
			const used = sum(fitted.map(({width}) => width)) + fitted.length - 1;
			expect(Math.min(...fitted.map(({width}) => width))).toBeGreaterThan(0);
			expect(used === terminal || fitted.some(({width}) => width === 1)).toBe(true);
			const names = fitted.find(({column}) => column.width === 0 || column.id === 'name') ?? fitted.at(-1)!;
			expect({terminal, room: names.width}).toEqual({
				terminal,
				room: Math.max(names.width, leastRoom(id, terminal)),
			});
		}
	});
});

test('rows that cannot be compared keep a fixed order', () => {
	const items = [{key: 'b', figure: Number.NaN}, {key: 'a', figure: 1}, {key: 'd', figure: 1}, {
		key: 'c',
		figure: Number.NaN,
	}, {key: 'e', figure: 2}];
	const columns = [{id: 'figure', sortBy: [({figure}: typeof items[0]) => figure]}];
	const order = (from: typeof items, isReverse: boolean) =>
		sortRows(from, columns, {column: 'figure', reverse: isReverse}).map(({key}) => key).join('');
	expect(order(items, false)).toBe('eadbc');
	expect(order([...items].reverse(), false)).toBe('eadbc');
	expect(order(items, true)).toBe('bcade');
	expect(sortRows(items, columns, {column: 'gone', reverse: false})[0].key).toBe('e');
});

test('very many rows have the order that few would have', () => {
	const random = seeded(1);
	const below = (limit: number) => pick(random, limit);
	const many = Array.from(
		{length: 5000},
		(_, index) => ({
			key: String((index * 7919) % 5000),
			first: below(20) === 0 ? Number.NaN : below(50) - 5,
			second: below(3),
		}),
	);
	const byBoth = (a: (typeof many)[number], b: (typeof many)[number]) =>
		byNumber(a.first, b.first) || byNumber(a.second, b.second);
	for (const reverse of [false, true]) {
		const sign = reverse ? 1 : -1;
		expect(sortRows(many, [{id: 'first', sortBy: [({first}) => first, ({second}) => second]}], {
			column: 'first',
			reverse,
		}))
			.toEqual([...many].sort((a, b) => (sign * byBoth(a, b)) || byText(a.key, b.key)));
	}
});

describe('tasks', () => {
	const row: TaskRow = {
		key: '',
		state: {id: 'queued', title: safe`waiting for dependencies`, kind: 'waiting'},
		stateIndex: 0,
		kind: safe`com.acme.jobs.queue.ImplicitNonBlockingTask`,
		worker: safe``,
		now: 7,
		oldestNs: 1e6,
		longest: [],
		recent: [],
		count: 1000,
		perS: 10,
		totalNs: 1e9,
		meanNs: 1e6,
		p50Ns: 1e6,
		p99Ns: 2e6,
		mostNs: 3e6,
	};

	test('at 80 columns a kind and a worker share the room for names', () => {
		const {column, width} = fitColumns(taskColumns, 80).at(-1)!;
		const context = {measure: 'cpu', overMs: 0, fullNames: false, room: width} as const;
		const named = (changes: Partial<TaskRow>) => column.value({...row, now: undefined, ...changes}, context);
		const worker = safe`WorkerStealingThread-1`;
		expect([named({}), named({worker, kind: safe``}), named({worker}), named({worker: safe`main`})]).toEqual([
			'ImplicitNonBlockingTask',
			'WorkerStealingThread-1',
			'…ngThread-1: …lockingTask',
			'main: …citNonBlockingTask',
		]);
	});

	test('a row opened counts in words that fit one, many and ends', () => {
		const second = (of: TaskRow) => tasksView.titleLines(of, 80, undefined)[1]?.text;
		expect(second({...row, count: 1, now: 1})).toBe('1 visit that ended, 10.0 a second; 1 task now');
		expect(second({...row, now: 0})).toBe('1000 visits that ended, 10.0 a second; 0 tasks now');
		expect(second({...row, state: {...row.state, kind: 'end'}, now: undefined}))
			.toBe('1000 tasks reached it, 10.0 a second');
	});
});

test.each<[string, (value: number) => string, ReadonlyArray<readonly [value: number, text: string]>]>([
	['percent', formatPercent, [
		[0, '0.0'],
		[41.24, '41.2'],
		[99.94, '99.9'],
		[99.96, '100'],
		[312, '312'],
		[Number.NaN, ''],
	]],
	['a count', formatCount, [
		[0, '0'],
		[496, '496'],
		[999_999, '999999'],
		[1e6, '1.0M'],
		[12_345_678, '12.3M'],
		[99_960_000, '100M'],
		[4.5e9, '4.5G'],
		[-1, ''],
	]],
	['bytes', formatBytes, [
		[0, '0B'],
		[1023, '1023B'],
		[1024, '1.0K'],
		[3.1 * (2 ** 30), '3.1G'],
		[8 * (2 ** 30), '8.0G'],
		[2 ** 60, '1024P'],
		[Infinity, ''],
	]],
	['milliseconds', formatDuration, [
		[0, '0ms'],
		[350, '350ms'],
		[42_900, '42s'],
		[307_000, '5m07s'],
		[7_500_000, '2h05m'],
		[273_600_000, '3d04h'],
		[-5, ''],
	]],
	['at least so long', stuckMs => formatStuck({stuckMs, stuckAtLeast: true}), [
		[350, '>=350ms'],
		[42_900, '>=42s'],
		[307_000, '>=5m'],
	]],
	['nanoseconds', formatMs, [[0, '0'], [123_456, '0.12'], [12_340_000, '12.3'], [4.7112e9, '4711']]],
])('%s in few characters', (_, format, texts) => {
	for (const [value, text] of texts) {
		expect(format(value), String(value)).toBe(text);
	}
});

describe('state pictures', () => {
	const ticks = (counts: Partial<Record<keyof typeof stateCode, number>>) =>
		Object.keys(stateCode).map(state => counts[state as keyof typeof stateCode] ?? 0);

	test.each([
		[{}, ''],
		[{RUNNABLE: 5}, 'RRRRRRRR'],
		[{RUNNABLE: 50, BLOCKED: 50}, 'RRRRBBBB'],
		[{RUNNABLE: 1000, BLOCKED: 1}, 'RRRRRRRB'],
		[{WAITING: 2, RUNNABLE: 1}, 'RRRwwwww'],
	])('%o: %s', (counts, expected) => {
		expect(stateCells(ticks(counts))).toBe(expected);
	});

	test('every state has its cell or is at rest', () => {
		expect(stateCells(ticks({RUNNABLE: 1, BLOCKED: 1, WAITING: 1, TIMED_WAITING: 1, IDLE: 1000}))).toBe('RBwt....');
		expect(stateCells(ticks({NEW: 1, TERMINATED: 1}))).toBe('........');
	});

	test('with fewer cells than states the greatest stay', () => {
		expect(stateCells(ticks({RUNNABLE: 3, WAITING: 9, IDLE: 5}), 2)).toBe('w.');
		expect(stateCells(ticks({RUNNABLE: 3}), 0)).toBe('');
	});
});

test('nothing reads below 0 or over 100', () => {
	expect([percentOf(1, 3), percentOf(0, 0), percentOf(5, 0), percentOf(4, 3), percentOf(-1, 3)]).toEqual([
		100 / 3,
		0,
		0,
		100,
		0,
	]);
});

test('unequal weights are worth fewer samples', () => {
	const ofOne = (count: number, each: number) => ({sum: count * each, squares: count * each * each});
	expect(effectiveSampleSize(ofOne(4, 1), ofOne(4, 1))).toBe(4);
	expect(effectiveSampleSize(ofOne(2, 10), ofOne(8, 10))).toBeCloseTo(8, 10);
	expect(effectiveSampleSize({sum: 100, squares: 10 + (90 * 90)}, {sum: 100, squares: 10 + (90 * 90)}))
		.toBeLessThan(1.3);
	// One long piece in the part, or in the rest of the whole.
	expect(effectiveSampleSize(ofOne(1, 50), {sum: 100, squares: 2500 + 50})).toBeLessThan(4);
	expect(effectiveSampleSize(ofOne(50, 1), {sum: 100, squares: 2500 + 50})).toBeLessThan(4);
	expect(effectiveSampleSize(ofOne(0, 1), ofOne(0, 1))).toBe(0);
});
