import {expect, test} from 'vitest';
import {lockKindCode} from '../../source/model/sample.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {queryLinesAtAGlance} from '../../source/query/glance/at-a-glance.js';
import {defaultQuery} from '../../source/query/defaults.js';
import {placeName} from '../../source/query/facts/place.js';
import type {Query} from '../../source/query/types.js';
import {linesView} from '../../source/views/lines.js';
import {Picture, picture, undent} from '../helpers/picture.js';

const glance = (changes: Partial<Query> = {}): Query => ({...defaultQuery, atAGlance: {showsWaits: true}, ...changes});
const names = (snapshot: Snapshot, query: Query): string[] => queryLinesAtAGlance(snapshot, undefined, query).rows.map(row => `${row.selfTicks} ${placeName(row)}${row.holder ? ` < ${row.holder}` : ''}`);

const hog = picture(`
	main
	R      R
	main:1 main:1
	work:2 work:3
`);

test('lines that used nothing themselves are not there, unless what they led to is asked for', () => {
	expect(names(hog, glance())).toEqual(['1 A.work:2', '1 A.work:3']);
	expect(names(hog, glance({sort: {column: 'total', reverse: false}}))).toContain('0 A.main:1');
	expect(names(hog, glance({filter: 'main'}))).toEqual(['0 A.main:1']);
	expect(names(hog, glance({atAGlance: undefined}))).toContain('0 A.main:1');
	expect(queryLinesAtAGlance(hog, undefined, glance()).above).toBeUndefined();
});

/** Two held up at a monitor and a lock, four that wait for work or for a server. */
const waiting = (): Picture => {
	const drawing = new Picture().draw(`
		a
		t     t     t
		main:1 main:1 main:1
		java.lang.Thread.sleep:native java.lang.Thread.sleep:native java.lang.Thread.sleep:native

		b <- a@take:8
		B      B
		run:4  run:4
		take:8 take:8

		c <- a@take:8 park
		w
		run:5
		java.util.concurrent.locks.LockSupport.park:211

		d
		.     .
		ask:7 ask:7
		java.net.Socket.read:native java.net.Socket.read:native

		e
		.
		ask:7
		java.net.Socket.read:native

		pool-1
		w     w     w     w
		java.util.concurrent.locks.LockSupport.park:211 java.util.concurrent.locks.LockSupport.park:211 java.util.concurrent.locks.LockSupport.park:211 java.util.concurrent.locks.LockSupport.park:211
	`);
	for (const name of ['b', 'c', 'd', 'e']) {
		drawing.builder.setNow(drawing.thread(name), {sinceMs: 58_000});
	}

	return drawing;
};

test('where next to no CPU is used, rows are where threads wait: those held up first, what waits for work last', () => {
	expect(names(waiting().build(), glance())).toEqual([
		'2 A.take:8 < a', '1 A.run:5 < a', '3 A.ask:7', '3 A.main:1', '4 java.util.concurrent.locks.LockSupport.park:211',
	]);
	expect(queryLinesAtAGlance(waiting().build(), undefined, glance()).above).toBe('Next to no CPU is used. 2 threads are held up, the longest for 42s, by a, which is at A.main:1 via Thread.sleep.');
});

test('threads in a deadlock are said to be, and a row where several hold threads up says how many', () => {
	const drawing = new Picture().draw('one <- two@take:1\nB\nenter:4\n\ntwo <- one@take:2\nB\nenter:4');
	for (const name of ['one', 'two']) {
		drawing.builder.setNow(drawing.thread(name), {sinceMs: 50_000});
	}

	const {above, rows} = queryLinesAtAGlance(drawing.build(), undefined, glance());
	expect(above).toBe('Next to no CPU is used. 2 threads are held up, the longest for 50s, all of them in a deadlock.');
	expect([...rows].map(({holder, otherHolders}) => [holder, otherHolders])).toEqual([['two', 1]]);
});

test('where a holder is not known it says how to ask for it, if that is possible', () => {
	const drawing = new Picture().draw('a\nw\nrun:5\njava.util.concurrent.locks.LockSupport.park:211');
	drawing.builder.setNow(drawing.thread('a'), {lockKind: lockKindCode.park, lockClass: drawing.builder.internString('java.util.concurrent.locks.ReentrantLock$NonfairSync')});
	const parked = drawing.build();
	const above = (canAskForHolders: boolean) => queryLinesAtAGlance(parked, undefined, glance({atAGlance: {showsWaits: true, canAskForHolders}})).above;
	expect(above(true)).toBe('Next to no CPU is used. 1 thread is held up, by an unknown thread (L in Blockers asks the JVM who it is).');
	expect(above(false)).toBe('Next to no CPU is used. 1 thread is held up, by an unknown thread.');
});

