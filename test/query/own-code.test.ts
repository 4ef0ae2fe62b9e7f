import {describe, expect, test} from 'vitest';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {queryLineDetail, queryStackDetail} from '../../source/query/detail.js';
import {ownCode} from '../../source/query/counters/own-code.js';
import {locationName} from '../../source/query/counters/location.js';
import {lines} from '../../source/exports/formats/lines-and-votes.js';
import {queryFocus} from '../../source/views/focus/focus.js';
import {lineColumns, queryLines} from '../../source/views/lines/lines.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {queryTree} from '../../source/views/tree/tree.js';
import {queryStackHistogram} from '../../source/views/stacks/stacks.js';
import {Picture, picture, undent} from '../helpers/picture.js';
import type {LineRow} from '../../source/query/counted-lines.js';

const own = (changes: Partial<Query> = {}): Query => ({...defaultQuery, ownFirst: true, ...changes});
const drawn = (rows: readonly LineRow[]): string =>
	rows.map(row =>
		`${row.selfTicks}/${row.totalTicks} ${locationName(row)}${row.via ? ` via ${locationName(row.via)}` : ''}`).join('\n');

test.each([
	[
		[],
		'com.acme.Dao kotlinx.Job javassist.Pool org.spring.Web',
		'java.util.Map javax.sql.Rows jdk.internal.Vm sun.nio.ch.Net com.sun.proxy.$Proxy3 kotlin.Unit scala.Option',
	],
	[['com.acme'], 'com.acme.Dao com.acme.db.Pool', 'com.acmex.Dao org.spring.Web java.util.Map'],
	[
		['com.acme.', '!com.acme.gen', 'com.acme.gen.Kept'],
		'com.acme.Dao com.acme.gen.Kept com.acme.gen.Kept$Inner',
		'com.acme.gen.Stub',
	],
	[['!org.spring'], 'com.acme.Dao org.springs.Web', 'org.spring.Web java.util.Map'],
	[
		['java.util.concurrent', 'com.acme.Main'],
		'java.util.concurrent.Future com.acme.Main com.acme.Main$$Lambda/0x1',
		'java.util.Map com.acme.Mainly',
	],
] as const)('own code of %j', (app, owns, others) => {
	const {isOwn} = ownCode(app);
	expect(owns.split(' ').filter(name => !isOwn(name))).toEqual([]);
	expect(others.split(' ').filter(name => isOwn(name))).toEqual([]);
});

const snapshot = picture(`
	worker-1 | R | java.lang.Thread.run:829 | com.acme.Dao.find:88 | java.util.regex.Matcher.matches:1 | java.util.regex.Loop.match:4
	worker-1 | R | java.lang.Thread.run:829 | com.acme.Dao.find:88 | java.util.regex.Matcher.matches:1 | java.util.regex.Loop.match:9
	worker-1 | R | java.lang.Thread.run:829 | com.acme.Dao.find:88
	worker-1 | w | java.lang.Thread.run:829 | com.acme.Dao.find:88 | java.util.concurrent.locks.LockSupport.park:211 | jdk.internal.misc.Unsafe.park:native
	idle     | w | java.lang.Thread.run:829 | java.util.concurrent.locks.LockSupport.park:211
`);

