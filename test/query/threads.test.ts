import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {defaultQuery, type Location, type Query} from '../../source/query/types/query.js';
import {summarize} from '../../source/query/summary/summary.js';
import {threadFlag} from '../../source/model/sample.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {stateCode} from '../../source/model/thread-state.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {locationName} from '../../source/query/counters/location.js';
import {Picture, picture, undent} from '../helpers/picture.js';
import type {ThreadRow} from '../../source/views/threads/columns.js';

const shown = (changes: Partial<Query> = {}): Query => ({
	...defaultQuery,
	sort: {column: 'cpu', reverse: false},
	showsWaitsForWork: true,
	...changes,
});

function drawn(rows: readonly ThreadRow[]): string {
	const name = (place: Location | undefined) => place ? locationName(place) : '-';
	return rows.map(row =>
		`${row.name}: ${row.state ?? (row.isAlive ? 'mixed' : 'dead')} ${row.cpuPercent}% ${row.ticks} now ${name(row.now)} top ${name(row.top)}`).join('\n');
}

const busyService = `
	http-1                        | R100 R100 B | work:1 work:2 lock:3
	http-2                        | R50 w w     | work:2 wait:4 wait:4
	main                          | t t t
	old [dead]                    | R10         | init:9
	GC Thread#0 [vm]              | R30 R0
	C2 CompilerThread0 [compiler] | R200
	parker                        | w w w       | wait:4
`;

test('threads that are stuck come before others that use no CPU to speak of', () => {
	const drawing = new Picture().draw(`
		hot   | R500 | work:1
		warm  | R0.6 | work:1
		rests | R0.4 | work:2
		idle  | w    | java.util.concurrent.ThreadPoolExecutor.getTask:1
		stuck | t    | work:3
		moves | t    | work:4
	`).set(['stuck'], {sinceMs: 98_000}).set(['moves'], {sinceMs: 99_500});
	const order = (figures: Parameters<Picture['build']>[0]) =>
		queryThreads(drawing.build(figures), undefined, shown()).rows.map(({name}) => name);
	expect(order({sampledMs: 1000, durationMs: 1000})).toEqual(['hot', 'warm', 'stuck', 'rests', 'idle', 'moves']);
	// Without times there are only shares.
	expect(order({sampledMs: 0, durationMs: 0}).slice(0, 3)).toEqual(['hot', 'warm', 'rests']);
});

describe('threads of the JVM itself', () => {
	const idleJvm = picture(`
		VM Periodic Task Thread [vm] | R0.5 R0.5 R0.5
		Reference Handler            | . . .          | handle:1
		GC Thread#0 [vm]             | R300 . .
		worker-1                     | t R0.1 t       | nap:2
		main                         | t t t          | nap:2
	`);
	const names = (changes: Partial<Query>) =>
		queryThreads(idleJvm, undefined, shown(changes)).rows.map(({name}) => name);

	test('stand behind the program\'s unless they use CPU, in every order', () => {
		expect(names({})).toEqual(['GC Thread#0', 'worker-1', 'main', 'VM Periodic Task Thread', 'Reference Handler']);
		expect(names({sort: {column: 'name', reverse: true}})).toEqual([
			'worker-1',
			'main',
			'GC Thread#0',
			'VM Periodic Task Thread',
			'Reference Handler',
		]);
		expect(names({sort: {column: 'ticks', reverse: false}}).slice(-2)).toEqual([
			'VM Periodic Task Thread',
			'Reference Handler',
		]);
	});

	test('are RUNNABLE when they used CPU in the window, wherever they stand now', () => {
		const {rows} = queryThreads(idleJvm, undefined, shown());
		expect(rows.map(({name, state}) => `${name} ${state}`)).toEqual([
			'GC Thread#0 RUNNABLE',
			'worker-1 TIMED_WAITING',
			'main TIMED_WAITING',
			'VM Periodic Task Thread RUNNABLE',
			'Reference Handler IDLE',
		]);
		const pool
			= queryThreads(
				picture('GC Thread#0 [vm] | R300 . .\nGC Thread#1 [vm] | R1 . .'),
				undefined,
				shown({foldPools: true}),
			).rows;
		expect(pool.map(({name, state}) => `${name} ${state}`)).toEqual(['GC Thread#* RUNNABLE']);
	});
});

