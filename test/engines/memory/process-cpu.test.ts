import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, onTestFinished, test} from 'vitest';
import {ProcessClock} from '../../../source/jvm/threads/process-clock.js';
import type {Snapshot} from '../../../source/model/snapshot.js';
import {locationName} from '../../../source/query/counters/location.js';
import {defaultQuery} from '../../../source/query/types/query.js';
import {queryLines} from '../../../source/views/lines/lines.js';
import {javaForTest} from '../../helpers/for-test.js';
import {isNewestOrAskedFor, jdks} from '../../helpers/jvm.js';
import {samplerForTest} from '../../helpers/sampling.js';
import {sum} from '../../helpers/sum.js';
import {until} from '../../helpers/until.js';

/** Threads of the JVM are known from their second list on, and read once a second; and the least CPU time measured. */
const settleMs = 1600;
const leastNs = 2e9;

/** Rows of the JVM's own threads depend on its release; which collector it has, on none. */
const programs = [
	{program: 'KnownTree', jvmArgs: [], row: /^KnownTree\.parse:\d+$/},
	{program: 'NearlyFull', jvmArgs: ['-Xmx64m', '-XX:+UseG1GC'], row: /^\[gc] /},
	{program: 'NearlyFull', jvmArgs: ['-Xmx64m', '-XX:+UseSerialGC'], row: /^\[gc] VM Thread$/, on: isNewestOrAskedFor},
	{program: 'NearlyFull', jvmArgs: ['-Xmx64m', '-XX:+UseParallelGC'], row: /^\[gc] /, on: isNewestOrAskedFor},
	{program: 'CompilesOften', jvmArgs: ['-Xcomp'], row: /^\[jit] C[12]/},
];

/** CPU time of a process between the newest samples of two snapshots: at least and at most. */
function processNs(readings: ReadonlyArray<{readonly atMs: number; readonly ns: number}>, since: Snapshot, snapshot: Snapshot): {readonly least: number; readonly most: number} {
	const before = (atMs: number) => readings.findLast(reading => reading.atMs <= atMs)!.ns;
	const after = (atMs: number) => readings.find(reading => reading.atMs >= atMs)!.ns;
	const [from, to] = [since.session.lastSampleAtMs, snapshot.session.lastSampleAtMs];
	return {least: before(to) - after(from), most: after(to) - before(from)};
}

describe.each(jdks())('JDK $release', on => {
	test.each(programs.filter(({on: isTested = () => true}) => isTested(on.release)))('the rows of Lines come to the CPU time of the process: $program $jvmArgs', async ({program, jvmArgs, row}) => {
		const java = await javaForTest(program, {jdk: on, jvmArgs});
		const clock = ProcessClock.of(java.pid)!;
		const readings: Array<{readonly atMs: number; readonly ns: number}> = [];
		const reading = setInterval(() => readings.push({atMs: Date.now(), ns: clock.readNs()}), 5);
		onTestFinished(() => {
			clearInterval(reading);
		});
		const sampler = await samplerForTest(java, {timer: 'auto'});
		await until(() => sampler.read()?.session.samples);
		await sleep(settleMs);
		const since = sampler.read()!;
		const usedNs = clock.readNs();
		await until(() => clock.readNs() - usedNs > leastNs);
		const snapshot = sampler.read()!;
		await until(() => readings.at(-1)!.atMs > snapshot.session.lastSampleAtMs);
		const lines = [...queryLines(snapshot, since, defaultQuery).rows].sort((a, b) => b.selfCpuNs - a.selfCpuNs);
		const countedNs = sum(lines.map(({selfCpuNs}) => selfCpuNs));
		const {least, most} = processNs(readings, since, snapshot);
		expect(countedNs).toBeGreaterThan(0.98 * least);
		expect(countedNs).toBeLessThan(1.02 * most);
		expect(locationName(lines[0])).toMatch(row);
		const javaOnly = queryLines(snapshot, since, {...defaultQuery, javaOnly: true}).rows;
		expect(javaOnly.filter(({className}) => /^\[(?:gc|jit)]/.test(className))).toEqual([]);
		expect(javaOnly.length).toBeGreaterThan(0);
	});
});
