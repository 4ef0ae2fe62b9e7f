import {describe, expect, test} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import {defaultQuery, type GroupBy, type Query} from '../../source/query/types/query.js';
import {locationKey, locationName} from '../../source/query/counters/location.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {type CallNode} from '../../source/views/tree/call-tree.js';
import {queryTree} from '../../source/views/tree/tree.js';
import {treeView} from '../../source/views/tree/tree-view.js';
import {randomSnapshot} from '../exports/snapshots.js';
import {Picture, picture, undent} from '../helpers/picture.js';

const query = (changes: Partial<Query> = {}): Query => ({...defaultQuery, sort: treeView.sort, ...changes});
const everything: Query['tree'] = {isAllOpen: true};
const rows = (
	snapshot: Snapshot,
	changes: Partial<Query> = {},
): readonly CallNode[] => [...queryTree(snapshot, undefined, query(changes)).rows];

/** Total and self in CPU ms, and the tree as it is drawn: further in where a path forks. */
const drawn = (snapshot: Snapshot, changes: Partial<Query> = {}): string =>
	rows(snapshot, changes)
		.map(row =>
			`${row.totalCpuNs / 1e6} ${row.selfCpuNs / 1e6} ${' '.repeat(row.indent)}${row.hasChildren ? (row.isOpen ? '-' : '+') : ' '} ${locationName(row)}`)
		.join('\n');

const service = picture(`
	one | R50 | main:1 | run:2 | sort:3 | swap:5
	one | R30 | main:1 | run:2 | sort:3
	one | R10 | main:1 | run:2 | read:4
	one | R5  | main:1 | other:9
	two | R5  | start:7 | sort:3
`);

test('top-down: hot roots are open to where the path forks', () => {
	expect(drawn(service)).toBe(undent(`
		95 0 - A.main:1
		90 0  - A.run:2
		80 30   - A.sort:3
		50 50      A.swap:5
		10 10     A.read:4
		5 5    A.other:9
		5 0 - A.start:7
		5 5    A.sort:3
	`));
});

test.each([
	['!main', ['start:7', 'sort:3']],
	['start|other', ['main:1', 'other:9', 'start:7', 'sort:3']],
	['pct>5', ['main:1', 'run:2', 'sort:3']],
	['nothing', []],
])('the filter %s keeps the paths that match', (filter, expected) => {
	expect(rows(service, {filter, tree: everything}).map(row => locationName(row).slice(2))).toEqual(expected);
	expect(rows(service, {filter, tree: everything}).map(row => row.totalPercent).every(percent => percent <= 100))
		.toBe(true);
});

test('what a filter looks for is on the screen: paths are open to it, and not beyond', () => {
	const deep = picture('one | R990 | main:1 | hot:2\none | R | main:1 | run:2 | read:3 | rare:4\none | R | main:1');
	expect(drawn(deep)).not.toContain('rare');
	expect(drawn(deep, {filter: 'read'})).toBe('10 0 - A.main:1\n10 0 - A.run:2\n10 0 + A.read:3');
	expect(drawn(deep, {filter: 'main rare'})).toContain('A.rare:4');
	expect(drawn(deep, {filter: '!hot'})).toContain('+ A.main:1');
});

describe.each([false, true])('of any samples, bottom-up %s', isBottomUp => {
	test.each(['line', 'method', 'class'] as const)(
		'the sums of %s are those of the counters and of Lines',
		(by: GroupBy) => {
			for (let seed = 1; seed <= 5; seed++) {
				const snapshot = randomSnapshot(seed);
				const changes: Partial<Query> = {
					by,
					states: ['RUNNABLE', 'BLOCKED', 'WAITING', 'TIMED_WAITING', 'IDLE', 'NEW', 'TERMINATED'],
				};
				const tree = rows(snapshot, {...changes, tree: {isBottomUp, isAllOpen: true}});
				const lines = queryLines(snapshot, undefined, query(changes));
				const sum = (
					of: readonly CallNode[],
					figure: 'selfCpuNs' | 'totalCpuNs' | 'selfTicks' | 'totalTicks',
				) => of.reduce((all, row) => all + row[figure], 0);
				const roots = tree.filter(({level}) => level === 0);
				expect(sum(roots, 'totalTicks')).toBe(lines.wholeTicks);
				expect(sum(tree, 'selfTicks')).toBe(lines.wholeTicks);
				expect(sum(roots, 'totalCpuNs')).toBeCloseTo(lines.wholeCpuNs, 0);
				const byKey = new Map(tree.map(row => [row.key, row]));
				expect(byKey.size).toBe(tree.length);
				for (const row of tree) {
					const below = sum(tree.filter(({parentKey}) => parentKey === row.key), 'totalTicks');
					expect(below + (isBottomUp ? 0 : row.selfTicks)).toBeLessThanOrEqual(row.totalTicks);
					expect(isBottomUp || below + row.selfTicks === row.totalTicks).toBe(true);
				}

				if (!isBottomUp) {
					// A line's total: its rows that hang from none of the same line.
					const totals = new Map<string, number>();
					for (const row of tree) {
						let above = row.parentKey === undefined ? undefined : byKey.get(row.parentKey);
						while (above && locationKey(above, by) !== locationKey(row, by)) {
							above = above.parentKey === undefined ? undefined : byKey.get(above.parentKey);
						}

						totals.set(
							locationKey(row, by),
							(totals.get(locationKey(row, by)) ?? 0) + (above ? 0 : row.totalTicks),
						);
					}

					for (const line of lines.rows) {
						expect(totals.get(line.key)).toBe(line.totalTicks);
					}
				}
			}
		},
	);
});

