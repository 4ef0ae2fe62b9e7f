import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {lockKindCode} from '../../source/model/sample.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {querySummaryLines} from '../../source/views/lines/lines.js';
import {findingsOf} from '../../source/query/summary/findings.js';
import {defaultQuery, type Query} from '../../source/query/types/query.js';
import {headingOf} from '../../source/query/columns/column.js';
import {measureOf} from '../../source/query/counters/scope.js';
import {locationName} from '../../source/query/counters/location.js';
import {text} from '../../source/exports/formats/text.js';
import type {View} from '../../source/views/common/view.js';
import {views} from '../../source/views/view-registry.js';
import {linesView} from '../../source/views/lines/lines-view.js';
import {deadlocked, Picture, picture} from '../helpers/picture.js';

const glance = (changes: Partial<Query> = {}): Query => ({...defaultQuery, summary: {showsWaits: true}, ...changes});
const names = (snapshot: Snapshot, query: Query): string[] =>
	querySummaryLines(snapshot, undefined, query).rows.map(row =>
		`${row.selfTicks} ${locationName(row)}${row.holder ? ` < ${row.holder}` : ''}`);

/** What is found of the program, in one text; undefined for nothing. */
const found = (snapshot: Snapshot, query: Query): string | undefined =>
	findingsOf(snapshot, undefined, query, query.summary).map(({text}) => text).join(' ') || undefined;
const quiet = 'The program uses almost no CPU: these are the lines where threads wait.';

const hog = picture(`
	main | R R | main:1 | work:2 work:3
`);

test('lines that used nothing themselves are not there, unless what they led to is asked for', () => {
	expect(names(hog, glance())).toEqual(['1 A.work:2', '1 A.work:3']);
	expect(names(hog, glance({sort: {column: 'total', reverse: false}}))).toContain('0 A.main:1');
	expect(names(hog, glance({filter: 'main'}))).toEqual(['0 A.main:1']);
	expect(names(hog, glance({summary: undefined}))).toContain('0 A.main:1');
	expect(querySummaryLines(hog, undefined, glance()).finding).toBeUndefined();
});

/** Two held up at a monitor and a lock, four that wait for work or for a server. */
const waiting = (): Picture => new Picture().draw(`
	a                  | t t t   | main:1 | java.lang.Thread.sleep:native
	b <- a@take:8      | B B     | run:4  | take:8
	c <- a@take:8 park | w       | run:5  | java.util.concurrent.locks.LockSupport.park:211
	d                  | . .     | ask:7  | java.net.Socket.read:native
	e                  | .       | ask:7  | java.net.Socket.read:native
	pool-1             | w w w w | java.util.concurrent.locks.LockSupport.park:211
`).set(['b', 'c', 'd', 'e'], {sinceMs: 58_000});

test('where almost no CPU is used, rows are where threads wait, in the order of what is shown', () => {
	const {rows, measure, finding} = querySummaryLines(waiting().build(), undefined, glance());
	const rest = ['3 A.ask:7', '3 A.main:1', '2 A.take:8 < a', '1 A.run:5 < a'];
	expect(names(waiting().build(), glance())).toEqual(rest);
	expect(names(waiting().build(), glance({showsWaitsForWork: true}))).toEqual([
		'4 java.util.concurrent.locks.LockSupport.park:211',
		...rest,
	]);
	expect(rows.map(row => row.selfPercent)).toEqual(rows.map(row => row.selfPercent).toSorted((a, b) => b - a));
	expect([measure, finding]).toEqual(['waiting', quiet]);
	expect(found(waiting().build(), glance())).toBe('2 threads wait for Object, up to 42s: a has it, at A.main:1.');
});

test.each<[Partial<Query>, string, Snapshot?]>([
	[{}, 'CPU%'],
	[{unit: 'ticks'}, 'TICK%'],
	[{unit: 'cpu-ms'}, 'CPUms'],
	[{states: ['BLOCKED']}, 'BLK%'],
	[{states: ['WAITING', 'TIMED_WAITING']}, 'WAIT%'],
	[{states: ['WAITING', 'BLOCKED']}, 'TICK%'],
	[{filter: 'state:B'}, 'BLK%'],
	// Where almost no CPU is used.
	[glance(), 'WAIT%', waiting().build()],
	[glance({unit: 'cpu-ms'}), 'CPUms', waiting().build()],
])('the heading of shares says what they are of: %j: %s', (changes, heading, snapshot = hog) => {
	const query: Query = {...defaultQuery, ...changes};
	expect(headingOf(linesView.columns[0], linesView.query(snapshot, undefined, query).measure ?? measureOf(query)))
		.toBe(heading);
});

test('threads in a deadlock are said to be, and a row where several hold threads up says how many', () => {
	expect(found(deadlocked(), glance()))
		.toBe('DEADLOCK: one -> two -> one 2 threads wait for locks, up to 50s: all of them in a deadlock.');
	const {rows} = querySummaryLines(
		picture('one <- two | B | enter:4\ntwo <- one | B | enter:4'),
		undefined,
		glance(),
	);
	expect([...rows].map(({holder, otherHolders}) => [holder, otherHolders])).toEqual([['two', 1]]);
});