describe('your code', () => {
	const jackson = 'com.fasterxml.jackson.databind.ObjectMapper.<init>';
	const get = 'java.util.HashMap.get:557';
	const before = new Picture().draw(`old | R*90 | com.acme.Old.run:1 | ${get}`);
	const earlier = before.build();
	const later = before.draw(`
		http-1 | R*7  | com.acme.Api.render:5 | ${jackson}:605 | ${get}
		http-2 | R*3  | com.acme.Api.list:9 | ${get}
		http-3 | R*2  | com.acme.Job.run:3 | ${get}
		http-4 | R    | com.acme.Seldom.run:4 | ${get}
		http-5 | R*2  | com.acme.Api.render:5 | ${jackson}:700
		http-6 | w*9 | com.acme.Api.render:5 | java.lang.Object.wait:366
		netty  | R    | io.netty.Loop.run:8 | sun.nio.ch.Net.poll:3
		main   | R    | com.acme.Api.render:5
		jdk    | R*5  | java.lang.Thread.run:829 | java.util.TimerThread.run:566
	`).build();
	const shown = (changes: Partial<Query> = {}, isWhole = false) => {
		const {rows} = queryLines(later, isWhole ? undefined : earlier, {...defaultQuery, ...changes});
		return Object.fromEntries(rows.filter(row => row.selfTicks > 0).map(row => {
			const room = {measure: 'core', overMs: 1000, fullNames: true, room: 80} as const;
			const name = locationName(row).replace(jackson, 'Mapper').replace(/^.*\.(?=\w+\.\w+:)/, '');
			return [name, lineColumns.find(({id}) => id === 'own')!.value(row, room)];
		}));
	};

	test('is the program\'s line with most of the row, and how many others have a tenth; own lines have none', () => {
		expect(shown()).toEqual({
			'HashMap.get:557': 'com.acme.Api.render:5 +2',
			'Mapper:700': 'com.acme.Api.render:5',
			'Api.render:5': '',
			'Net.poll:3': 'io.netty.Loop.run:8',
			'TimerThread.run:566': '',
		});
	});

	test('follows the window, the filter, states and grouping, and what --app says', () => {
		const ofGet = (changes: Partial<Query>) => shown(changes)['HashMap.get:557'];
		expect(shown({}, true)['HashMap.get:557']).toBe('com.acme.Old.run:1');
		expect(ofGet({filter: 'thread:http-2'})).toBe('com.acme.Api.list:9');
		expect(ofGet({threadKeys: new Set([4, 5])})).toBe('com.acme.Job.run:3 +1');
		expect(ofGet({app: ['com.fasterxml']})).toBe('com.fasterxml.jackson.databind.ObjectMapper.<init>:605');
		expect(shown({states: ['WAITING']})).toEqual({'Object.wait:366': 'com.acme.Api.render:5'});
		expect(shown({by: 'method'})['java.util.HashMap.get']).toBe('com.acme.Api.render:5 +2');
		expect(shown({by: 'class'})).toMatchObject({'java.util.HashMap': 'com.acme.Api.render:5 +2', 'com.acme.Api': ''});
		expect(Object.values(shown({ownFirst: true})).join('')).toBe('');
	});
});

describe('code without line numbers', () => {
	const withoutLines = picture(`
		job | R*5 | java.lang.Thread.run:829 | com.acme.Rows.hasNext:43 | com.acme.Generated.next | com.acme.Generated.sum
		job | R*4 | java.lang.Thread.run:829 | com.acme.Rows.hasNext:43 | com.acme.Generated.next | java.lang.invoke.LambdaForm$MH.invoke
		job | R*3 | java.lang.Thread.run:829 | com.acme.Rows.hasNext:43 | com.acme.Generated$$Lambda.apply | jdk.internal.misc.Unsafe.park:native
		job | R*2 | java.lang.Thread.run:829 | com.acme.Generated.next | java.util.HashMap.get
		job | R   | com.acme.Rows$$Lambda.run | java.lang.invoke.LambdaForm$MH.invoke
	`);
	const counts = (query: Partial<Query>) =>
		drawn(queryLines(withoutLines, undefined, {...defaultQuery, ...query}).rows.filter(({selfTicks}) =>
			selfTicks > 0));

	test('counts by method, without what the JVM generates to pass calls on', () => {
		expect(counts({})).toBe(undent(`
			5/5 com.acme.Generated.sum
			4/11 com.acme.Generated.next
			3/12 com.acme.Rows.hasNext:43
			2/2 java.util.HashMap.get
			1/5 java.lang.invoke.LambdaForm$MH.invoke
		`));
		expect(counts({ownFirst: true})).toBe(undent(`
			6/11 com.acme.Generated.next via java.lang.invoke.LambdaForm$MH.invoke
			5/5 com.acme.Generated.sum
			3/12 com.acme.Rows.hasNext:43 via jdk.internal.misc.Unsafe.park
			1/1 com.acme.Rows$$Lambda.run via java.lang.invoke.LambdaForm$MH.invoke
		`));
	});

	test('counts at its first caller with a line with --first-line, and always in the format `lines`', () => {
		expect(counts({firstLine: true})).toBe(undent(`
			12/12 com.acme.Rows.hasNext:43
			2/14 java.lang.Thread.run:829
			1/5 java.lang.invoke.LambdaForm$MH.invoke
		`));
		expect(lines.write(withoutLines, undefined, {query: defaultQuery, version: ''}))
			.toBe('   12 com.acme.Rows.hasNext:43\n    2 java.lang.Thread.run:829\n');
	});
});

