/* eslint-disable unicorn/no-await-expression-member -- A screen is looked at where it is spoken of. */
import {describe, expect, test} from 'vitest';
import type {Snapshot} from '../../source/model/snapshot.js';
import {locationName} from '../../source/query/counters/location.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {Theme} from '../../source/ui/terminal/theme.js';
import {queryFlame} from '../../source/views/flame/flame.js';
import {queryTree} from '../../source/views/tree/tree.js';
import {randomSnapshot} from '../exports/snapshots.js';
import {picture} from '../helpers/picture.js';
import {screenOf} from '../helpers/session-screen.js';

const boxesOf = (snapshot: Snapshot, query: Partial<Query> = {}) =>
	queryFlame(snapshot, undefined, {...defaultQuery, ...query}).rows.map(row => ({
		name: locationName(row),
		depth: row.depth,
		from: Number(row.start.toFixed(3)),
		part: Number(row.part.toFixed(3)),
		isFound: row.isFound,
	}));

describe('boxes', () => {
	test.each(Array.from({length: 8}, (_, seed) => seed))('are the rows of Tree: %i', seed => {
		const snapshot = randomSnapshot(seed);
		for (
			const query of [defaultQuery, {...defaultQuery, unit: 'ticks'}, {
				...defaultQuery,
				tree: {isBottomUp: true},
			}] as const
		) {
			const opened = queryTree(snapshot, undefined, {...query, tree: {...query.tree, isAllOpen: true}});
			const tree = opened.rows.filter(({totalPercent}) => totalPercent >= 0.2);
			const {rows} = queryFlame(snapshot, undefined, query);
			expect(new Set(rows.map(({key}) => key))).toEqual(new Set(tree.map(({key}) => key)));
			for (const row of rows) {
				expect(100 * row.part).toBeCloseTo(tree.find(({key}) => key === row.key)!.totalPercent, 6);
				const callees = rows.filter(({parent}) => parent === row);
				// In the order of names, beside each other, within their caller.
				expect(callees.map(callee => locationName(callee))).toEqual(callees.map(callee =>
					locationName(callee)).sort((a, b) => a < b ? -1 : 1));
				let end = row.start;
				for (const {start, part} of callees) {
					expect(start).toBeGreaterThanOrEqual(end - 1e-9);
					end = start + part;
				}

				expect(end).toBeLessThanOrEqual(row.start + row.part + 1e-9);
			}
		}
	});

	const snapshot = picture(`
		worker | R30 | a.Main.run:1 | b.Sort.sort:2 | b.Sort.swap:4
		worker | R10 | a.Main.run:1 | b.Sort.sort:2
		worker | R60 | a.Main.run:1 | c.Find.find:3 | c.Sort.sort:5
	`);

	test('a zoomed one has the whole width', () => {
		const {rows} = queryFlame(snapshot, undefined, defaultQuery);
		const {key} = rows.find(row => locationName(row) === 'b.Sort.sort:2')!;
		expect(boxesOf(snapshot, {tree: {zoom: key}})).toMatchObject([{
			name: 'b.Sort.sort:2',
			depth: 0,
			from: 0,
			part: 1,
		}, {name: 'b.Sort.swap:4', depth: 1, from: 0, part: 0.75}]);
		expect(boxesOf(snapshot, {tree: {zoom: `${key}.99`}})).toHaveLength(5);
	});

	test('of which the filter marks some, with the share that passes through them, each sample once', () => {
		const query = {...defaultQuery, filter: 'sort'};
		expect(boxesOf(snapshot, query).filter(({isFound}) => isFound).map(({name}) => name)).toEqual([
			'b.Sort.sort:2',
			'b.Sort.swap:4',
			'c.Sort.sort:5',
		]);
		expect(queryFlame(snapshot, undefined, query).caption).toBe('100.0% passes through frames that match "sort"');
		expect(queryFlame(snapshot, undefined, {...query, filter: 'sort b.'}).caption).toMatch(/^40\.0% /);
		expect(boxesOf(snapshot, {filter: 'thread:other'})).toEqual([]);
	});
});