test('a known holder is named even where most waiters have an unknown one', () => {
	const drawing = new Picture().draw('one <- two@take:1 | B | enter:4\nthree | B | enter:4\nfour | B | enter:4');
	expect(names(drawing.build(), glance())).toEqual(['3 A.enter:4 < two']);
});

test('a holder that has ended is said to have', () => {
	const drawn = picture('a <- b park | w | run:5 | java.util.concurrent.locks.LockSupport.park:211\nb | X | -');
	expect(found(drawn, glance())).toBe('1 thread waits for Object: b, which has ended, has it.');
});

test('where a holder is not known it says how to ask for it, if that is possible', () => {
	const parked = new Picture().draw('a | w | run:5 | java.util.concurrent.locks.LockSupport.park:211')
		.set('a', {lockKind: lockKindCode.park, lockClass: 'java.util.concurrent.locks.ReentrantLock$NonfairSync'})
		.build();
	const text = (canAskForHolders: boolean) => found(parked, glance({summary: {showsWaits: true, canAskForHolders}}));
	expect(text(true))
		.toBe('1 thread waits for ReentrantLock: it is not known who has it (L in Blockers asks the JVM).');
	expect(text(false)).toBe('1 thread waits for ReentrantLock: it is not known who has it.');
});

test('where nobody is held up it says which threads wait together', () => {
	expect(found(waiting().set(['b', 'c'], {alive: false}).build(), glance()))
		.toBe('2 threads wait together at A.ask:7 via Socket.read, up to 42s.');
});

test('in a moment that is too short to say so, rows are where threads wait if nobody was seen running', () => {
	const {finding, rows} = querySummaryLines(waiting().build({sampledMs: 100}), undefined, glance());
	expect(finding).toBe('No CPU use has been observed so far: these are the lines where threads wait.');
	expect(rows.map(row => locationName(row))).toContain('A.ask:7');
	const running = waiting().draw('hot | R0 | work:1').build({sampledMs: 999});
	expect(querySummaryLines(running, undefined, glance()).finding).toBeUndefined();
	expect(names(running, glance())).toEqual(['2 A.take:8 < a', '1 A.work:1']);
});

test('where CPU is used, too, three that are held up are found, and one that has been for a second', () => {
	const drawing = new Picture().draw('hot | R R | work:1\na | t | main:1');
	const draw = (name: string) => drawing.draw(`${name} <- a@take:8 | B | run:4`);
	const text = () => found(drawing.build(), glance());
	draw('b');
	draw('c');
	expect(text()).toBeUndefined();
	drawing.set('c', {sinceMs: 99_001});
	expect(text()).toBeUndefined();
	drawing.set('c', {sinceMs: 99_000});
	expect(text()).toBe('2 threads wait for Object, up to 1s: a has it, at A.main:1.');
	drawing.set('c', {sinceMs: 99_900});
	draw('d');
	expect(text()).toBe('3 threads wait for Object: a has it, at A.main:1.');
	drawing.draw('e <- b@take:8 park | w | run:5');
	expect(text()).toBe('4 threads wait for locks: a has the Object that 3 of them wait for, at A.main:1.');
});

test('where the hottest lines are the JDK\'s, the line of the program that called most of it is named', () => {
	const regex = picture(`
		parser | R R | match:7 | java.util.regex.Loop.match:4 java.util.regex.Loop.match:9
		parser | R   | work:9
	`);
	const {finding} = querySummaryLines(regex, undefined, glance());
	expect(finding).toBe('67% of the CPU time is what A.match:7 called; press a to count it there.');
	expect(querySummaryLines(regex, undefined, glance({ownFirst: true})).finding).toBeUndefined();
	const report = text.write(regex, undefined, {query: defaultQuery, version: ''}) as string;
	expect(report).toContain('67% of the CPU time is what A.match:7 called; --own-first counts it there.');
	expect(querySummaryLines(hog, undefined, glance()).finding).toBeUndefined();
});

test.each(views.map(view => [view.id, view] as const))('a report of %s without rows names no key', (_, view) => {
	const empty: View = {...view, query: (...given) => ({...view.query(...given), rows: []})};
	for (const snapshot of [hog, picture('pool-1 | w | java.util.concurrent.locks.LockSupport.park:211')]) {
		const report = text.write(snapshot, undefined, {query: defaultQuery, version: '', view: empty});
		expect(report).not.toMatch(/\b(?:press|[aimMf] (?:shows|on|makes))\b/);
	}
});

test('a row of such waits has the detail of its samples', () => {
	const snapshot = waiting().build();
	const detail = linesView.detail(snapshot, undefined, glance(), 'A.ask:7', undefined);
	expect(detail.threads.map(({name}) => name)).toEqual(['d', 'e']);
});

const concurrently = 'The JVM is collecting garbage concurrently: collectors use 70% CPU, the program 3%.';