test('where nobody is held up it says which threads wait together', () => {
	const drawing = waiting();
	for (const name of ['b', 'c']) {
		drawing.builder.setNow(drawing.thread(name), {alive: false});
	}

	expect(queryLinesAtAGlance(drawing.build(), undefined, glance()).above).toBe('Next to no CPU is used. 2 threads wait together at A.ask:7 via Socket.read, the longest for 42s.');
});

test.each([
	['other states were asked for', {atAGlance: {showsWaits: false}}],
	['a program reads the rows', {atAGlance: undefined}],
])('not where %s', (_, change) => {
	const table = queryLinesAtAGlance(waiting().build(), undefined, glance(change));
	expect(table.above).toBeUndefined();
	expect(table.rows.filter(row => row.selfTicks > 0).map(row => placeName(row))).toEqual(['A.take:8']);
});

test('in a moment that is too short to say so, rows are where threads wait if nobody was seen running', () => {
	const {above, rows} = queryLinesAtAGlance(waiting().build({sampledMs: 100}), undefined, glance());
	expect(above).toBe('No CPU use has been seen so far. 2 threads are held up, the longest for 42s, by a, which is at A.main:1 via Thread.sleep.');
	expect(rows.map(row => placeName(row)).slice(0, 2)).toEqual(['A.take:8', 'A.run:5']);
	const running = waiting().draw('hot\nR0\nwork:1').build({sampledMs: 999});
	expect(queryLinesAtAGlance(running, undefined, glance()).above).toBeUndefined();
	expect(names(running, glance())).toEqual(['2 A.take:8 < a', '1 A.work:1']);
});

test('many that are held up for long are named where CPU is used, too', () => {
	const drawing = waiting().draw('hot\nR R\nwork:1 work:1');
	const above = () => queryLinesAtAGlance(drawing.build(), undefined, glance()).above;
	drawing.draw(['f', 'g'].map(name => `${name} <- a@take:8 park\nw\nrun:5\njava.util.concurrent.locks.LockSupport.park:211`).join('\n\n'));
	expect(above()).toBeUndefined();
	drawing.draw('h <- a@take:8\nB\nrun:4');
	expect(above()).toBe('5 threads are held up, the longest for 42s, by a, which is at A.main:1 via Thread.sleep: see Blockers.');
});

test('where the hottest lines are the JDK\'s, the line of the program that called most of it is named', () => {
	const regex = picture(`
		parser
		R      R      R
		match:7 match:7 work:9
		java.util.regex.Loop.match:4 java.util.regex.Loop.match:9 -
	`);
	expect(queryLinesAtAGlance(regex, undefined, glance()).above).toBe('67% is what A.match:7 called; press a to count it there.');
	expect(queryLinesAtAGlance(regex, undefined, glance({ownFirst: true})).above).toBeUndefined();
	expect(queryLinesAtAGlance(hog, undefined, glance()).above).toBeUndefined();
});

test('nor where CPU is used', () => {
	expect(queryLinesAtAGlance(waiting().draw('hot\nR R\nwork:1 work:1').build(), undefined, glance()).above).toBeUndefined();
});

test('a row of such waits has the detail of its samples', () => {
	const snapshot = waiting().build();
	const detail = linesView.detail(snapshot, undefined, glance(), 'A.ask:7', undefined);
	expect(detail.threads.map(({name}) => name)).toEqual(['d', 'e']);
});

test.each([
	['VM Thread', 700, {}, 'The JVM itself uses 70% CPU, the program 3%: most in VM Thread. Threads shows them all.'],
	['VM Thread', 700, {gcPercent: 68.9}, 'The JVM is collecting garbage: the program stands still for collections 69% of the time.'],
	['GC Thread#0', 700, {}, 'The JVM is collecting garbage: collectors use 70% CPU, the program 3%.'],
	['GC Thread#0', 20, {}, undefined],
	['GC Thread#0', 700, {gcPercent: 69.4, heapUsedBytes: 60 * (2 ** 20), heapMaxBytes: 64 * (2 ** 20)}, 'The heap is full: 60.0M of 64.0M in use (94%); the program stands still for collections 69% of the time; collectors use 70% CPU, the program 3%.'],
	['GC Thread#0', 0, {heapUsedBytes: 60 * (2 ** 20), heapMaxBytes: 64 * (2 ** 20)}, undefined],
	['GC Thread#0', 0, {heapUsedBytes: 63 * (2 ** 20), heapMaxBytes: 64 * (2 ** 20)}, 'The heap is full: 63.0M of 64.0M in use (98%).'],
])('where %s uses %i ms of a second, and %j is known, that stands above the rows', (name, cpuMs, vitals, text) => {
	const drawing = new Picture().draw(undent(`
		main
		R30
		work:1

		${name} [vm]
		R${cpuMs}
	`));
	expect(queryLinesAtAGlance(drawing.build(), undefined, glance({atAGlance: {showsWaits: true, vitals}})).above).toBe(text);
	expect(queryLinesAtAGlance(drawing.build({sampledMs: 100}), undefined, glance()).above).toBeUndefined();
});