describe('the screen', () => {
	const snapshot = picture(`
		worker | R40 | java.lang.Thread.run:840 | com.acme.Shop.sell:7    | com.acme.Price.of:3
		worker | R40 | java.lang.Thread.run:840 | com.acme.Shop.sell:7    | java.util.HashMap.get:5
		worker | R20 | java.lang.Thread.run:840 | com.acme.db.Pool.take:9
		worker | B   | java.lang.Thread.run:840 | com.acme.db.Pool.take:9 | java.lang.Object.wait:native
	`);

	const flameOf = (more: {readonly theme?: Theme} = {}) =>
		screenOf(snapshot, {columns: 61, rows: 16, view: {view: 'flame'}, ...more});

	test('marks matches of the filter with a star where there are no colours', async () => {
		const lines = await flameOf().lines('/', ...'shop', 'enter');
		expect(lines.slice(6, 9).map(line => line.trimEnd())).toEqual([
			'>java.lang.Thread.run:840',
			'*com.acme.Shop.sell:7                           |Pool.take:9',
			'|com.acme.Price.of:3    |java.util.HashMap.get:5',
		]);
	});

	test('is walked by arrows, zoomed by Enter or a second click, and whole again by Esc', async () => {
		const screen = flameOf();
		const selected = async (...keys: readonly string[]) => {
			const lines = await screen.lines(...keys);
			return lines[4].split(/\s{2,}/)[0];
		};

		expect(await selected('down')).toBe('com.acme.Shop.sell:7');
		expect(await selected('right')).toBe('com.acme.db.Pool.take:9');
		expect(await selected('right')).toBe('com.acme.db.Pool.take:9');
		expect(await selected('up')).toBe('java.lang.Thread.run:840');
		expect(await selected('end')).toBe('com.acme.Price.of:3');
		expect(await selected('up', 'enter')).toBe('com.acme.Shop.sell:7');
		expect((await screen.lines())[5]).toMatch(/^>com\.acme\.Shop\.sell:7/);
		expect(await selected('escape')).toBe('com.acme.Shop.sell:7');
		expect((await screen.lines())[5]).toMatch(/^\|java\.lang\.Thread\.run/);
		await screen.type('\u001B[<0;30;8M', '\u001B[<0;30;8m');
		expect(await selected()).toBe('java.util.HashMap.get:5');
		await screen.type('\u001B[<0;30;8M', '\u001B[<0;30;8m');
		expect((await screen.lines())[5]).toMatch(/^>java\.util\.HashMap\.get:5/);
	});

	test('has own code, libraries and states in colours of their own; a filter leaves only matches filled', async () => {
		const screen = flameOf({theme: new Theme({color: true, ascii: false})});
		expect(await screen.text())
			.toMatch(/\u001B\[7m\u001B\[33m▏com\.acme\.Price\.of:3 +\u001B\[3[26]m▏java\.util\.HashMap\.get:5/);
		expect(await screen.text('/', ...'price', 'enter'))
			.toMatch(/\u001B\[7m\u001B\[33m▏com\.acme\.Price\.of:3 +\u001B\[27m\S*▏java\.util\.HashMap\.get:5/);
		expect(await screen.text('escape', 'x', 'x'))
			.toMatch(/\u001B\[7m\u001B\[1m\u001B\[31m▏com\.acme\.db\.Pool\.take:9/);
	});

	test('of 256 colours has muted ones in shades by depth, on which its text can be read', async () => {
		const screen = flameOf({theme: new Theme({color: true, has256Colors: true, ascii: false})});
		const fillsIn = (text: string) => Object.fromEntries([
			...text.matchAll(/\u001B\[48;5;(\d+)m\u001B\[38;5;16m▏([\w.]+)/g),
		].map(([, color, name]) => [name, Number(color)]));
		const fills = fillsIn(await screen.text('end'));
		const levelIn = (color: number, size: number) => Math.floor((color - 16) / size) % 6;
		const rgbOf = (color: number) => color < 232
			? [36, 6, 1].map(size => levelIn(color, size)).map(level => level === 0 ? 0 : 55 + (40 * level))
			: [0, 0, 0].fill(8 + (10 * (color - 232)));
		for (const [name, color] of Object.entries(fills)) {
			const [red, green, blue] = rgbOf(color);
			const isOwn = name.startsWith('com.acme');
			expect({name, isWarm: red > blue, isCool: blue >= red}).toEqual({name, isWarm: isOwn, isCool: !isOwn});
			const [r, g, b] = [red, green, blue].map(part => ((part / 255) + 0.055) / 1.055).map(part => part ** 2.4);
			// Contrast with black by WCAG 2.1, which asks for 4.5.
			expect(((0.2126 * r) + (0.7152 * g) + (0.0722 * b) + 0.05) / 0.05).toBeGreaterThan(4.5);
		}

		expect(Object.keys(fills).length).toBeGreaterThan(2);
		expect(fills['com.acme.Shop.sell']).not.toBe(fills['com.acme.Price.of']);
		// Waits have the colour of their state, and what the user chose is kept.
		expect(fillsIn(await screen.text('x', 'x'))).toEqual({});
		const colors = new Map([['hot', 'magenta']] as const);
		const chosen = flameOf({theme: new Theme({color: true, has256Colors: true, ascii: false, colors})});
		expect(await chosen.text()).toMatch(/\u001B\[35m▏com\.acme/);
	});
});
