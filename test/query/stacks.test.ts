import {expect, test} from 'vitest';
import {threadFlag} from '../../source/model/sample.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCells} from '../../source/query/columns/state-cells.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {queryLineDetail, queryThreadDetail, type Neighbour} from '../../source/query/detail.js';
import {locationName} from '../../source/query/counters/location.js';
import {queryStacks, type StackRow} from '../../source/query/stack-rows.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {queryStackHistogram} from '../../source/views/stacks/stacks.js';
import {Picture, picture, undent} from '../helpers/picture.js';

const query = (changes: Partial<Query> = {}): Query => ({...defaultQuery, ...changes});

const stacks = (rows: readonly StackRow[]): string =>
	rows
		.map(row =>
			`${row.ticks} ${row.state} ${row.threadCount}thr ${row.percent}% ${row.frames.map(frame => locationName(frame)).join(' < ')}`)
		.join('\n');

const neighbours = (rows: readonly Neighbour[]): string =>
	rows.map(row => `${row.ticks} ${row.cpuNs / 1e6}ms ${locationName(row)}`).join('\n');

const calls = new Picture().draw(`
	one | R   | main:1 | fib:5 | fib:5 | add:7
	one | R   | main:1 | fib:5 | add:7
	one | R20 | main:2 | fib:5 | fib:5
	one | R   | main:1
	one | w   | main:1 | fib:5
	two <- one@main:2 | B | run:3 | fib:5
`);

test('a line has the ticks of every state, its threads, and those with the most CPU first', () => {
	const snapshot = picture('busy | R90 B | work:1 lock:3\nasleep | w w | wait:4 lock:3');
	const row = queryLines(snapshot, undefined, query({states: ['BLOCKED']})).rows.find(({line}) => line === 3)!;
	expect([row.states, row.threadCount, row.topThreads]).toEqual([[0, 0, 1, 1, 0, 0, 0], 2, ['busy', 'asleep']]);
});

test('a line has the threads that are blocked there now, and for how long the longest has been', () => {
	const drawing = new Picture().draw(`
		one         | R B | take:88
		two         | B   | take:88
		three       | w   | take:88
		gone [dead] | B   | take:88
	`);
	drawing.set('one', {sinceMs: 58_000}).set('two', {sinceMs: 99_000}).set('three', {sinceMs: 1000});
	const [row] = queryLines(drawing.build(), undefined, query()).rows;
	expect([row.blockedNow, row.stuckMs, row.stuckAtLeast]).toEqual([2, 42_000, false]);
	drawing.set('one', {flags: threadFlag.unmovedSinceStart});
	expect(queryLines(drawing.build(), undefined, query()).rows[0].stuckAtLeast).toBe(true);
});

test('the detail of a line: threads, stacks, callers, callees, holders', () => {
	const detail = queryLineDetail(calls.build(), undefined, query(), 'A.fib:5');
	expect(detail.threads.map(({name, ticks, states}) => `${name} ${ticks} ${states.join('')}`)).toEqual([
		'one 1 0101000',
		'two 1 0010000',
	]);
	expect(stacks(detail.stacks)).toBe(undent(`
		1 RUNNABLE 1thr 100% A.fib:5 < A.fib:5 < A.main:2
		1 BLOCKED 1thr 0% A.fib:5 < A.run:3
		1 WAITING 1thr 0% A.fib:5 < A.main:1
	`));
	expect(neighbours(detail.callers)).toBe('2 20ms A.main:1\n1 20ms A.main:2\n1 0ms A.run:3');
	expect(neighbours(detail.callees)).toBe('2 20ms A.add:7');
	expect(detail.holders).toMatchObject([{
		kind: 'monitor',
		ownerName: 'one',
		ticks: 1,
		took: [{location: {method: 'main', line: 2}, ticks: 1}],
	}]);
});

test('holders: all places of an owner together, with the share of the time in which anybody held the threads up', () => {
	const held = new Picture().draw(`
		one                 | R     | A.run:1
		two <- one@take:1   | B B B | A.wait:5
		three <- one@take:2 | B     | A.wait:5
		four <- five@take:3 | B     | A.wait:5
		five                | R     | A.run:1
	`).build();
	const found = queryLineDetail(held, undefined, query(), 'A.wait:5').holders;
	expect(found.map(({ownerName, ticks, took}) => [ownerName, ticks, took.map(at => `${at.ticks} ${at.location.method}:${at.location.line}`)])).toEqual([
		['one', 4, ['3 take:1', '1 take:2']],
		['five', 1, ['1 take:3']],
	]);
	expect(queryLineDetail(held, held, query(), 'A.wait:5').holders).toEqual([]);
});

