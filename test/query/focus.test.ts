import {expect, test} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import {stateCells} from '../../source/query/columns/state-cells.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {locationKey, locationName} from '../../source/query/counters/location.js';
import {queryFocus, type FocusRow} from '../../source/views/focus/focus.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {focusView} from '../../source/views/focus/focus-view.js';
import {randomSnapshot} from '../exports/snapshots.js';
import {Picture, picture, undent} from '../helpers/picture.js';

const focus = (snapshot: Snapshot, method: string, changes: Partial<Query> = {}, since?: Snapshot) =>
	queryFocus(snapshot, since, {...defaultQuery, sort: focusView.sort, method, ...changes});
const rows = (
	snapshot: Snapshot,
	method: string,
	changes: Partial<Query> = {},
): readonly FocusRow[] => [...focus(snapshot, method, {tree: {isAllOpen: true}, ...changes}).rows];

/** Ticks and CPU ms of each row, its states, and its place in the tree. */
const drawn = (snapshot: Snapshot, method: string, changes: Partial<Query> = {}): string =>
	rows(snapshot, method, changes)
		.map(row =>
			`${row.totalTicks} ${row.totalCpuNs / 1e6} ${stateCells(row.states, 4)} ${row.part === 'calls' ? '>' : '<'.repeat(1)}${' '.repeat(row.indent)} ${locationName(row)}`)
		.join('\n');

const service = picture(`
	one | R50 | main:1 | find:2 | sort:4
	one | R30 | main:1 | find:2
	one | w   | main:1 | find:3 | wait:5
	one | B   | main:1 | find:3 | lock:6
	one | R5  | main:1 | other:9
	two | t   | run:7  | find:3 | wait:5
	two | R10 | run:7  | find:3
`);

test('where a method\'s time goes and who calls it, CPU time and every state beside each other', () => {
	expect(drawn(service, 'A.find', {by: 'method'})).toBe(undent(`
		6 90 RBwt > A.find
		2 0 wwtt >  A.wait
		1 50 RRRR >  A.sort
		1 0 BBBB >  A.lock
		6 90 RBwt < A.find
		4 80 RRBw <  A.main
		2 10 RRtt <  A.run
	`));
	expect(drawn(service, 'A.find').split('\n').slice(0, 4).join('\n')).toBe(undent(`
		6 90 RBwt > A.find
		4 10 RBwt >  A.find:3
		2 0 wwtt >   A.wait:5
		1 0 BBBB >   A.lock:6
	`));
});

