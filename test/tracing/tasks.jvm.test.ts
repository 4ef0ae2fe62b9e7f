import {describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import type {Probe, ProbeCounter} from '../../source/model/task-probe.js';
import type {TaskReport} from '../../source/model/task-report.js';
import {readProbe} from '../../source/probes/probe-file.js';
import {taskRows} from '../../source/views/tasks/task-rows.js';
import {TaskSession} from '../../source/tracing/task-session.js';
import {classIn, hasAgent} from '../helpers/tracing.js';
import {jdks, sayTo} from '../helpers/jvm.js';
import {until, untilAsync} from '../helpers/until.js';
import {sharedJava, closedAfterTest} from '../helpers/for-test.js';

const limits = {most: 100_000, reportIntervalMs: 100};

/** Stays that ended, by state and the simple name of the kind. */
function countsOf(report: TaskReport): Record<string, Record<string, number>> {
	const counts: Record<string, Record<string, number>> = {};
	for (const {state, kind: className, count} of taskRows(report, undefined, 'kind')) {
		const kind = className.replace(/^KnownTasks\$(?!\$)/, '');
		counts[kind] = {...counts[kind], ...(count > 0 ? {[state.id]: count} : {})};
	}

	return counts;
}

/** Tasks that are in their state for longest, with the state. */
function heldNow({longest, states, kinds}: TaskReport): string[] {
	return longest.map(({kind, state}) => `${states[state].id} ${kinds[kind]}`).sort();
}

describe.each(jdks().map(jdk => [jdk.release, jdk] as const))('JDK %i', (release, jdk) => {
	const shared = sharedJava('KnownTasks', {jdk, jvmArgs: ['-Xmx2g'], under: []});
	const say = async (...lines: readonly string[]) => sayTo(shared.java, ...lines);

	test('every task is counted in every state, and all is left as it was', async () => {
		const before = await classIn(shared.target, 'java.util.concurrent.ThreadPoolExecutor', jdk);
		const session = closedAfterTest(await TaskSession.begin(shared.target, readProbe('executors'), limits));
		await say('pool 60', 'same 50', 'throw 20', 'follow 40', 'repeat 10', 'hold');
		const joins = Number(/^fork Node 100 (\d+)$/m.exec(await say('fork 100'))![1]);
		// The report of before may still have what has ended since.
		const atRest = ['queued KnownTasks$Behind', 'running KnownTasks$Hold'];
		await until(() => heldNow(session.read()!).join(', ') === atRest.join(', '));
		// More tasks than a thread remembers as its own, then one that must be known.
		await say('release', 'hold 17000', 'release', 'joiner', 'hold 5', 'remove', 'release');
		const report = (await session.close())!;
		const once = (count: number) => ({queued: count, running: count, done: count});
		expect(countsOf(report)).toEqual({
			Short: once(20),
			Medium: once(20),
			Long: once(20),
			Again: once(50),
			Thrower: once(20),
			Hold: once(3),
			Behind: {...once(17_001), queued: 17_006, removed: 5},
			Joiner: {...once(1), running: 2, children: 1},
			Leaf: once(1),
			Follower: {dependencies: 40, ...once(40)},
			After: {dependencies: 40, running: 40, done: 40},
			KnownTasks$$Lambda: {delayed: 10, running: 10, done: 10},
			Node: {queued: 100, running: 100 + joins, children: joins, done: 100},
		});
		expect(report).toMatchObject({
			phase: 'over',
			refused: [],
			notes: [],
			faults: [],
			now: [],
			skipped: 0,
			dropped: 0,
			missed: 0,
			oneIn: 1,
		});
		const running = taskRows(report, undefined, 'worker').filter(({state}) => state.id === 'running');
		expect(running.map(({worker}) => worker.replace(/\d+$/, '')).filter(name =>
			!/^(?:pool-\d+-thread-|ForkJoinPool-1-worker-|main)$/.test(name))).toEqual([]);
		const held = taskRows(report, undefined, 'worker-and-kind').filter(({state, kind}) =>
			state.id === 'running' && kind === 'KnownTasks$Hold');
		expect(held.map(({worker, count}) => `${worker.replace(/\d+-thread/, 'N-thread')} ${count}`)).toEqual([
			'pool-N-thread-1 3',
		]);

		const after = await classIn(shared.target, 'java.util.concurrent.ThreadPoolExecutor', jdk);
		expect(after).toBe(before);
		await until(() => !hasAgent(shared.target.pid));
	});

	test.each(release === jdks()[0].release ? [release] : [])(
		'more tasks than there is room for are followed in part, forgotten ones dropped; counters of each object, each worker and a class',
		async () => {
			const counters: ProbeCounter[] = [
				{
					name: safe`queue`,
					root: 'instance',
					className: 'java.util.concurrent.ThreadPoolExecutor',
					path: 'workQueue.size()',
				},
				{name: safe`priority`, root: 'worker', className: 'java.lang.Thread', path: 'getPriority()'},
				{name: safe`threads`, root: 'static', className: 'KnownTasks', path: 'single.getPoolSize()'},
			];
			const session
				= closedAfterTest(await TaskSession.begin(shared.target, {...readProbe('executors'), counters}, {
					...limits,
					most: 512,
				}));
			const behind = () =>
				session.read()!.now.filter(({kind}) => session.read()!.kinds[kind] === 'KnownTasks$Behind').reduce(
					(sum, {count}) => sum + count,
					0,
				);
			await say('hold 3000');
			await until(() =>
				session.read()!.oneIn > 1
				&& session.read()!.readings.some(({counter, value}) => counter === 0 && value === 3000));
			const {readings, skipped, dropped, notes} = session.read()!;
			const followed = behind();
			expect(followed).toBeGreaterThan(0);
			// Those that wait, and the one that runs.
			expect(followed + skipped).toBeGreaterThanOrEqual(3000);
			expect(followed).toBeLessThanOrEqual(512);
			expect(dropped).toBe(0);
			expect(notes).toEqual([
				expect
					.stringMatching(/^more tasks at a time than --max-tasks or the heap allows: one in \d+ new ones is followed now; \d+ were not$/),
			]);
			expect(readings).toEqual(expect.arrayContaining([
				{counter: 0, of: expect.stringMatching(/^ThreadPoolExecutor@[\da-f]+$/) as unknown, value: 3000},
				{counter: 1, of: 'main', value: 5},
				{counter: 2, of: '', value: 1},
			]));
			await say('forget');
			await until(() => session.read()!.dropped === followed);
			expect(behind()).toBe(0);
			await say('release');
		},
	);

	test('one object may be a thousand tasks, and others are followed beside them', async () => {
		const session = closedAfterTest(await TaskSession.begin(shared.target, readProbe('executors'), limits));
		await say('hold-same 1000', 'release', 'hold 100', 'release');
		const report = (await session.close())!;
		expect(countsOf(report).Behind).toEqual({queued: 1100, running: 1100, done: 1100});
		expect(report).toMatchObject({skipped: 0, dropped: 0, missed: 0, oneIn: 1});
	});

	test.each([
		[
			{
				counters: [{
					name: 'nothing',
					root: 'instance',
					className: 'java.util.concurrent.ThreadPoolExecutor',
					path: 'workQueue.sizze()',
				}],
			},
			/no method sizze that can be read in java\.util\.concurrent\.LinkedBlockingQueue/,
		],
		[
			{
				counters: [{
					name: 'queue',
					root: 'instance',
					className: 'java.util.concurrent.ThreadPoolExecutor',
					path: 'workQueue',
				}],
			},
			/"workQueue" leads to a java\.util\.concurrent\.LinkedBlockingQueue, not to a number/,
		],
		[
			{kinds: [{className: 'KnownTasks$Hold', path: 'bodyy'}]},
			/no field bodyy that can be read in KnownTasks\$Hold/,
		],
	] as ReadonlyArray<readonly [Partial<Probe>, RegExp]>)(
		'a path that leads nowhere is an error, not a zero: %j',
		async (change, message) => {
			const session
				= closedAfterTest(await TaskSession.begin(shared.target, {...readProbe('executors'), ...change}, limits));
			await say('hold 1');
			await expect(untilAsync(async () => {
				session.read();
				return false;
			})).rejects.toThrow(message);
			await say('release');
		},
	);

	test.each(release >= 21 ? [release] : [])('virtual threads: each mount, each park, each end', async () => {
		const session = closedAfterTest(await TaskSession.begin(shared.target, readProbe('virtual-threads'), limits));
		await say('virtual 20');
		const report = (await session.close())!;

		// From JDK 24 on a virtual thread may give its carrier up at a monitor, too (JEP 491), which is nothing that
		// the program knows.
		const {blocked = 0, ...counts} = countsOf(report).Parker;
		expect(counts).toEqual({started: 20, mounted: 80 + blocked, parked: 60, queued: 60 + blocked, ended: 20});
		expect(release >= 24 || blocked === 0).toBe(true);
		expect(report).toMatchObject({refused: [], notes: [], faults: [], missed: 0});
	});
});
