import {expect, test} from 'vitest';
import {safe} from '../../source/util/printable.js';
import {type JvmRow, list, listJson, listText} from '../../source/commands/list.js';
import {formatOf} from '../../source/exports/formats/format-registry.js';
import {CpuShares} from '../../source/jvm/counters/vitals.js';
import {sharedJava} from '../helpers/for-test.js';
import {untilAsync} from '../helpers/until.js';

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

test('a process that is looked at first has no share yet, nor one with the id of another that is gone', () => {
	const shares = new CpuShares();
	expect([
		...shares.since([{pid: 7, startTicks: 100, cpuTicks: 50, atMs: 1000}, {
			pid: 8,
			startTicks: 100,
			cpuTicks: 50,
			atMs: 1000,
		}]),
	]).toEqual([]);
	expect([
		...shares.since([{pid: 7, startTicks: 100, cpuTicks: 100, atMs: 1500}, {
			pid: 8,
			startTicks: 300,
			cpuTicks: 1,
			atMs: 1500,
		}]),
	]).toEqual([[7, 100]]);
});

const jvm: JvmRow = {
	pid: 4711,
	user: safe`acme`,
	jvmVersion: safe`21.0.3`,
	vm: safe`OpenJDK`,
	mainClass: safe`com.acme.Main`,
	command: safe`com.acme.Main --port 80`,
	startedAtMs: 0,
	startTicks: 1,
	cpuTicks: 2,
	atMs: 3,
	cpuPercent: 123.4,
	heapUsedBytes: 97.3 * (2 ** 20),
	heapCapacityBytes: 2 ** 28,
};

test('what is not known is a dash in the table and null in JSON', () => {
	const other: JvmRow = {
		...jvm,
		pid: 5,
		cpuPercent: undefined,
		heapUsedBytes: undefined,
		heapCapacityBytes: undefined,
		problem: safe`it belongs to another user`,
		hint: 'sudo',
	};
	expect(listText([jvm, other])).toBe([
		' PID   CPU        HEAP  USER  JVM     UP SINCE  MAIN CLASS',
		'4711  123%  97.3M/256M  acme  21.0.3  -         com.acme.Main',
		'   5     -           -  acme  21.0.3  -         com.acme.Main  (cannot be profiled: it belongs to another user)',
		'',
	].join('\n'));
	const long: JvmRow = {
		...other,
		mainClass: safe`com.acme.department.of.very.long.names.AbstractTransactionalOrderRepositoryFactoryBean`,
	};
	const lines = listText([jvm, long], 80).trimEnd().split('\n');
	expect(Math.max(...lines.map(line => line.length))).toBeLessThanOrEqual(80);
	expect(lines).toEqual([
		' PID   CPU        HEAP  USER  MAIN CLASS',
		'4711  123%  97.3M/256M  acme  com.acme.Main',
		'   5     -           -  acme  com.acme.department.of.very.long.names.AbstractTr…',
		'    (cannot be profiled: it belongs to another user)',
	]);
	expect((JSON.parse(listJson([jvm, other])) as Document).jvms).toMatchObject([
		{pid: 4711, cpuPercent: 123.4, heapCapacityBytes: 2 ** 28, problem: null},
		{
			pid: 5,
			cpuPercent: null,
			heapUsedBytes: null,
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