test('the keys of the view: open, close, go in and out, all below, the other way round', () => {
	let tree: Query['tree'];
	let at = rows(service)[0].key;
	const press = (key: string) => {
		const shown = rows(service, {tree});
		const {change, select} = treeView.keys.find(({keys}) => keys.includes(key))!.press(query({tree}), {
			row: shown.find(row => row.key === at)!,
			index: shown.findIndex(row => row.key === at),
			rows: shown,
		});
		tree = 'tree' in change ? change.tree : tree;
		at = select ?? rows(service, {tree})[0].key;
		return drawn(service, {tree}).split('\n').length;
	};

	const nameAt = () => locationName(rows(service, {tree}).find(row => row.key === at)!);
	expect(press('left')).toBe(3);
	expect(press('left')).toBe(3);
	expect(press('+')).toBe(8);
	expect(press('right')).toBe(8);
	expect(nameAt()).toBe('A.run:2');
	expect(press('-')).toBe(5);
	expect(press('left')).toBe(5);
	expect(nameAt()).toBe('A.main:1');
	expect(press('*')).toBe(5);
	expect(press('*')).toBe(3);
	expect(press('b')).toBeGreaterThan(3);
	expect(nameAt()).toBe('A.swap:5');
});

test.each([false, true])(
	'of a large tree, bottom-up %s, what is closed on a long path is closed, and what is opened below it stays so',
	isBottomUp => {
		const large = new Picture();
		for (let leaf = 0; leaf < 200; leaf++) {
			const frames = Array.from(
				{length: 50},
				(_, up) => large.frame(up < 48 ? `m${leaf % 20}:${up}` : `root:${up}`),
			);
			large.builder.count(
				large.thread('one'),
				large.builder.addStack([large.frame(`leaf:${leaf}`), ...frames]),
				1,
				1 + leaf,
				1e6,
			);
		}

		const snapshot = large.build();

		const [first, ...others] = rows(snapshot, {tree: {isBottomUp, isAllOpen: true}});
		const path = [first, ...others.slice(0, 49)];
		const opened = new Map([[first.key, 'all'], [path[30].key, 'closed'], [path[40].key, 'open']] as const);
		const closed = rows(snapshot, {tree: {isBottomUp, opened}});
		expect(closed.slice(0, 31).map(({key}) => key)).toEqual(path.slice(0, 31).map(({key}) => key));
		expect([closed[29].isOpen, closed[30].isOpen, closed[31]?.level]).toEqual([true, false, isBottomUp ? 0 : 2]);
		opened.delete(path[30].key);
		expect(rows(snapshot, {tree: {isBottomUp, opened}}).slice(0, 50).map(({key}) => key))
			.toEqual(path.map(({key}) => key));
	},
);

test('a hostile stack, deep as can be, is opened whole', () => {
	const drawing = new Picture();
	const frames = Array.from({length: 20_000}, (_, index) => drawing.frame(`deep:${index % 7}`));
	drawing.builder.count(drawing.thread('one'), drawing.builder.addStack(frames), 1, 5, 1e6);
	expect(rows(drawing.build(), {tree: everything})).toHaveLength(20_000);
	expect([...treeView.files.json!(drawing.build(), undefined, query(), undefined)].map(text =>
		text.split('"children"').length)).toEqual([20_001]);
});
