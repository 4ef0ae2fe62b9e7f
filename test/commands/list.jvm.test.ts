import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {jvmList} from '../../source/commands/jvm-table.js';
import {list, listJson, listText} from '../../source/commands/list.js';
import {formatOf} from '../../source/exports/formats/format-registry.js';
import {CpuHistory} from '../../source/jvm/counters/cpu-history.js';
import type {HostJvm} from '../../source/commands/host-monitor.js';
import {JvmWatch} from '../../source/jvm/discovery/jvm-watch.js';
import {closedAfterTest, javaForTest, sharedJava} from '../helpers/for-test.js';
import {seenWithoutRights} from '../helpers/unprivileged.js';
import {until, untilAsync} from '../helpers/until.js';
import {isRoot} from '../helpers/users.js';

const parked = sharedJava('ParkedAndEcho');
const busy = sharedJava('Garbage', {jvmArgs: ['-Xmx64m', '-Xmn16m', '-XX:+UseSerialGC']});

type Document = {readonly schema: number; readonly jvms: ReadonlyArray<Readonly<Record<string, unknown>>>};

test('the busy JVM comes before the parked one, with its CPU and heap', async () => {
	let jvms: Document['jvms'] = [];
	// On a loaded machine the program may not get a CPU for a second.
	await untilAsync(async () => {
		const document = JSON.parse(await list(formatOf('json'))) as Document;
		expect(document.schema).toBe(2);
		jvms = document.jvms.filter(({pid}) => [busy.java.pid, parked.java.pid].includes(pid as number));
		return jvms[0].pid === busy.java.pid && (jvms[0].cpuPercent as number) > 1;
	});
	expect(jvms.map(({mainClass}) => mainClass)).toEqual(['Garbage', 'ParkedAndEcho']);
	expect(jvms[1].cpuPercent).toBeLessThan(jvms[0].cpuPercent as number);
	expect(jvms[0].heapUsedBytes).toBeGreaterThan(1024 * 1024);
	expect(jvms[0].heapCapacityBytes).toBeLessThanOrEqual(64 * 1024 * 1024);
});

test('a process that is looked at first has no share yet; later each part of the minute has its own', () => {
	const history = new CpuHistory();
	history.add({atMs: 1000, cpuTicks: 50});
	expect(history.percent).toBeUndefined();
	expect(history.parts(2)).toEqual([undefined, undefined]);
	history.add({atMs: 1500, cpuTicks: 100});
	expect(history.percent).toBe(100);
	// 20 s with half a core, then 40 s without: of a minute, a third.
	history.add({atMs: 21_500, cpuTicks: 1100});
	history.add({atMs: 61_500, cpuTicks: 1100});
	expect(history.parts(6)).toEqual([50, 50, 0, 0, 0, 0].map(percent => expect.closeTo(percent, 6) as number));
	expect(history.percent).toBe(0);
	// After a gap, such as a suspension, each part has the mean.
	history.add({atMs: 301_500, cpuTicks: 13_100});
	expect(history.parts(3)).toEqual([50, 50, 50].map(percent => expect.closeTo(percent, 6) as number));
});

test('a JVM with the pid of another that is gone begins anew, and one that is gone is not listed', async () => {
	const watch = closedAfterTest(new JvmWatch());
	const java = await javaForTest('ParkedAndEcho');
	const found = () => watch.scan().find(({pid}) => pid === java.pid);
	expect(found()?.cpu.percent).toBeUndefined();
	await until(() => found()?.cpu.percent !== undefined);
	expect(found()).toMatchObject({mainClass: 'ParkedAndEcho', vitals: {threadCount: expect.any(Number) as number}});
	await java.stop();
	expect(found()).toBeUndefined();
});

