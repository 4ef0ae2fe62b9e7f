import {expect, test} from 'vitest';
import {defaultQuery} from '../../source/query/types/query.js';
import {waitOf, waitText, fullWaitText} from '../../source/query/locks/wait-of.js';
import {waitFindings} from '../../source/query/summary/wait-findings.js';
import {waitsView} from '../../source/views/waits/waits-view.js';
import {renderFinalSummary} from '../../source/exports/formats/final-summary.js';
import {windowProfiles} from '../../source/exports/pprof/window-profiles.js';
import {stateCode} from '../../source/model/thread-state.js';
import {locationName} from '../../source/query/counters/location.js';
import {findingsOf} from '../../source/query/summary/findings.js';
import {summarize} from '../../source/query/summary/summary.js';
import {querySummaryLines} from '../../source/views/lines/lines.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {queryWaits} from '../../source/views/waits/waits.js';
import {Picture} from '../helpers/picture.js';

const drawing = new Picture().draw(`
	db-1   | . | com.acme.Db.query:88 | sun.nio.ch.Net.poll:native
	db-2   | . | com.acme.Db.query:88 | sun.nio.ch.Net.poll:native
	pool-1 | w | java.util.concurrent.ThreadPoolExecutor.getTask:1 | java.util.concurrent.LinkedBlockingQueue.take:2 | java.util.concurrent.locks.AbstractQueuedSynchronizer$ConditionObject.await:3
	latch  | w | com.acme.Main.main:1 | java.util.concurrent.CountDownLatch.await:2
	busy   | R | com.acme.Main.work:5
	waiter <- db-1@com.acme.Db.query:80 | B | com.acme.Db.query:87
`);
const snapshot = drawing
	.set(['db-1', 'db-2'], {
		sinceMs: 58_000,
		waitKind: 'read',
		waitPeer: '10.0.0.5:5432',
		waitEnd: (((10 * (2 ** 24)) + 7) * 65_536) + 41_234,
	})
	.set('db-2', {sinceMs: 90_000})
	.set('waiter', {sinceMs: 95_000})
	.build();

const query = {...defaultQuery, sort: waitsView.sort};

test('a row for each kind and peer, who waits for work only with the others', () => {
	const textOf = (showsWaitsForWork: boolean) =>
		queryWaits(snapshot, undefined, {...query, showsWaitsForWork}).rows.map(row =>
			`${row.threadKeys.length} ${waitText(row)} ${row.longestMs}`);
	expect(textOf(false)).toEqual(['2 read 10.0.0.5:5432 42000', '1 monitor Object held by db-1 5000', '1 latch 0']);
	expect(textOf(true)).toContain('1 queue LinkedBlockingQueue 0');
	expect(queryWaits(snapshot, undefined, query)).toMatchObject({allRows: 4, hiddenRows: 1});
});

test('the end of a connection is told where one thread is', () => {
	expect(fullWaitText(waitOf(snapshot, drawing.thread('db-1'), {})!)).toBe('read 10.0.0.5:5432 (10.0.0.7:41234)');
	expect(waitOf(snapshot, drawing.thread('busy'), {})).toBeUndefined();
	const [row] = queryWaits(snapshot, undefined, query).rows;
	expect(waitsView.titleLines(row, 80, undefined).flatMap(line => line?.text ?? [])).toEqual([
		'read 10.0.0.5:5432',
		'2 threads wait, longest for 42s',
		'at com.acme.Db.query:88',
		'  db-1 (tid 1001), 42s, 10.0.0.7:41234',
		'  db-2 (tid 1002), 10s, 10.0.0.7:41234',
	]);
});

test.each([['CyclicBarrier.dowait', 'barrier'], ['Exchanger.slotExchange', 'condition']])(
	'a thread in %s waits for a %s',
	(method, kind) => {
		const drawn = new Picture().draw(`waiter | w | com.acme.Main.main:1 | java.util.concurrent.${method}:2`);
		expect(waitOf(drawn.build(), drawn.thread('waiter'), {})?.kind).toBe(kind);
	},
);

test('a filter finds threads, places and peers', () => {
	const rows = (filter: string) => queryWaits(snapshot, undefined, {...query, filter}).rows.map(({kind}) => kind);
	expect([rows('5432'), rows('db-2'), rows('query'), rows('latch')]).toEqual([
		['read'],
		['read'],
		['read', 'monitor'],
		['latch'],
	]);
});

