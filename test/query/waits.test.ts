import {expect, test} from 'vitest';
import {defaultQuery} from '../../source/query/types/query.js';
import {waitOf, waitText, fullWaitText} from '../../source/query/locks/waits.js';
import {waitFindings} from '../../source/query/summary/wait-findings.js';
import {waitsView} from '../../source/views/waits/view.js';
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
	.set(['db-1', 'db-2'], {sinceMs: 58_000, waitKind: 'read', waitPeer: '10.0.0.5:5432', waitEnd: (((10 * (2 ** 24)) + 7) * 65_536) + 41_234})
	.set('db-2', {sinceMs: 90_000})
	.set('waiter', {sinceMs: 95_000})
	.build();

const query = {...defaultQuery, sort: waitsView.sort};

test('a row for each kind and peer, who waits for work only with the others', () => {
	const textOf = (showIdle: boolean) => queryWaits(snapshot, undefined, {...query, showIdle}).rows.map(row => `${row.threadKeys.length} ${waitText(row)} ${row.longestMs}`);
	expect(textOf(false)).toEqual(['2 read 10.0.0.5:5432 42000', '1 monitor Object held by db-1 5000', '1 latch 0']);
	expect(textOf(true)).toContain('1 queue LinkedBlockingQueue 0');
	expect(queryWaits(snapshot, undefined, query)).toMatchObject({allRows: 4, idleRows: 1});
});

test('the end of a connection is told where one thread is', () => {
	expect(fullWaitText(waitOf(snapshot, drawing.thread('db-1'))!)).toBe('read 10.0.0.5:5432 (10.0.0.7:41234)');
	expect(waitOf(snapshot, drawing.thread('busy'))).toBeUndefined();
	const [row] = queryWaits(snapshot, undefined, query).rows;
	expect(waitsView.titleLines(row, 80, undefined).flatMap(line => line?.text ?? [])).toEqual([
		'read 10.0.0.5:5432', '2 threads wait, longest for 42s', 'at com.acme.Db.query:88', '  db-1 (tid 1001), 42s, 10.0.0.7:41234', '  db-2 (tid 1002), 10s, 10.0.0.7:41234',
	]);
});

test.each([['CyclicBarrier.dowait', 'barrier'], ['Exchanger.slotExchange', 'condition']])('a thread in %s waits for a %s', (method, kind) => {
	const drawn = new Picture().draw(`waiter | w | com.acme.Main.main:1 | java.util.concurrent.${method}:2`);
	expect(waitOf(drawn.build(), drawn.thread('waiter'))?.kind).toBe(kind);
});

test('a filter finds threads, places and peers', () => {
	const rows = (filter: string) => queryWaits(snapshot, undefined, {...query, filter}).rows.map(({kind}) => kind);
	expect([rows('5432'), rows('db-2'), rows('query'), rows('latch')]).toEqual([['read'], ['read'], ['read', 'monitor'], ['latch']]);
});

test('virtual threads that have one record count as the threads that they are', () => {
	const more = drawing.set('db-2', {members: 30}).build();
	const [row] = queryWaits(more, undefined, query).rows;
	expect([row.threads, row.waiters.map(({threadCount}) => threadCount)]).toEqual([31, [1, 30]]);
	expect(waitsView.titleLines(row, 80, undefined)[1]?.text).toBe('31 threads wait, longest for 42s');
	expect(queryWaits(more, undefined, {...query, filter: 'thr>30'}).rows.map(({kind}) => kind)).toEqual(['read']);
	expect(waitFindings(more, query, true)[0].text).toContain('31 threads wait for 10.0.0.5:5432');
});