// Without root no JVM here is another user's.
test.skipIf(!isRoot)('a JVM of another user has threads and says what it needs (needs root: for another user)', async () => {
	const seen = await seenWithoutRights(
		'source/jvm/discovery/jvm-watch.ts',
		`(() => {
			const watch = new module.JvmWatch();
			watch.scan();
			const {brief, vitals, problem} = watch.scan().find(({pid}) => pid === ${parked.java.pid});
			return {brief, problem, threads: vitals.threadCount > 1};
		})()`,
	);
	expect(seen).toEqual({
		brief: expect.stringMatching(new RegExp(`^another user's: sudo .*${parked.java.pid}$`)) as string,
		problem: expect.stringContaining('belongs to user') as string,
		threads: true,
	});
});

const cpu = new CpuHistory();
cpu.add({atMs: 0, cpuTicks: 0});
cpu.add({atMs: 10_000, cpuTicks: 1234});

const jvm: HostJvm = {
	pid: 4711,
	user: safe`acme`,
	jvmVersion: safe`21.0.3`,
	vm: safe`OpenJDK`,
	mainClass: safe`com.acme.Main`,
	command: safe`com.acme.Main --port 80`,
	container: safe``,
	findings: [],
	startedAtMs: 0,
	target: parked.target,
	startTicks: 1,
	cpuTicks: 2,
	atMs: 3,
	cpu,
	vitals: {
		heapUsedBytes: 97.3 * (2 ** 20),
		heapCapacityBytes: 2 ** 28,
		heapMaxBytes: 2 ** 29,
		heapAfterGcBytes: 2 ** 28,
		recentGcPercent: 1.26,
		threadCount: 22,
	},
};

test('what is not known is a dash in the table and null in JSON', () => {
	const other: HostJvm = {
		...jvm,
		pid: 5,
		cpu: new CpuHistory(),
		vitals: {},
		problem: safe`it belongs to another user`,
		hint: safe`sudo`,
	};
	expect(listText([jvm, other])).toBe([
		' PID  MAIN            CPU  HEAP  GC  THR   HEAP USED  USER  JVM     UP SINCE  TROUBLE',
		'4711  com.acme.Main  123%  50%   1%   22  97.3M/256M  acme  21.0.3  -',
		'   5  com.acme.Main     -     -   -    -           -  acme  21.0.3  -         cannot be profiled: it belongs to another user',
		'',
	].join('\n'));
	const long: HostJvm = {
		...other,
		mainClass: safe`com.acme.department.of.very.long.names.AbstractTransactionalOrderRepositoryFactoryBean`,
	};
	const lines = listText([jvm, long], 80).trimEnd().split('\n');
	expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80);
	expect(lines).toEqual([
		' PID  MAIN               CPU  HEAP  GC  THR  TROUBLE',
		'4711  com.acme.Main     123%  50%   1%   22',
		'   5  AbstractTransac…     -     -   -    -',
		'    cannot be profiled: it belongs to another user',
	]);
	// The table on the screen says it in a cell, and all of it below while the row is selected.
	const {rows: [, row]} = jvmList([jvm, {...other, brief: safe`another user's: sudo`}], undefined);
	expect(row.cells.at(-1)).toMatchObject({text: 'another user\'s: sudo'});
	expect(row.detail).toEqual(['it belongs to another user; sudo', 'com.acme.Main --port 80  user acme  Java 21.0.3']);
	expect((JSON.parse(listJson([jvm, other])) as Document).jvms).toMatchObject([
		{
			pid: 4711, cpuPercent: 123.4, heapCapacityBytes: 2 ** 28, problem: null,
			heapMaxBytes: 2 ** 29, heapAfterGcBytes: 2 ** 28, gcPercent: 1.3, threads: 22, container: '',
		},
		{
			pid: 5,
			cpuPercent: null,
			heapUsedBytes: null,
			gcPercent: null,
			threads: null,
			startedAt: null,
			problem: 'it belongs to another user',
			hint: 'sudo',
		},
	]);
	expect((JSON.parse(listJson([])) as Document).jvms).toEqual([]);
});

test('a format that lists nothing is refused', async () => {
	await expect(list(formatOf('pprof'))).rejects.toMatchObject({
		exitCode: 2,
		message: '--format pprof cannot be used for a list of JVMs',
		hint: 'use text or json',
	});
});