test('a line that only calls shows the stacks that it is in', () => {
	const detail = queryLineDetail(calls.build(), undefined, query({by: 'method', filter: 'thread:two'}), 'A.run');
	expect(stacks(detail.stacks)).toBe('1 BLOCKED 1thr 0% A.fib:5 < A.run:3');
	expect(neighbours(detail.callees)).toBe('1 0ms A.fib');
	expect(detail.callers).toEqual([]);
});

test('of a line that recurses by way of others, the outermost call has callers and the innermost callees', () => {
	const detail = queryLineDetail(
		new Picture().draw('one | R | main:1 | fib:5 | add:7 | fib:5 | add:7').build(),
		undefined,
		query(),
		'A.fib:5',
	);
	expect(neighbours(detail.callers)).toBe('1 10ms A.main:1');
	expect(neighbours(detail.callees)).toBe('1 10ms A.add:7');
});

test('virtual threads that have one row count as the threads that they are', () => {
	const drawing = new Picture().draw('one | R | main:1\nvirtual | R | main:1').set('virtual', {members: 30});
	expect(stacks(queryStacks(drawing.build(), undefined, query({filter: 'threads>30'}))))
		.toBe('2 RUNNABLE 31thr 100% A.main:1');
});

test('the detail of threads: lines, stacks, holders', () => {
	const detail = queryThreadDetail(calls.build(), undefined, query(), [2]);
	expect(detail.lines.map(row => `${row.selfTicks} ${locationName(row)}`)).toEqual(['1 A.fib:5', '0 A.run:3']);
	expect(stacks(detail.stacks)).toBe('1 BLOCKED 1thr 0% A.fib:5 < A.run:3');
	expect(detail.holders.map(({ownerName}) => ownerName)).toEqual(['one']);
	expect(detail.threads.map(({name}) => name)).toEqual(['two']);
});

const votes = (snapshot: Snapshot, changes: Partial<Query> = {}): string =>
	queryStackHistogram(snapshot, undefined, {...defaultQuery, sort: {column: 'ticks', reverse: false}, ...changes})
		.rows
		.map(row =>
			`${row.selfTicks} ${row.selfPercent}% ${row.threadCount}thr ${stateCells(row.states, 4)} ${row.frames.map(frame => locationName(frame)).join(' < ')}`)
		.join('\n');

const drawn = picture(`
	one               | R30 R B B w | main:1               | sort:2 sort:2 lock:3 lock:3 wait:4
	two <- one@main:1 | R10 R30 B   | main:1 main:9 main:1 | sort:2 sort:2 lock:3
`);

test('identical stacks are one row, also of different threads, states and locks', () => {
	expect(votes(drawn)).toBe(undent(`
		3 62.5% 2thr RRRR A.sort:2 < A.main:1
		3 0% 2thr BBBB A.lock:3 < A.main:1
		1 37.5% 1thr RRRR A.sort:2 < A.main:9
	`));
	expect(votes(drawn, {states: ['WAITING']})).toBe('1 100% 1thr wwww A.wait:4 < A.main:1');
});

test('the first frames alone are compared, and searched, where that is asked for; Enter still shows all', () => {
	expect(votes(drawn, {depth: 1})).toBe('4 100% 2thr RRRR A.sort:2\n3 0% 2thr BBBB A.lock:3');
	const [row] = queryStackHistogram(drawn, undefined, {...defaultQuery, depth: 1}).rows;
	expect(row.fullStack.map(frame => locationName(frame))).toEqual(['A.sort:2', 'A.main:1']);
	expect([...drawn.dictionary.nodeParent.keys()].filter(node => node < drawn.dictionary.nodeCount && row.isOf(node)))
		.toHaveLength(2);
	expect(votes(drawn, {depth: 1, filter: 'main'})).toBe('');
});

test('a fingerprint is that of the frames as printed: the same in every session', () => {
	const fingerprints = (snapshot: Snapshot) =>
		queryStackHistogram(snapshot, undefined, defaultQuery).rows.map(({fingerprint}) => fingerprint);
	const other = picture('later | R | main:9 | sort:2');
	expect(fingerprints(drawn)).toContain(fingerprints(other)[0]);
	expect(fingerprints(drawn)[0]).toMatch(/^[\da-f]{32}$/);
});

test.each([
	['sort main:9', 1], [String.raw`/^A\.lock:3$/`, 1], ['lock|pct>4', 2], ['state:B', 1], ['nothing', 0],
])('%s keeps %i of three stacks', (filter, count) => {
	const {rows, allRows} = queryStackHistogram(drawn, undefined, {...defaultQuery, filter});
	expect(rows).toHaveLength(count);
	expect(allRows).toBe(filter === 'state:B' ? 1 : 3);
});
