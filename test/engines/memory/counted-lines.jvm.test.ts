import {setTimeout as sleep} from 'node:timers/promises';
import {describe, expect, onTestFinished, test} from 'vitest';
import {openProcessClock} from '../../../source/jvm/threads/process-clock.js';
import {unknownLine} from '../../../source/model/frame.js';
import type {Snapshot} from '../../../source/model/snapshot.js';
import {countedLines} from '../../../source/query/counted-lines.js';
import {locationName} from '../../../source/query/counters/location.js';
import {scopeOf} from '../../../source/query/counters/scope.js';
import {jvmFinding} from '../../../source/query/summary/findings.js';
import {defaultQuery, type Location, type Query} from '../../../source/query/types/query.js';
import {queryLines} from '../../../source/views/lines/lines.js';
import {queryTree} from '../../../source/views/tree/tree.js';
import {javaForTest} from '../../helpers/for-test.js';
import {isNewestOrAskedFor, jdks} from '../../helpers/jvm.js';
import {samplerForTest} from '../../helpers/sampling.js';
import {sum} from '../../helpers/sum.js';
import {until} from '../../helpers/until.js';

/** Threads of the JVM are known from their second list on, and read once a second; and the least CPU time measured. */
const settleMs = 1600;
const leastNs = 1e9;

/** Rows of the JVM's own threads depend on its release; which collector it has, on none. */
const programs = [
	{program: 'NearlyFull', jvmArgs: ['-Xmx64m', '-XX:+UseG1GC'], row: /^\[gc] /},
	{program: 'NearlyFull', jvmArgs: ['-Xmx64m', '-XX:+UseSerialGC'], row: /^\[gc] VM Thread$/, on: isNewestOrAskedFor},
	{program: 'CompilesOften', jvmArgs: ['-Xcomp'], row: /^\[jit] C[12]/, on: isNewestOrAskedFor},
];

/** CPU time of a process between the newest samples of two snapshots: least and most. NaN if no reading follows. */
function processNs(
	readings: ReadonlyArray<{readonly atMs: number; readonly ns: number}>,
	since: Snapshot,
	snapshot: Snapshot,
): {readonly least: number; readonly most: number} {
	const before = (atMs: number) => readings.findLast(reading => reading.atMs <= atMs)!.ns;
	const after = (atMs: number) => readings.find(reading => reading.atMs >= atMs)?.ns ?? Number.NaN;
	const [from, to] = [since.session.lastSampleAtMs, snapshot.session.lastSampleAtMs];
	return {least: before(to) - after(from), most: after(to) - before(from)};
}

describe.each(jdks())('JDK $release', on => {
	test.each(programs.filter(({on: isTested = () => true}) => isTested(on.release)))(
		'the rows of Lines come to the CPU time of the process: $program $jvmArgs',
		async ({program, jvmArgs, row}) => {
			const java = await javaForTest(program, {jdk: on, jvmArgs});
			const clock = openProcessClock(java.pid)!;
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
			// On a busy machine the CPU time of a thread that seldom runs is read up to a second late.
			const {lines, snapshot} = await until(() => {
				const snapshot = sampler.read()!;
				const {least, most} = processNs(readings, since, snapshot);
				const lines = [...queryLines(snapshot, since, defaultQuery).rows].sort((a, b) =>
					b.selfCpuNs - a.selfCpuNs);
				const countedNs = sum(lines.map(({selfCpuNs}) => selfCpuNs));
				return countedNs > 0.98 * least && countedNs < 1.02 * most && {lines, snapshot};
			});
			expect(locationName(lines[0])).toMatch(row);
			const javaOnly = queryLines(snapshot, since, {...defaultQuery, javaOnly: true}).rows;
			expect(javaOnly.filter(({className}) => /^\[(?:gc|jit)]/.test(className))).toEqual([]);
			expect(javaOnly.length).toBeGreaterThan(0);
		},
	);
});

/** Share of the CPU time, percent, of lines whose names fit. */
function shareOf(snapshot: Snapshot, query: Partial<Query>, name: RegExp): number {
	const {rows, wholeCpuNs} = queryLines(snapshot, undefined, {...defaultQuery, ...query});
	return 100 * sum(rows.filter(row => name.test(locationName(row))).map(({selfCpuNs}) => selfCpuNs)) / wholeCpuNs;
}

/** Ticks at lambda forms that must have been counted. */
const leastHidden = 10;

/** Ticks of stacks at whose top a lambda form, or another class of java.lang.invoke, has no line. */
function hiddenTicks({dictionary, counters}: Snapshot): number {
	const {strings, frameClass, frameLine, nodeFrame} = dictionary;
	const tops = Array.from(counters.node.subarray(0, counters.count), node => nodeFrame[node]);
	const hidden = tops.map((frame, counter) =>
		frameLine[frame] === unknownLine && strings[frameClass[frame]].startsWith('java.lang.invoke.')
			? counters.ticks[counter]
			: 0);
	return sum(hidden);
}

