import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {renderFinalSummary} from '../../source/exports/formats/final-summary.js';
import {cellWidth} from '../../source/util/cell-width.js';
import {JvmStacks} from '../../source/model/jvm-stacks.js';
import {threadFlag} from '../../source/model/sample.js';
import {stateCode} from '../../source/model/thread-state.js';
import {Picture, picture} from '../helpers/picture.js';
import {hostileSnapshot, randomSnapshot, serviceSnapshots} from './snapshots.js';

test('names the target, the time, the cost, hot lines, and where threads were blocked by whom', () => {
	expect(renderFinalSummary(serviceSnapshots().whole, 130)).toEqual([
		'tprof-top 4711 com.acme.Main  JDK 17.0.15 (OpenJDK 64-Bit Server VM)',
		'2026-09-14T14:02:01Z for 10 s | engine attach every 250 ms, 200 ms requested | samples 50 late 3 failed 1',
		'target stopped 12.5 ms (0.1%) | own CPU 350 ms (3.5%) | pauses p50 210 us p99 800 us worst 901 us',
		'blocked for 7s at com.acme.db.Pool.take:88, held by main at com.acme.Main.main:10',
		' 60.6% of a core     6000 ms  com.acme.sort.Bubble.swap:24',
		' 54.5% of a core     5400 ms  com.acme.sort.Bubble.sort:16',
	]);
});

test('compilations are one row', () => {
	const drawing = new Picture().draw('main | R10 | A.work:1');
	for (const method of ['a', 'b', 'c', 'd', 'e']) {
		const stack = drawing.builder.addStack(new JvmStacks(drawing.builder).ofCompilation('C2', `A.${method}`));
		drawing.builder.count(drawing.thread('C2'), stack, stateCode.RUNNABLE, 0, 18e6);
	}

	const lines = renderFinalSummary(drawing.set('C2', {flags: threadFlag.vmInternal}).build(), 100);
	expect(lines.slice(-2)).toEqual(['  9.0% of a core     90.0 ms  [jit]', '  1.0% of a core     10.0 ms  A.work:1']);
});

test('on 80 columns time and cost take as many lines as they need, and nothing of them is cut', () => {
	const {whole} = serviceSnapshots();
	const session = {...whole.session, timer: safe`perf`, engine: safe`memory`, intervalMs: 57.3, requestedIntervalMs: 20};
	expect(renderFinalSummary({...whole, session}, 80).slice(1, 4)).toEqual([
		'2026-09-14T14:02:01Z for 10 s',
		'engine memory (perf) every 57.3 ms, 20 ms requested | samples 50 late 3 failed 1',
		'target stopped 12.5 ms (0.1%) | own CPU 350 ms (3.5%)',
	]);
});

test('of several holders the one that held up most is named with its share', () => {
	const snapshot = new Picture().draw(`
		one                 | R   | A.run:1
		two <- one@take:1   | B*3 | A.wait:5
		three <- two@take:3 | B   | A.wait:5
	`).build({samples: 3, sampledMs: 30_000});
	expect(renderFinalSummary(snapshot, 120))
		.toContain('blocked for 40s (2 threads) at A.wait:5, most often by one (75.0%) at A.take:1');
});

test('names are never cut: they go on in the next line, where there is room for them', () => {
	const name
		= 'com.acme.department.of.very.long.names.AbstractTransactionalOrderRepositoryFactoryBean.createOrderRepositoryFor:1288';
	const snapshot = new Picture().draw(`
		http-nio-8080-exec-12           | R | ${name}
		waiter <- http-nio-8080-exec-12 | B | ${name.replace('1288', '4')}
	`).build();
	const lines = renderFinalSummary(snapshot, 110);
	expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(110);
	const whole = lines.join('\n').replaceAll(/\n +/g, '');
	expect(whole).toContain(name);
	expect(whole)
		.toMatch(/blocked .*names\.AbstractTransactionalOrderRepositoryFactoryBean\.createOrderRepositoryFor:4/);
	expect(whole).not.toContain('…');
});