describe('rows', () => {
	const snapshot = picture(busyService);

	test('one for each thread, those of the JVM and dead ones too; those without work hidden unless asked for', () => {
		const {rows, allRows} = queryThreads(snapshot, undefined, shown());
		expect(drawn(rows)).toBe(undent(`
			http-1: BLOCKED 20% 3 now A.lock:3 top A.work:1
			C2 CompilerThread0: RUNNABLE 20% 1 now - top -
			http-2: WAITING 5% 1 now A.wait:4 top A.work:2
			GC Thread#0: RUNNABLE 3% 2 now - top -
			old: dead 1% 1 now - top A.init:9
			main: TIMED_WAITING 0% 0 now - top -
			parker: WAITING 0% 0 now A.wait:4 top A.wait:4
		`));
		expect(allRows).toBe(7);
		expect(queryThreads(snapshot, undefined, shown({showsWaitsForWork: false})).rows.map(({name}) => name)).not
			.toContain('main');
		expect(queryThreads(snapshot, undefined, shown({showsWaitsForWork: false, filter: 'main'}))).toMatchObject({
			rows: [],
			hiddenRows: 1,
		});
	});

	test('a window has only what happened in it', () => {
		const drawing = new Picture().draw(busyService);
		const since = drawing.build();
		drawing.draw(`
			http-2 | R40 R | work:2 work:7
		`);
		const {rows} = queryThreads(drawing.build({durationMs: 1500}), since, shown({showsWaitsForWork: false}));
		// http-1 did nothing since, but stands blocked now.
		expect(drawn(rows))
			.toBe('http-2: RUNNABLE 10% 2 now A.work:7 top A.work:2\nhttp-1: BLOCKED 0% 0 now A.lock:3 top -\nparker: WAITING 0% 0 now A.wait:4 top -');
		expect(queryThreads(drawing.build(), since, shown()).rows.map(({name}) => name)).not.toContain('old');
	});

	test('the filter matches names and places', () => {
		expect(queryThreads(snapshot, undefined, shown({filter: 'wait:4'})).rows.map(({name}) => name)).toEqual([
			'http-2',
			'parker',
		]);
		expect(queryThreads(snapshot, undefined, shown({filter: 'cpu>100'})).rows.map(({name}) => name)).toEqual([
			'http-1',
			'C2 CompilerThread0',
		]);
		expect(queryThreads(snapshot, undefined, shown({filter: 'state:w'})).rows.map(({name}) => name)).toEqual([
			'parker',
			'http-2',
		]);
	});
});

test('virtual threads of a kind are one row, with how many there are, also where pools are not folded', () => {
	const builder = new SnapshotBuilder();
	const carrier = builder.addThread({key: 1, name: safe`ForkJoinPool-1-worker-1`, flags: threadFlag.carrier});
	builder.addThread({key: -5, name: safe`handler-*`, flags: threadFlag.virtual, carrier});
	builder.addThread({key: -6, name: safe`handler-*`, flags: threadFlag.virtual, state: stateCode.WAITING, members: 9998});
	const ended = builder.addThread({key: -7, name: safe`handler-*`, flags: threadFlag.virtual, alive: false});
	builder.count(ended, 0, stateCode.RUNNABLE, 1, 5e6);
	const {rows} = queryThreads(builder.build(), undefined, shown({foldPools: false}));
	expect(rows).toMatchObject([{
		name: 'handler-*',
		threadCount: 9999,
		mounted: 1,
		carrierName: 'ForkJoinPool-1-worker-1',
		isVirtual: true,
	}, {threadCount: 1, mounted: 0, isVirtual: false}]);
});

describe('pools', () => {
	test('threads of a pool are one row, a thread alone keeps its name', () => {
		const {rows, allRows} = queryThreads(picture(busyService), undefined, shown({foldPools: true}));
		expect(drawn(rows.slice(0, 2)))
			.toBe('http-*: mixed 25% 4 now A.lock:3 top A.work:1\nC2 CompilerThread0: RUNNABLE 20% 1 now - top -');
		expect(rows[0]).toMatchObject({
			key: 'pool:http-*',
			threadKeys: [1, 2],
			states: [0, 3, 1, 2, 0, 0, 0],
			nativeId: 0,
		});
		expect(allRows).toBe(6);
	});

	test('a pool is where most of its threads are, and waits only for what all of them wait for', () => {
		const {rows: [pool]} = queryThreads(picture(`
			pool-1 | R90 | com.acme.Hot.run:3     | java.util.regex.Loop.match:1
			pool-2 | w   | com.acme.Worker.next:5 | java.util.concurrent.locks.LockSupport.park:8
			pool-3 | w   | com.acme.Worker.next:5 | java.util.concurrent.locks.LockSupport.park:8
		`), undefined, shown({foldPools: true}));
		expect(pool).toMatchObject({
			name: 'pool-*',
			now: {line: 8},
			own: {line: 5},
			nowThreads: 2,
			waitsFor: undefined,
			threadKeys: [1, 2, 3],
		});
	});
});

test('the summary counts Java threads alive and parts CPU time by kind of thread', () => {
	expect(summarize(picture(busyService, {samples: 3}), undefined)).toEqual({
		deadlocks: [],
		threads: 4,
		vmThreads: 2,
		contendingNow: 0,
		lackingCarrier: 0,
		statesNow: [0, 0, 1, 2, 0, 0, 1],
		javaCpuPercent: 26,
		jitCpuPercent: 20,
		collectorCpuPercent: 3,
		vmCpuPercent: 3,
		runDelayPercent: 0,
		unattributed: {percent: 0, reason: ''},
		windowMs: 1000,
		samples: 3,
	});
	const snapshot = picture(busyService);
	expect(summarize(snapshot, snapshot)).toMatchObject({javaCpuPercent: 0, windowMs: 0, samples: 0, threads: 4});
});
