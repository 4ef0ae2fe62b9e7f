import {expect, test} from 'vitest';
import {renderFinalSummary} from '../../source/exports/formats/final-summary.js';
import {cellWidth} from '../../source/model/cell-width.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {Picture} from '../helpers/picture.js';
import {hostileSnapshot, randomSnapshot, serviceSnapshots} from './snapshots.js';

test('names the target, the time, the cost, hot lines, and where threads were blocked by whom', () => {
	expect(renderFinalSummary(serviceSnapshots().whole, 130)).toEqual([
		'tprof-top 4711 com.acme.Main  JDK 17.0.15 (OpenJDK 64-Bit Server VM)',
		'2026-09-14T14:02:01Z for 10 s | engine attach every 250 ms, 200 ms requested',
		'samples 50 late 3 failed 1 | target stopped 12.5 ms (0.1%) | own CPU 350 ms (3.5%) | pauses p50 210 us p99 800 us worst 901 us',
		' 52.6%     6000 ms  com.acme.sort.Bubble.swap:24',
		' 47.4%     5400 ms  com.acme.sort.Bubble.sort:16',
		'blocked 40x at com.acme.db.Pool.take:88, held by main at com.acme.Main.main:10',
	]);
});

test('on 80 columns the cost takes two lines, and keeps its share and its pauses', () => {
	expect(renderFinalSummary(serviceSnapshots().whole, 80).slice(2, 4)).toEqual([
		'samples 50 late 3 failed 1 | target stopped 12.5 ms (0.1%)',
		'own CPU 350 ms (3.5%) | pauses p50 210 us p99 800 us worst 901 us',
	]);
});

test('of several holders the one that held up most is named with its share', () => {
	const snapshot = new Picture().draw(`
		one
		R
		A.run:1

		two <- one@take:1
		B B B
		A.wait:5 A.wait:5 A.wait:5

		three <- two@take:3
		B
		A.wait:5
	`).build();
	expect(renderFinalSummary(snapshot, 120).at(-1)).toBe('blocked 4x (2 threads) at A.wait:5, most often by one (75.0%) at A.take:1');
});

test('without the place where the lock was taken the blocked line has all the room', () => {
	const snapshot = new Picture().draw(`
		checkout-3 <- pricing-1
		B
		demo.Ledger.post:122
	`).build();
	expect(renderFinalSummary(snapshot, 53).at(-1)).toBe('blocked 1x at demo.Ledger.post:122, held by pricing-1');
	expect(renderFinalSummary(snapshot, 52).at(-1)).toBe('blocked 1x at d.Ledger.post:122, held by pricing-1');
});

test.each([
	[130, 'blocked 4x (2 threads) at c.acme.demo.Ledger.post:122, most often by pricing-worker-00017 (75.0%) at com.acme.demo.Pricing.take:1'],
	[100, 'blocked 4x (2 threads) at Ledger.post:122, most often by pricing-worker-00017 at Pricing.take:1'],
	[80, 'blocked 4x (2 threads) at Ledger.post:122, most often held at Pricing.take:1'],
	[72, 'blocked 4x (2 threads) at com.acme.demo.Ledger.post:122'],
	[42, 'blocked 4x (2 threads) at Ledger.post:122'],
])('who held up most and where, in %d cells: class, method and line stay whole as long as there is room for them', (width, line) => {
	const snapshot = new Picture().draw(`
		pricing-worker-00017
		R
		com.acme.demo.Pricing.run:1

		two <- pricing-worker-00017@com.acme.demo.Pricing.take:1
		B B B
		com.acme.demo.Ledger.post:122 com.acme.demo.Ledger.post:122 com.acme.demo.Ledger.post:122

		three <- two@com.acme.demo.Pricing.take:3
		B
		com.acme.demo.Ledger.post:122
	`).build();
	expect(renderFinalSummary(snapshot, width).at(-1)).toBe(line);
});

/** Frames of a thread that waits for a ReentrantLock, and of one that waits for work, as JDK 17 has them. */
const locking = ['com.acme.Shop.run:3', 'com.acme.Stock.reserve:30', 'java.util.concurrent.locks.ReentrantLock.lock:322', 'java.util.concurrent.locks.LockSupport.park:211', 'jdk.internal.misc.Unsafe.park:native'];
const forWork = ['java.lang.Thread.run:840', 'java.util.concurrent.LinkedBlockingQueue.take:433', 'java.util.concurrent.locks.LockSupport.park:341', 'jdk.internal.misc.Unsafe.park:native'];
const twice = (frames: readonly string[]) => frames.map(frame => `${frame} ${frame}`).join('\n');

test('a run in which threads stood at a lock of java.util.concurrent says at which line of the program, and who held it; waits for work are left out', () => {
	const snapshot = new Picture().draw(`
		worker-1 <- cron park
		w w
		${twice(locking)}

		worker-2 <- cron park
		t t
		${twice(locking)}

		pool-1
		w w
		${twice(forWork)}
	`).build();
	expect(renderFinalSummary(snapshot, 100).slice(-2)).toEqual([
		'no line of Java code used CPU time',
		'blocked 4x (2 threads) at com.acme.Stock.reserve:30, held by cron',
	]);
});

test('a run in which nothing happened says where threads waited, those that every JVM has left out', () => {
	const snapshot = new Picture().draw(`
		pool-1
		w w
		${twice(forWork)}

		pool-2
		w w
		${twice(forWork)}

		cron
		t t t
		com.acme.Cron.run:9 com.acme.Cron.run:9 com.acme.Cron.run:9
		com.acme.Cron.pause:20 com.acme.Cron.pause:20 com.acme.Cron.pause:20
		java.lang.Thread.sleep:509 java.lang.Thread.sleep:509 java.lang.Thread.sleep:509

		Reference Handler
		. . . . . .
		${Array.from({length: 6}, () => 'java.lang.ref.Reference.waitForReferencePendingList:native').join(' ')}
	`).build();
	expect(renderFinalSummary(snapshot, 100).slice(-3)).toEqual([
		'no line of Java code used CPU time',
		'waited 4x (2 threads) at java.util.concurrent.locks.LockSupport.park:341',
		'waited 3x at com.acme.Cron.pause:20',
	]);
});

test('CPU time that is next to none does not hide what held threads up', () => {
	const snapshot = new Picture().draw(`
		timer
		R0.02
		A.tick:1

		two <- timer@A.take:3
		B
		A.wait:5
	`).build({durationMs: 60_000, sampledMs: 60_000});
	expect(renderFinalSummary(snapshot, 100).slice(-2)).toEqual(['almost no CPU time: 0.02 ms, most at A.tick:1', 'blocked 1x at A.wait:5, held by timer at A.take:3']);
});

test('says so where nothing was hot', () => {
	expect(renderFinalSummary(new SnapshotBuilder().build()).at(-1)).toBe('no line of Java code used CPU time');
});

test.each([1, 20, 40, 80, 200])('has at most ten lines, none wider than %i', width => {
	for (const snapshot of [hostileSnapshot(), ...Array.from({length: 20}, (_, seed) => randomSnapshot(seed))]) {
		const lines = renderFinalSummary(snapshot, width);
		expect(lines.length).toBeLessThanOrEqual(10);
		for (const line of lines) {
			expect(cellWidth(line)).toBeLessThanOrEqual(width);
			expect(line).not.toMatch(/[\u0000-\u001F\u007F-\u009F]/);
		}
	}
});