test('threads in a dead socket are what a long run was about, not the little CPU time of its start', () => {
	const drawing = new Picture().draw(`
		main     | R149 | Sock.main:5
		reader-1 | .*10 | Sock.main:7 | java.net.Socket.read:native
		reader-2 | .*10 | Sock.main:7 | java.net.Socket.read:native
	`).set(['reader-1', 'reader-2'], {sinceMs: 98_000});
	const linesNow = () => renderFinalSummary(drawing.build({samples: 10, sampledMs: 60_000}), 100).slice(3);
	expect(linesNow()).toEqual([
		'2 threads wait together at Sock.main:7 via Socket.read, up to 2s.',
		'almost no CPU time: 149 ms, most at Sock.main:5',
	]);
	// Once the threads have gone on, only the sum is left.
	drawing.set(['reader-1', 'reader-2'], {sinceMs: 100_000});
	expect(linesNow()).toContain('waited for 2m00s (2 threads) at Sock.main:7');
});

test('a place where a thread waited for a moment only is not worth a line', () => {
	const snapshot = new Picture().draw('main | .*199 | Sock.read:7\nmain | . | Sock.connect:3').build({
		samples: 200,
		sampledMs: 4000,
		durationMs: 4000,
	});
	const lines = renderFinalSummary(snapshot, 100).join('\n');
	expect(lines).toContain('waited for 3s at Sock.read:7');
	expect(lines).not.toContain('Sock.connect');
});

test('the time waited is right if each sample counts for several ticks', () => {
	const snapshot = new Picture().draw('main | .*40 | Sock.read:7').build({
		samples: 10,
		sampleTicks: 40,
		sampledMs: 4000,
		durationMs: 4000,
	});
	expect(renderFinalSummary(snapshot, 100).join('\n')).toContain('waited for 4s at Sock.read:7');
});

/** Frames of a thread that waits for a ReentrantLock, and of one that waits for work, as JDK 17 has them. */
const locking
	= 'com.acme.Shop.run:3 | com.acme.Stock.reserve:30 | java.util.concurrent.locks.ReentrantLock.lock:322 | java.util.concurrent.locks.LockSupport.park:211 | jdk.internal.misc.Unsafe.park:native';
const forWork
	= 'java.lang.Thread.run:840 | java.util.concurrent.LinkedBlockingQueue.take:433 | java.util.concurrent.locks.LockSupport.park:341 | jdk.internal.misc.Unsafe.park:native';

test('threads that stood at a lock of java.util.concurrent were blocked at a line of the program', () => {
	const lines = renderFinalSummary(
		picture(`worker-1 <- cron park | w*2 | ${locking}\nworker-2 <- cron park | w*2 | ${locking}`),
		100,
	);
	expect(lines).toContain('blocked for 2s (2 threads) at com.acme.Stock.reserve:30, held by cron');
});

test('a run in which nothing happened says where threads waited, without those that waited for work', () => {
	const snapshot = picture(`
		pool-1            | w*2 | ${forWork}
		pool-2            | w*2 | ${forWork}
		cron              | t*3 | com.acme.Cron.run:9 | com.acme.Cron.pause:20 | java.lang.Thread.sleep:509
		Reference Handler | .*6 | java.lang.ref.Reference.waitForReferencePendingList:native
	`);
	expect(renderFinalSummary(snapshot, 100).slice(-2)).toEqual([
		'no line of Java code used CPU time',
		'waited for 500ms at com.acme.Cron.pause:20',
	]);
});

test.each([1, 20, 40, 80, 200])('has at most ten lines, none wider than %i', width => {
	for (const snapshot of [hostileSnapshot(), ...Array.from({length: 8}, (_, seed) => randomSnapshot(seed))]) {
		const lines = renderFinalSummary(snapshot, width);
		expect(lines.length).toBeLessThanOrEqual(10);
		expect(lines.filter(line => cellWidth(line) > width || /[\u0000-\u001F\u007F-\u009F]/.test(line))).toEqual([]);
	}
});