describe.each(jdks())('JDK $release', on => {
	test.each(['memory', 'attach'] as const)(
		'%s: a method without line numbers has a row, unless it only passes calls on or --first-line is given',
		async engine => {
			const java = await javaForTest('WithoutLines', {jdk: on, debug: '-g:none', jvmArgs: ['-Xint']});
			const sampler = await samplerForTest(java, {engine});
			/** Without pseudo-frames, such as that of a thread whose stack could not be read. */
			const namesOf = (rows: readonly Location[]) =>
				rows.map(row => locationName(row)).filter(name => !name.startsWith('(')).sort();
			const names = (thread: string, query: Partial<Query> = {}) => {
				const {rows} = queryLines(sampler.read()!, undefined, {
					...defaultQuery,
					unit: 'ticks',
					filter: `thread:${thread}`,
					...query,
				});
				return namesOf(rows.filter(({selfTicks}) => selfTicks > 0)) as readonly string[];
			};

			const ofComputer = ['WithoutLines.computes', 'WithoutLines.next'];
			const ofCaller = ['WithoutLines.callsHandle', 'WithoutLines.next'];
			const isEverywhere = () =>
				ofComputer.every(name => names('computer').includes(name))
				&& ofCaller.every(name => names('caller').includes(name));
			await until(() => sampler.read() && hiddenTicks(sampler.read()!) > leastHidden && isEverywhere());
			expect(names('computer')).toEqual(ofComputer);
			expect(names('caller').filter(name => !/^java\.lang\.invoke\.[\w$.]+:\d+$/.test(name))).toEqual(ofCaller);
			expect(names('computer', {firstLine: true})).toEqual([
				expect.stringMatching(/^java\.lang\.Thread\.run(?:With)?:\d+$/),
			]);
			const bottomUp = queryTree(sampler.read()!, undefined, {
				...defaultQuery,
				filter: 'thread:computer',
				tree: {isBottomUp: true},
			});
			expect(namesOf(bottomUp.rows.filter(({level}) => level === 0))).toEqual(ofComputer);
		},
	);
});

/** Methods that must have been seen while they were compiled. */
const wanted = 2;

/**
A line of -XX:+PrintCompilation: time, number, attributes (% for on-stack replacement), level, method, and where a loop
is entered: `   1234  567 % b  4       com.acme.Foo::bar @ 12 (34 bytes)`.
*/
const printedLine = /^ *\d+ +\d+ [ %][ s][ !][ b][ n] +(\d) +(\S+)::(\S+)(?: @ (\d+))? \(\d+ bytes\)/gm;

describe.each(jdks().filter(({release}) => isNewestOrAskedFor(release)))('JDK $release', on => {
	test.each([
		{
			program: 'Deflates',
			java: /^java\.util\.zip\.Deflater\.\w+:\d+$/,
			native: /^lib(?:zip|z)\.so[\d.]*(?:!|$)/,
			least: 50,
		},
		// About half of its time is in the kernel, the rest on the way there; of 70 records, less than 20 % are once in
		// 10,000 runs, even if it is two fifths.
		{
			program: 'ReadsZeros',
			java: /^(?:java\.io\.FileInputStream\.|ReadsZeros)/,
			native: /^\[kernel] read$/,
			least: 20,
		},
	])(
		'native code counts for its Java line, or by library and function: $program',
		async ({program, java: line, native, least}) => {
			const java = await javaForTest(program, {jdk: on});
			const sampler = await samplerForTest(java, {timer: 'perf'});
			const usedNs = () => queryLines(sampler.read()!, undefined, defaultQuery).wholeCpuNs;
			await until(() => sampler.read() !== undefined && usedNs() > 7e8);
			const snapshot = sampler.read()!;
			expect(shareOf(snapshot, {}, line)).toBeGreaterThan(60);
			expect(shareOf(snapshot, {}, /^lib|^\[kernel]/)).toBe(0);
			expect(shareOf(snapshot, {native: true}, native)).toBeGreaterThan(least);
			expect(shareOf(snapshot, {native: true, ownFirst: true}, /^lib|^\[kernel]/)).toBeLessThan(5);
		},
	);

	test('compilers have the method, the tier and the loop\'s entry that they compile, as the JVM prints them; that they use much of the CPU is worth a sentence', async () => {
		const java = await javaForTest('CompilesOften', {
			jdk: on,
			jvmArgs: ['-XX:+PrintCompilation', '-Xcomp'],
			ready: /^ready/m,
			under: [],
		});
		const sampler = await samplerForTest(java, {timer: 'auto'});
		const scopeOfAll = () => ({...scopeOf(sampler.read()!, defaultQuery), work: 'all' as const});
		const methods = () =>
			countedLines(sampler.read()!, undefined, defaultQuery, scopeOfAll()).rows.filter(({className, method}) =>
				className === '[jit]' && method.includes('.')).map(({method}) => method);
		await until(() => sampler.read() !== undefined && methods().length >= wanted);
		const seen = methods();
		const printed = new Set(Array.from(java.output().matchAll(printedLine), ([, level, className, method, bci]) =>
			`${level === '4' ? 'C2' : `C1 tier ${level}`} ${className}.${method}${
				bci === undefined ? '' : `@${bci}`
			}`));
		expect(seen.filter(method => !printed.has(method))).toEqual([]);
		const said
			= /^(?:The JIT compiler uses \d+% CPU, the program \d+%: its code is still being compiled|C\d compiles \S+: \d+% of the CPU time)\.$/;
		await until(() => said.test(jvmFinding(sampler.read()!, undefined)?.text ?? ''));
	});
});
