import {execFileSync} from 'node:child_process';
import {once} from 'node:events';
import {copyFileSync, mkdirSync, readdirSync, rmdirSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {fileURLToPath} from 'node:url';
import {beforeAll, describe, expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {monotonicMs} from '../../source/util/steady-clock.js';
import {startSampler, type SamplerHandle, type SamplerOptions} from '../../source/sampler/handle.js';
import type {Target} from '../../source/jvm/target.js';
import {bundle} from '../helpers/bundle.js';
import {snapshotOf} from '../helpers/sampling.js';
import {sum} from '../helpers/sum.js';
import {noTarget, targetOf} from '../helpers/jvm.js';
import {until} from '../helpers/until.js';
import {
	atTestEnd,
	beside,
	sharedJava,
	javaForTest,
	closedAfterTest,
	folderForTest,
	programForTest,
} from '../helpers/for-test.js';

let workerUrl: URL;
beforeAll(async () => {
	workerUrl = await bundle('source/sampler/worker.ts');
});

function sampler(target: Target, options: Partial<SamplerOptions> = {}): SamplerHandle {
	return closedAfterTest(startSampler({
		target, engine: 'attach', depth: Infinity, maxOverheadPercent: 100, intervalMs: 20, workerUrl, ...options,
	}));
}

const withSamples = async (from: SamplerHandle, samples: number) =>
	snapshotOf(from, ({session}) => session.samples >= samples);

/** A worker that is nothing but this script. */
const script = (code: string) => new URL(`data:text/javascript,${encodeURIComponent(code)}`);

// They wait for most of their time.
describe.concurrent('a session on a real JVM', () => {
	const shared = sharedJava('CpuAndSleep');

	test(
		'says when the next sample comes while the budget puts it off, and that it is neither late nor silent',
		beside(async () => {
			const live = sampler(shared.target, {maxOverheadPercent: 0.0001});
			const nextS = await until(() => {
				live.read();
				return live.status().nextS;
			});
			expect(nextS).toBeGreaterThan(0);
			expect(live.status()).toMatchObject({phase: 'sampling', silentS: undefined});
			live.setPaused(true);
			live.read();
			expect(live.status().nextS).toBeUndefined();
		}),
	);

	test('counts its threads and their CPU time, and everything adds up', beside(async () => {
		const live = sampler(shared.target);
		expect(live.status()).toMatchObject({phase: 'starting', stale: false});
		expect(live.read()).toBeUndefined();
		await until(() => live.status().phase !== 'starting');
		const snapshot = await withSamples(live, 10);
		expect(live.status()).toMatchObject({phase: 'sampling', stale: false});
		const {session, counters, threads} = snapshot;
		expect(session).toMatchObject({engine: 'attach', requestedIntervalMs: 20, intervalMs: 20, otherTicks: 0});
		expect(sum(counters.ticks)).toBe(session.threadSamples);
		// CPU time of threads that were seen waiting only is not placed yet; sums are rounded.
		expect(sum(counters.cpuNs)).toBeLessThan(sum(threads.cpuNs) + 1);
		expect(sum(counters.cpuNs)).toBeGreaterThan(0);
		expect(session.lastSampleAtMs).toBeGreaterThanOrEqual(session.startedAtMs);
		expect(session.takenAtMs).toBeGreaterThanOrEqual(session.lastSampleAtMs);
		for (const figure of [session.durationMs, session.targetStoppedMs, session.pauseP50Us, session.selfCpuMs]) {
			expect(figure).toBeGreaterThan(0);
		}

		expect(session.pauseWorstUs).toBeGreaterThanOrEqual(session.pauseP99Us);
		const [busy, sleeping] = [safe`busy-one`, safe`sleeping-one`].map(name => threads.name.indexOf(name));
		expect(threads.cpuNs[busy]).toBeGreaterThan(0);
		expect(threads.cpuNs[sleeping]).toBe(0);
		expect(threads.sinceMs[sleeping]).toBeLessThan(threads.sinceMs[busy]);
	}));

	test('can be paused, and goes on', beside(async () => {
		const live = sampler(shared.target);
		// What the engine finds may change besides.
		const seen = new Set<string>();
		const forget = live.onChange(() => {
			const {phase, hasCpu} = live.status();
			seen.add(`${phase}, CPU ${hasCpu}`);
		});
		await until(() => live.status().phase !== 'starting');
		await until(() => live.status().hasCpu === true);
		await withSamples(live, 3);
		expect([...seen].slice(-2)).toEqual(['sampling, CPU undefined', 'sampling, CPU true']);
		live.setPaused(true);
		expect([...seen].at(-1)).toBe('paused, CPU true');
		// The worker has obeyed, and no sample is under way.
		expect(await live.hold()).toBe(true);
		live.resume();
		const paused = live.read()!;
		await sleep(300);
		expect(live.read()).toBe(paused);
		forget();
		live.setPaused(false);
		expect(live.status().phase).toBe('sampling');
		expect(seen.size).toBeLessThanOrEqual(4);
		const after = await withSamples(live, paused.session.samples + 3);
		// The pause is no sampling time: the clock on the wall says more.
		expect(after.session.durationMs).toBeLessThan(after.session.takenAtMs - after.session.startedAtMs - 250);
	}));

	test('an engine without events says so, as long as some are wanted', beside(async () => {
		const live = sampler(shared.target);
		await withSamples(live, 3);
		expect(live.status().eventsRefusal).toBeUndefined();
		live.setEvents!(['alloc']);
		await until(() => live.status().eventsRefusal === 'only the memory engine records events');
		expect(live.status()).toMatchObject({events: ['alloc'], eventsNote: undefined});
		live.setEvents!([]);
		await until(() => live.status().eventsRefusal === undefined);
		expect(live.read()!.session.eventsMs).toBe(0);
	}));

	test('how long it sampled is right at every read, however rare the samples', beside(async () => {
		const live = sampler(shared.target, {intervalMs: 60_000});
		await withSamples(live, 2);
		const read = () => {
			const fromMs = monotonicMs();
			return {fromMs, session: live.read()!.session, toMs: monotonicMs()};
		};

		const earlier = read();
		await sleep(1000);
		const later = read();
		expect(later.session.samples).toBe(2);
		const passedMs = later.session.durationMs - earlier.session.durationMs;
		expect(passedMs).toBeGreaterThanOrEqual(later.fromMs - earlier.toMs);
		expect(passedMs).toBeLessThanOrEqual(later.toMs - earlier.fromMs);
		expect(later.session.sampledMs).toBe(earlier.session.sampledMs);
	}));

	test('quitting while the JVM does not answer ends the wait, and leaves no attach file behind', beside(async () => {
		const own = await javaForTest('CpuAndSleep');
		const {pid} = own;
		const target = await targetOf(own);
		// In the way of the socket that the JVM makes under this name first: the handshake waits for it in vain.
		const obstacle = `/tmp/.java_pid${pid}.tmp`;
		mkdirSync(obstacle);
		atTestEnd(() => {
			rmdirSync(obstacle);
		});
		const attachFiles = () => readdirSync(`/proc/${pid}/cwd`).filter(name => name === `.attach_pid${pid}`);
		const live = sampler(target);
		await until(() => attachFiles().length > 0);
		await live.close();
		expect(live.status().phase).toBe('ended');
		expect(attachFiles()).toEqual([]);
	}));
});

describe('a worker that fails', () => {
	test.each([
		[
			'throws',
			String.raw`throw new Error("out of\u001b[31m order\nsecond line")`,
			String.raw`the sampler failed: out of\x1b[31m order`,
		],
		['throws later', 'setTimeout(() => { throw new TypeError("late") }, 10)', 'the sampler failed: late'],
		['throws something else', 'throw 7', 'the sampler failed: 7'],
		['leaves', 'process.exit(3)', 'the sampler ended unexpectedly (code 3)'],
		['cannot be read', 'this is not a program', 'the sampler failed: Unexpected identifier'],
	])('because it %s, is one line of status', async (_, code, message) => {
		const live = sampler(noTarget, {workerUrl: script(code)});
		await until(() => live.status().phase === 'failed');
		expect(live.status().message).toContain(message);
		expect(live.status().message).not.toContain('\n');
		await live.close();
		expect(live.status().phase).toBe('failed');
	});

	test('one that does not listen is ended all the same', async () => {
		const live = sampler(noTarget, {workerUrl: script('for (;;);')});
		await live.close();
		expect(live.status().phase).toBe('ended');
	});

	test('one that hangs in a system call, where no C library can be called, is left behind, and the program killed', async () => {
		const folder = folderForTest();
		const [pipe, program] = [path.join(folder, 'pipe'), path.join(folder, 'alone.mjs')];
		execFileSync('mkfifo', [pipe]);
		copyFileSync(fileURLToPath(await bundle('test/sampler/close-hanging.ts')), program);
		const hanging = programForTest(process.execPath, [program, pipe]);
		expect(await once(hanging.child, 'close')).toEqual([null, 'SIGKILL']);
		expect(hanging.output()).toBe('ended\n');
	});

	test('no snapshot names an engine that was only asked for; one that dies with the lock held leaves the last numbers, said to be stale', async () => {
		const live = sampler(noTarget, {engine: 'auto', workerUrl: await bundle('test/sampler/scripted-worker.ts')});
		await until(() => live.status().phase === 'sampling');
		expect(live.read()).toBeUndefined();
		live.resume();
		const before = await snapshotOf(live);
		expect(before.session).toMatchObject({engine: 'memory', samples: 1});
		live.resume();
		await until(() => live.status().phase === 'failed');
		expect(live.read()).toBe(before);
		expect(live.status()).toMatchObject({stale: true, message: 'the sampler ended unexpectedly (code 1)'});
		expect(live.read()).toBe(before);
	});
});