describe('own code first', () => {
	test('a line of the program\'s own counts for what it called in the JDK, and says what that was', () => {
		expect(drawn(queryLines(snapshot, undefined, own()).rows)).toBe(undent(`
			3/3 com.acme.Dao.find:88 via java.util.regex.Matcher.matches
			0/3 java.lang.Thread.run:829
			0/2 java.util.regex.Matcher.matches:1
			0/1 java.util.regex.Loop.match:4
			0/1 java.util.regex.Loop.match:9
		`));
		expect(drawn(queryLines(snapshot, undefined, own({states: ['WAITING']})).rows)).toBe(undent(`
			1/1 com.acme.Dao.find:88 via java.util.concurrent.locks.LockSupport.park
			1/2 java.util.concurrent.locks.LockSupport.park:211
			0/2 java.lang.Thread.run:829
			0/1 jdk.internal.misc.Unsafe.park(native)
		`));
	});

	test('without it each line of the JDK says by which of the program\'s own it came', () => {
		const rows = queryLines(snapshot, undefined, defaultQuery).rows.filter(row => row.selfTicks > 0);
		expect(rows.map(row => [locationName(row), row.own && locationName(row.own), row.via])).toEqual([
			['com.acme.Dao.find:88', undefined, undefined],
			['java.util.regex.Loop.match:4', 'com.acme.Dao.find:88', undefined],
			['java.util.regex.Loop.match:9', 'com.acme.Dao.find:88', undefined],
		]);
	});

	test('the filter finds what a row stands in, the detail has its samples, and --app decides what is own', () => {
		const filtered = queryLines(snapshot, undefined, own({filter: 'Matcher.matches'})).rows;
		expect(locationName(filtered[0])).toBe('com.acme.Dao.find:88');
		expect(queryLineDetail(snapshot, undefined, own(), 'com.acme.Dao.find:88').stacks.map(({ticks}) => ticks))
			.toEqual([1, 1, 1, 1]);
		expect(drawn(queryLines(snapshot, undefined, own({app: ['java.util.regex']})).rows.slice(0, 1)))
			.toBe('1/3 com.acme.Dao.find:88');
		expect(drawn(queryLines(snapshot, undefined, own({app: ['!com.acme']})).rows.slice(0, 1)))
			.toBe('1/3 com.acme.Dao.find:88');
	});

	test('stacks are the same from the program\'s own code on; Enter shows one whole, and words of the filter are found in what is left out', () => {
		const stacks = (changes: Partial<Query> = {}) =>
			queryStackHistogram(snapshot, undefined, own({sort: {column: 'ticks', reverse: false}, ...changes})).rows;
		expect(stacks().map(row => [
			row.selfTicks,
			row.frames.map(frame => locationName(frame)).join(' < '),
			row.via && locationName(row.via),
		])).toEqual([
			[3, 'com.acme.Dao.find:88 < java.lang.Thread.run:829', 'java.util.regex.Matcher.matches'],
		]);
		expect(locationName(stacks()[0].fullStack[0])).toBe('java.util.regex.Loop.match:4');
		expect(stacks({filter: 'Loop.match:9'})).toHaveLength(1);
		expect(stacks({filter: 'nothing'})).toHaveLength(0);
		expect(stacks({states: ['WAITING'], sort: {column: 'stack', reverse: false}}).map(row => [locationName(row), row.via && locationName(row.via)])).toEqual([
			['com.acme.Dao.find:88', 'java.util.concurrent.locks.LockSupport.park'],
			['java.util.concurrent.locks.LockSupport.park:211', undefined],
		]);
		expect(queryStackDetail(snapshot, undefined, own(), stacks()[0]).threads.map(({ticks}) => ticks)).toEqual([3]);
		const [plain] = queryStackHistogram(snapshot, undefined, {...defaultQuery, filter: 'Loop.match:9'}).rows;
		expect([locationName(plain), plain.own && locationName(plain.own), plain.via]).toEqual([
			'java.util.regex.Loop.match:9',
			'com.acme.Dao.find:88',
			undefined,
		]);
	});

	const treeOf = (changes: Partial<Query> = {}) =>
		[...queryTree(snapshot, undefined, own({...changes, tree: {isAllOpen: true, ...changes.tree}})).rows]
			.map(row =>
				`${'  '.repeat(row.level)}${row.selfTicks}/${row.totalTicks} ${locationName(row)}${
					row.via ? ` via ${locationName(row.via)}` : ''
				}`).join('\n');

	test('the tree ends at the program\'s own code, from both ends', () => {
		const line = 'com.acme.Dao.find:88 via java.util.regex.Matcher.matches';
		expect(treeOf())
			.toBe('0/3 java.lang.Thread.run:829\n  3/3 com.acme.Dao.find:88 via java.util.regex.Matcher.matches');
		expect(treeOf({states: ['WAITING'], sort: {column: 'path', reverse: false}})).toBe([
			'0/2 java.lang.Thread.run:829',
			'  1/1 com.acme.Dao.find:88 via java.util.concurrent.locks.LockSupport.park',
			'  1/1 java.util.concurrent.locks.LockSupport.park:211',
		].join('\n'));
		expect(treeOf({tree: {isBottomUp: true}})).toBe(`3/3 ${line}\n  0/3 java.lang.Thread.run:829`);
		expect(treeOf({filter: 'Loop.match:9'})).toBe(`0/1 java.lang.Thread.run:829\n  1/1 ${line}`);
	});

	test('so does what a method calls, unless it is others\' itself', () => {
		const callsOf = (method: string) =>
			[...queryFocus(snapshot, undefined, own({method, tree: {isAllOpen: true}})).rows]
				.filter(({part}) => part === 'calls').map(row =>
					`${row.selfTicks} ${locationName(row)}${row.via ? ` via ${locationName(row.via)}` : ''}`);
		expect(callsOf('com.acme.Dao.find')).toEqual([
			'0 com.acme.Dao.find',
			'4 com.acme.Dao.find:88 via java.util.regex.Matcher.matches',
		]);
		expect(callsOf('java.util.regex.Matcher.matches')).toEqual([
			'0 java.util.regex.Matcher.matches',
			'0 java.util.regex.Matcher.matches:1',
			'1 java.util.regex.Loop.match:4',
			'1 java.util.regex.Loop.match:9',
		]);
	});

	test('threads stand at a line of the program\'s own', () => {
		const {rows} = queryThreads(snapshot, undefined, own({showsWaitsForWork: true}));
		expect(rows.map(({now, via}) => [now && locationName(now), via && locationName(via)])).toEqual([
			['com.acme.Dao.find:88', 'java.util.concurrent.locks.LockSupport.park'],
			['java.util.concurrent.locks.LockSupport.park:211', undefined],
		]);
	});
});