test.each([
	['VM Thread', 700, {}, 'The JVM itself uses 70% CPU, the program 3%: most in VM Thread. Threads shows them all.'],
	[
		'worker-7',
		700,
		{},
		'Native threads and the JVM itself use 70% CPU, the program 3%: most in worker-7. Threads shows them all.',
	],
	[
		'VM Thread',
		700,
		{gcPercent: 68.9},
		'The JVM is collecting garbage: the program stands still for collections 69% of the time.',
	],
	['VM Thread', 700, {
		gcPercent: 0,
		cpuPercent: 0,
		recentGcPercent: 43,
		recentCpuPercent: 60,
		recentGcCause: safe`Metadata GC Threshold`,
	}, 'Loading classes makes the JVM collect, which stops the program 43% of the time.'],
	[
		'VM Thread',
		700,
		{gcPercent: 90, cpuPercent: 90, recentGcPercent: 19, recentCpuPercent: 60},
		'The JVM itself uses 70% CPU, the program 3%: most in VM Thread. Threads shows them all.',
	],
	// In a minute shares vary less than in five seconds.
	[
		'VM Thread',
		400,
		{gcPercent: 0, recentGcPercent: 19, minuteGcPercent: 15, minuteCpuPercent: 60},
		'The JVM is collecting garbage: the program stands still for collections 15% of the time.',
	],
	['VM Thread', 400, {gcPercent: 0, recentGcPercent: 19, minuteGcPercent: 14.9, minuteCpuPercent: 60}, undefined],
	['VM Thread', 400, {recentGcPercent: 19, minuteGcPercent: 15, minuteCpuPercent: 5}, undefined],
	[
		'VM Thread',
		400,
		{
			recentGcPercent: 0, minuteGcPercent: 5, minuteCpuPercent: 10, minuteGcCause: safe`System.gc()`,
			heapUsedBytes: 8 * (2 ** 20), heapMaxBytes: 64 * (2 ** 20),
		},
		'Calls of System.gc() stop the program 5% of the time.',
	],
	[
		'VM Thread',
		400,
		{
			recentGcPercent: 40, recentCpuPercent: 40, recentGcCause: safe`G1 Evacuation Pause`,
			minuteGcPercent: 5, minuteCpuPercent: 10, minuteGcCause: safe`System.gc()`,
		},
		'Calls of System.gc() stop the program 40% of the time.',
	],
	['VM Thread', 400, {minuteGcPercent: 4.9, minuteCpuPercent: 10, minuteGcCause: safe`System.gc()`}, undefined],
	['VM Thread', 400, {minuteGcPercent: 14, minuteCpuPercent: 20, minuteGcCause: safe`G1 Evacuation Pause`}, undefined],
	['GC Thread#0', 700, {}, 'The JVM is collecting garbage: collectors use 70% CPU, the program 3%.'],
	['ShenWorker#0', 700, {gcPercent: 0.9}, concurrently],
	['GC Thread#0', 50, {
		gcPercent: 100,
		cpuPercent: 9,
		heapUsedBytes: 8 * (2 ** 20),
		heapCapacityBytes: 16 * (2 ** 20),
		heapMaxBytes: 6 * (2 ** 30),
	}, undefined],
	[
		'GC Thread#0',
		700,
		{
			gcPercent: 69.4,
			cpuPercent: 73,
			heapUsedBytes: 8 * (2 ** 20),
			heapCapacityBytes: 16 * (2 ** 20),
			heapMaxBytes: 6 * (2 ** 30),
		},
		'The JVM is collecting garbage: 8.0M of 16.0M in use (50%); the program stands still for collections 69% of the time; collectors use 70% CPU, the program 3%.',
	],
	['C2 CompilerThread0', 700, {}, 'The JIT compiler uses 70% CPU, the program 3%: its code is still being compiled.'],
	[
		'GC Thread#0',
		700,
		{gcPercent: 69.4, heapUsedBytes: 60 * (2 ** 20), heapMaxBytes: 64 * (2 ** 20)},
		'The heap is full: 60.0M of 64.0M in use (94%); the program stands still for collections 69% of the time; collectors use 70% CPU, the program 3%.',
	],
	['GC Thread#0', 0, {heapUsedBytes: 60 * (2 ** 20), heapMaxBytes: 64 * (2 ** 20)}, undefined],
	[
		'GC Thread#0',
		0,
		{heapUsedBytes: 63 * (2 ** 20), heapMaxBytes: 64 * (2 ** 20)},
		'The heap is full: 63.0M of 64.0M in use (98%).',
	],
])('where %s uses %i ms of a second, and %j is known, that is found', (name, cpuMs, vitals, text) => {
	const drawing = new Picture()
		.draw(`main | R30 | work:1\n${name} [vm${name.startsWith('C2') ? ' compiler' : ''}] | R${cpuMs}`);
	expect(found(drawing.build(), glance({summary: {showsWaits: true, vitals}}))).toBe(text);
	expect(found(drawing.build({sampledMs: 100}), glance())).toBeUndefined();
});