test('virtual threads that have one row count as the threads that they are', () => {
	const more = drawing.set('db-2', {members: 30}).build();
	const [row] = queryWaits(more, undefined, query).rows;
	expect([row.threadCount, row.waiters.map(({threadCount}) => threadCount)]).toEqual([31, [1, 30]]);
	expect(waitsView.titleLines(row, 80, undefined)[1]?.text).toBe('31 threads wait, longest for 42s');
	expect(queryWaits(more, undefined, {...query, filter: 'thr>30'}).rows.map(({kind}) => kind)).toEqual(['read']);
	expect(waitFindings(more, query, true)[0].text).toContain('31 threads wait for 10.0.0.5:5432');
});

/** Workers without a task: of a pool, of a library's own pool, and three that accept connections of one socket. */
const workers = () =>
	new Picture()
		.draw(`
	pool-1     | w*4 | java.util.concurrent.ThreadPoolExecutor.getTask:1 | java.util.concurrent.LinkedBlockingQueue.take:2
	qtp-1      | t*4 | org.pools.Pool$Runner.run:9 | org.pools.Waits.await:3 | java.lang.Object.wait:native
	qtp-2      | t*4 | org.pools.Pool$Runner.run:9 | org.pools.Waits.await:3 | java.lang.Object.wait:native
	acceptor-1 | .*4 | com.acme.Server.run:5 | java.net.ServerSocket.accept:6
	acceptor-2 <- acceptor-1 park of java.util.concurrent.locks.StampedLock | w*4 | Server.run:5 | java.net.Socket.accept:6
	acceptor-3 <- acceptor-1 | B*4 | com.acme.Server.run:5 | java.net.ServerSocket.accept:6
	main       | t*4 | com.acme.Main.main:1 | java.lang.Thread.sleep:509
`)
		.set(['pool-1', 'qtp-1', 'qtp-2', 'acceptor-1', 'acceptor-2', 'acceptor-3', 'main'], {sinceMs: 50_000})
		.build({sampledMs: 60_000, requestedIntervalMs: 10});

test('one rule of waiting for work: Lines, Threads, Waits, findings, header, last lines, and what is pushed', () => {
	const snapshot = workers();
	const said = (app?: readonly string[]) => {
		const asked = {...defaultQuery, app, summary: {showsWaits: true}};
		const {statesNow, contendingNow} = summarize(snapshot, undefined, asked);
		return {
			lines: querySummaryLines(snapshot, undefined, asked)
				.rows.filter(row => row.states[stateCode.BLOCKED] === 0)
				.map(row => locationName(row)),
			threads: queryThreads(snapshot, undefined, {...asked, showsWaitsForWork: true})
				.rows.filter(row => row.shownState !== 'IDLE')
				.map(row => `${row.name} ${row.stuckMs}`)
				.toSorted(),
			waits: queryWaits(snapshot, undefined, asked).rows.map(row => row.names.join(' ')),
			findings: findingsOf(snapshot, undefined, asked).map(({id}) => id),
			header: [statesNow[stateCode.IDLE], contendingNow],
			farewell: renderFinalSummary(snapshot, 100, asked).filter(line => line.startsWith('waited')),
		};
	};

	expect(said(['com.acme'])).toEqual({
		lines: ['com.acme.Main.main:1'],
		threads: ['main 0'],
		waits: ['main'],
		findings: [],
		header: [6, 0],
		farewell: ['waited for 1m00s at com.acme.Main.main:1'],
	});
	// Unless told otherwise, a library whose pool has its own way to wait is the program's own code.
	expect(said()).toMatchObject({
		lines: ['org.pools.Waits.await:3', 'com.acme.Main.main:1'],
		threads: ['main 0', 'qtp-1 50000', 'qtp-2 50000'],
		findings: ['together'],
		header: [4, 0],
	});
	const pushed = windowProfiles(snapshot).map(({state, samples}) => `${state} ${samples.length}`);
	expect(pushed.toSorted()).toEqual(['BLOCKED 1', 'IDLE 3', 'TIMED_WAITING 2']);
});
