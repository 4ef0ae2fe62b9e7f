import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, test} from 'vitest';
import {attachEngine} from '../../../source/engines/attach/engine.js';
import {estimatePauseMs} from '../../../source/engines/attach/pause-estimate.js';
import {type EngineSession, SessionOver, type EngineOptions} from '../../../source/engines/common/engine.js';
import {Sample} from '../../../source/model/sample.js';
import {SnapshotBuilder} from '../../../source/model/snapshot-builder.js';
import {jdks, type JavaProcess} from '../../helpers/jvm.js';
import {untilAsync} from '../../helpers/until.js';
import {javaForTest, closedAfterTest, onFirstCpu} from '../../helpers/for-test.js';
import {targetOf} from '../../helpers/target.js';
import {type Row, wordsOf} from './dumps.js';

/** A session of the engine, closed with the test. */
async function open(java: JavaProcess, builder: SnapshotBuilder, options: Partial<EngineOptions> = {}): Promise<EngineSession> {
	return closedAfterTest(await attachEngine.open(await targetOf(java), {depth: Infinity, ...options}, builder));
}

/** The next good sample, in words. */
async function goodSample(from: EngineSession, sample: Sample, builder: SnapshotBuilder): Promise<Row[]> {
	const outcome = await from.sample(sample);
	if (!outcome.ok) {
		throw new Error(outcome.reason);
	}

	expect(outcome.pauseUs).toBeGreaterThan(0);
	return wordsOf(sample, builder);
}

describe.each(jdks().map(jdk => ({...jdk, label: `JDK ${jdk.release}`})))('$label', jdk => {
	test('200 idle threads in every state beside two busy ones: all states right, and only the busy ones have CPU time', async () => {
		const java = await javaForTest('EveryState', {jdk});
		expect(await attachEngine.check(await targetOf(java))).toEqual({ready: true});
		const builder = new SnapshotBuilder();
		const session = await open(java, builder);
		const sample = new Sample();
		await goodSample(session, sample, builder);
		const cpuNs = new Map<string, number>();
		for (let round = 0; round < 5; round++) {
			await sleep(100);
			const rows = await goodSample(session, sample, builder);
			const own = rows.filter(row => /^[A-Z_]+-/.test(row.name) && row.key > 0);
			expect(own).toHaveLength(203);
			expect(own.filter(row => row.state !== row.name.split('-')[0]).map(row => [row.name, row.state, row.frames[0]])).toEqual([]);
			for (const row of own) {
				cpuNs.set(row.name, (cpuNs.get(row.name) ?? 0) + sample.cpuNs[rows.indexOf(row)]);
			}

			expect(own.filter(row => row.name.startsWith('BLOCKED')).every(row => row.lock === 'monitor java.lang.Object' && row.owner.startsWith('WAITING-holder at EveryState.'))).toBe(true);
		}

		const total = [...cpuNs.values()].reduce((sum, value) => sum + value, 0);
		const busy = (cpuNs.get('RUNNABLE-busy-0') ?? 0) + (cpuNs.get('RUNNABLE-busy-1') ?? 0);
		expect(busy).toBeGreaterThan(10_000_000);
		// Up to JDK 8 one of the threads blocked at a monitor wakes now and then to look (ObjectMonitor::EnterI):
		// microseconds, and truly used.
		expect(total - busy).toBeLessThan(Math.max(busy / 1000, 1_000_000));
	});

	test('the target\'s end is a normal end', async () => {
		const java = await javaForTest('CpuAndSleep', {jdk});
		const builder = new SnapshotBuilder();
		const session = await open(java, builder, {depth: 2});
		const sample = new Sample();
		const rows = await goodSample(session, sample, builder);
		expect(rows.find(row => row.name === 'busy-one')?.frames[0]).toMatch(/^CpuAndSleep\.lambda\$main\$\d:\d+$/);
		expect(Math.max(...rows.map(row => row.frames.length))).toBe(2);
		expect(rows.find(row => row.name === 'VM Thread')?.key).toBeLessThan(0);
		await java.stop();
		await expect(session.sample(sample)).rejects.toMatchObject({constructor: SessionOver, targetEnded: true});
		expect(sample.count).toBe(0);
	});
});

test('the user\'s own idle calls', async () => {
	const java = await javaForTest('CpuAndSleep');
	const builder = new SnapshotBuilder();
	const session = await open(java, builder, {extraIdle: ['CpuAndSleep.lambda$main$0']});
	const rows = await goodSample(session, new Sample(), builder);
	expect(rows.find(row => row.name === 'busy-one')?.state).toBe('IDLE');
});

test('where threads wait for a CPU for long, it says that shares are off', async () => {
	const [java] = await Promise.all([1, 2, 3].map(async () => javaForTest('CpuAndSleep', {under: onFirstCpu})));
	const builder = new SnapshotBuilder();
	const session = await open(java, builder);
	const sample = new Sample();
	await untilAsync(async () => {
		await goodSample(session, sample, builder);
		return /^threads wait for a CPU about \d0% of the time/.test(session.finding ?? '');
	});
});

test('the pause lies between what the VM Thread worked and the latency', () => {
	const part = {latencyMs: 10, vmThreadMs: 4, listenerMs: 1, ownWaitMs: 2};
	expect(estimatePauseMs(part)).toBe(7);
	expect(estimatePauseMs({...part, ownWaitMs: 8})).toBe(4);
	expect(estimatePauseMs({...part, ownWaitMs: 80})).toBe(4);
	expect(estimatePauseMs({...part, vmThreadMs: 40})).toBe(10);
	expect(estimatePauseMs({...part, listenerMs: undefined, ownWaitMs: undefined})).toBe(10);
	expect(estimatePauseMs({...part, vmThreadMs: undefined})).toBe(10);
	expect(estimatePauseMs({...part, latencyMs: 0})).toBe(0);
});
