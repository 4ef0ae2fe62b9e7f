import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import type {Column} from '../../source/query/columns/column.js';
import {sortRows} from '../../source/query/columns/sort.js';
import {bindingOf, keyLabel} from '../../source/ui/state/keys.js';
import {threadsOf, views} from '../../source/views/view-registry.js';
import {poolReading} from '../helpers/pool-reading.js';
import {picture} from '../helpers/picture.js';
import {report, taskReport} from '../helpers/reports.js';

const snapshot = {
	...picture(`
		http-1 | R30 R | com.acme.Main.main:3 | com.acme.sort.Bubble.sort:16
		http-1 | B     | com.acme.Main.main:3 | com.acme.db.Pool.take:88
		http-2 <- http-1@com.acme.db.Pool.take:80  | B | com.acme.db.Pool.take:88
		poller | .     | sun.nio.ch.EPoll.wait:native
		queue-1 <- poller@com.acme.db.Pool.take:80 | B | com.acme.db.Pool.put:95
	`), traces: report, tasks: taskReport,
	pools: [poolReading({name: safe`http`, threads: [1], queued: 3}), poolReading({id: 2, kind: 'hikari', held: [{thread: 2, sinceMs: 1}]})],
};

/** Another run of the same program, to compare with. */
const marked = picture('http-1 | R | com.acme.Main.main:3');

test('no two views have the same id or title', () => {
	expect(new Set(views.map(({id}) => id)).size).toBe(views.length);
	expect(new Set(views.map(({title}) => title)).size).toBe(views.length);
});

describe.each(views.map(view => [view.id, view] as const))('%s', (_, view) => {
	const query = {
		...defaultQuery,
		sort: view.sort,
		method: 'com.acme.Main.main',
		baseline: {snapshot: marked, since: undefined, title: safe`before`},
		vitals: {now: {heapUsedBytes: 95, heapAfterGcBytes: 90, heapMaxBytes: 100, openFiles: 7}, recent: []},
	};
	const {rows: listed, allRows} = view.query(snapshot, undefined, query);
	const rows = [...listed];

	test('its rows have keys of their own, and come in the order that it starts with', () => {
		expect(rows.length).toBeGreaterThan(1);
		expect(rows.length).toBeLessThanOrEqual(allRows);
		expect(new Set(rows.map(({key}) => key)).size).toBe(rows.length);
		expect(view.columns.map(({id}) => id)).toContain(view.sort.column);
		// In a tree, those that hang from the same row are.
		const {sortBy} = view.columns.find(({id}) => id === view.sort.column)!;
		const valuesOf = (row: (typeof rows)[number]) => sortBy.map(of => of(row));
		const parentOf = (row: object) => (row as {readonly parentKey?: string}).parentKey;
		for (const parent of new Set(rows.map(row => parentOf(row)))) {
			const siblings = rows.filter(row => parentOf(row) === parent);
			expect(sortRows(siblings, view.columns, view.sort).map(row => valuesOf(row))).toEqual(siblings.map(row =>
				valuesOf(row)));
		}
	});

	test('each figure that a key sorts by is in one column, and room is lent to the column that takes the rest', () => {
		const figures = view.columns.flatMap(({sortKeys = []}) => sortKeys);
		expect(new Set(figures).size).toBe(figures.length);
		expect([...figures].toSorted()).toEqual(['name', 'self', 'total']);
		const {columns}: {readonly columns: ReadonlyArray<Column<never>>} = view;
		const names = columns.findIndex(({width}) => width === 0);
		const afterNames = columns.slice(names + 1);
		const yielding = afterNames.filter(({yieldsUnusedWidth}) => yieldsUnusedWidth);
		expect(yielding).toEqual(afterNames.slice(0, yielding.length));
		expect(columns.filter(({yieldsUnusedWidth}) => yieldsUnusedWidth)).toEqual(yielding);
	});

	test('the keys that help most with a row mean something in the view, and fit a line', () => {
		for (const row of rows) {
			const hints = view.hints(row, query);
			expect(new Set(hints.map(({key}) => bindingOf(view.id, key))).size).toBe(3);
			expect(hints.every(({key}) => bindingOf(view.id, key))).toBe(true);
			const nameOf = (key: string) => keyLabel(key);
			expect(hints.map(({key, title}) => `${nameOf(key)}: ${title}`).join('   ').length).toBeLessThan(80);
			expect(['q:quit', '?:help', ...hints.map(({key, short}) => `${nameOf(key)}:${short}`)].join('  ').length)
				.toBeLessThan(50);
		}
	});

	test('every row has a title, threads, and a detail with them; a row that is gone has one too', () => {
		for (const row of rows) {
			const detail = view.detail(snapshot, undefined, query, row.key, row);
			const [title] = view.titleLines(row, 80, undefined);
			expect(title).toMatchObject({role: 'title'});
			expect(title?.text.trim()).not.toBe('');
			const {keys, label} = threadsOf(view, row, detail);
			expect(label).not.toBe('');
			expect(keys.every(key => snapshot.threads.key.includes(key))).toBe(true);
		}

		expect(view.detail(snapshot, undefined, query, 'gone', undefined)).toMatchObject({
			threads: [],
			stacks: [],
			holders: [],
		});
	});

	const textOf = (changed: Query) => JSON.stringify({...changed, baseline: undefined});

	test('its own keys change the query, say what they did, and come back to where they began', () => {
		// Keys that ask for a row are tried with the view's query.
		for (const key of view.keys.filter(({press}) => press(query).message !== undefined)) {
			const seen = new Set<string>();
			let now: Query = query;
			for (let presses = 0; presses < 10 && !seen.has(textOf(now)); presses++) {
				seen.add(textOf(now));
				const {change, message: said} = key.press(now);
				expect(said).not.toBe('');
				expect({...now, ...change}).not.toEqual(now);
				now = {...now, ...change};
			}

			expect(seen.size).toBeGreaterThan(1);
			expect(seen.has(textOf(now))).toBe(true);
		}
	});
});

test('what cells are follows their rows', () => {
	const roles = (view: number, row: number): Record<string, unknown> => {
		const {columns, query, sort} = views[view];
		const {rows} = query(snapshot, undefined, {...defaultQuery, sort});
		const context = {measure: 'core', overMs: 100, fullNames: false, room: 20} as const;
		return Object.fromEntries<unknown>(columns.flatMap(column => {
			const role = column.role?.(rows.at(row)!, context);
			return role === undefined ? [] : [[column.id, role] as const];
		}));
	};

	expect(roles(0, 0)).toMatchObject({
		self: 'hot',
		state: 'states',
		blocked: 'blocked',
		waiting: 'waiting',
		note: 'blocked',
		file: 'dim',
	});
	expect(roles(0, 1)).not.toHaveProperty('self');
	expect(roles(1, 0)).toMatchObject({state: 'blocked', states: 'states'});
});