test('shares are of the method\'s own time, with the error of that number of samples', () => {
	const [find, wait] = rows(service, 'find', {by: 'method'});
	expect(find).toMatchObject({totalPercent: 100, cpuPercent: 100, selfTicks: 2, isMethod: true});
	expect(wait.totalPercent).toBeCloseTo(100 / 3);
	expect(wait.wallMs).toBeCloseTo(2 * (1000 / service.session.samples));
	expect(wait.wallError).toBeGreaterThan(20);
	// The window goes on after the newest sample, but has no ticks there.
	const quiet = {...service, session: {...service.session, durationMs: 5000}};
	expect(rows(quiet, 'find', {by: 'method'})[1].wallMs).toBe(wait.wallMs);
	const {caption: above} = focus(service, 'find');
	expect(above)
		.toMatch(/^A\.find: .* of threads' time, 90ms of CPU time \(94\.7% of all\)\. Sampled, not traced: seen in 6 thread samples; shares are right to \+\/- \d+\.\d points/);
});

test.each([
	['A.find', ['A.find']],
	['find', ['A.find']],
	['FIND', ['A.find']],
	['*.wait', ['A.wait']],
	['A.*o*', ['A.lock', 'A.other', 'A.sort']],
	['nothing', []],
])('the pattern %s means the methods %j', (pattern, names) => {
	const found = rows(service, pattern, {by: 'method'});
	const whole = names.length > 1 ? [`${pattern} (${names.length} methods)`] : names;
	expect([...new Set(found.filter(({isMethod}) => isMethod).map(row => locationName(row)))]).toEqual(whole);
	expect(focusView.emptyText!({rows: found, allRows: 0}, {...defaultQuery, method: pattern})).toContain(pattern);
});

test('methods that were sampled only outside the window do not count among those that match', () => {
	const drawing = new Picture().draw('one | R | main:1 | sort:4');
	const before = drawing.build();
	const after = drawing.draw('one | R R | main:1 | lock:6 other:9').build();
	expect(locationName(focus(after, 'A.*o*', {by: 'method'}, before).rows[0])).toBe('A.*o* (2 methods)');
	expect(locationName(focus(after, 'A.*o*', {by: 'method'}).rows[0])).toBe('A.*o* (3 methods)');
});

test.each([['A.find', 1], ['a.find', 2]])(
	'a whole name means that method alone, even if it is a part of others: %s has %i ticks',
	(pattern, ticks) => {
		expect(rows(picture('one | R R | find:1 findAll:2'), pattern, {by: 'method'})[0].totalTicks).toBe(ticks);
	},
);

test('the window, the filter and the threads hold here too', () => {
	const drawing = new Picture().draw('one | R | main:1 | find:2');
	const before = drawing.build();
	drawing.draw('one | w | main:1 | find:2 | wait:3');
	const after = drawing.build();
	const [find] = focus(after, 'A.find', {by: 'method'}, before).rows;
	expect(find).toMatchObject({totalTicks: 1, totalCpuNs: 0});
	expect(rows(service, 'A.find', {filter: 'thread:two'})[0].totalTicks).toBe(2);
	expect(rows(service, 'A.find', {filter: 'state:B'})[0].totalTicks).toBe(1);
	expect(rows(service, 'A.find', {filter: 'lock', by: 'method'}).map(row => locationName(row))).toEqual([
		'A.find',
		'A.lock',
		'A.find',
		'A.main',
	]);
});

test('rows keep their keys when more is sampled, and have others for another method', () => {
	const drawing = new Picture().draw('one | R | main:1 | find:2 | sort:3');
	const before = drawing.build();
	drawing.draw('one | R R | start:1 main:1 | find:2 | read:3 sort:3');
	const after = drawing.build();
	const keysOf = (snapshot: Snapshot, method: string) =>
		new Map(rows(snapshot, method).map(row => [`${row.part} ${row.level} ${locationName(row)}`, row.key]));
	for (const [name, key] of keysOf(before, 'A.find')) {
		expect(keysOf(after, 'A.find').get(name)).toBe(key);
	}

	const others = new Set(keysOf(after, 'A.sort').values());
	expect([...keysOf(after, 'A.find').values()].filter(key => others.has(key))).toEqual([]);
});

test.each(['line', 'method', 'class'] as const)(
	'of any samples, rows by %s: the method has what Lines has of it in all states, and no row is more than those below it and its own',
	by => {
		for (let seed = 1; seed <= 5; seed++) {
			const snapshot = randomSnapshot(seed);
			const everyState: Query = {
				...defaultQuery,
				by: 'method',
				states: ['NEW', 'RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'TERMINATED', 'IDLE'],
			};
			for (const line of queryLines(snapshot, undefined, everyState).rows.slice(0, 6)) {
				const found = rows(snapshot, locationKey(line, 'method'), {by});
				const byKey = new Set(found.map(({key}) => key));
				expect(byKey.size).toBe(found.length);
				for (const method of found.filter(({isMethod}) => isMethod)) {
					expect(method.totalTicks).toBe(line.totalTicks);
					expect(method.totalCpuNs).toBeCloseTo(line.totalCpuNs, 0);
				}

				for (const row of found) {
					const below = found.filter(({parentKey}) => parentKey === row.key);
					const sum = below.reduce((ticks, {totalTicks}) => ticks + totalTicks, 0);
					expect(row.part === 'calls' ? sum + row.selfTicks === row.totalTicks : sum <= row.totalTicks)
						.toBe(true);
					expect(row.states.reduce((ticks, state) => ticks + state, 0)).toBe(row.totalTicks);
				}
			}
		}
	},
);
