import {existsSync, readdirSync, readlinkSync} from 'node:fs';
import path from 'node:path';
import {expect, test} from 'vitest';
import {parseCommandLine, type CommandLine} from '../../source/commands/command-line.js';
import {HostMonitor, Troubles} from '../../source/commands/host-monitor.js';
import {HostRecorder} from '../../source/commands/record-all.js';
import {openSaved} from '../../source/commands/recording.js';
import {memoryEngine} from '../../source/engines/memory/memory-engine.js';
import {Sample} from '../../source/model/sample.js';
import type {Snapshot} from '../../source/model/snapshot.js';
import {attempt} from '../../source/jvm/system/proc.js';
import {Names, rowsOf} from '../engines/observe.js';
import {closedAfterTest, folderForTest, javaForTest, sharedJava} from '../helpers/for-test.js';
import {targetOf} from '../helpers/jvm.js';
import {Picture} from '../helpers/picture.js';
import {until, untilAsync} from '../helpers/until.js';

const healthy = sharedJava('IdleServer');

test('what is wrong with JVMs is found by reading alone, and nothing with a healthy one', async () => {
	const [locked, contended] = [
		await javaForTest('Situations', {args: ['deadlock']}),
		await javaForTest('Situations', {args: ['monitor']}),
	];
	const monitor = closedAfterTest(new HostMonitor({isShort: true}));
	const jvmOf = (pid: number) => monitor.jvms().find(jvm => jvm.pid === pid);
	const findings = (pid: number) => jvmOf(pid)?.findings ?? [];
	// Its threads may be on their way to the deadlock at first.
	await until(() => findings(locked.pid)[0]?.id === 'deadlock' && findings(contended.pid).length > 0);
	expect(findings(locked.pid)[0]).toMatchObject({isAlarm: true});
	expect(findings(contended.pid)[0]).toMatchObject({id: 'contention', figures: {threads: 50}});
	expect(findings(healthy.java.pid)).toEqual([]);
	for (const {pid, output} of [locked, contended, healthy.java]) {
		// A request to attach would have left a socket, and started a thread.
		expect(existsSync(`/tmp/.java_pid${pid}`)).toBe(false);
		expect(output()).toBe('ready\n');
	}

	expect(monitor.openerOf(locked.pid).message).toMatch(/^in the table of JVMs: DEADLOCK: worker-/);
	await locked.stop();
	await until(() => jvmOf(locked.pid) === undefined);
});

test('all JVMs are recorded, each to a file of its own, also one that starts later', async () => {
	const first = await javaForTest('CpuAndSleep');
	const folder = folderForTest();
	const {options} = parseCommandLine(['push', '--all', '--include', 'CpuAndSleep', '--metrics', '1']) as CommandLine;
	const recorder = new HostRecorder({...options, snapshotDir: folder}, 1);
	const later = await javaForTest('CpuAndSleep');
	const filesOf = ({pid}: {readonly pid: number}) =>
		readdirSync(folder).filter(name => name.startsWith(`tprof-${pid}-`) && name.endsWith('.tprof'));
	await until(() => [first, later].every(java => filesOf(java).length === 1));
	expect(recorder.text).toBe('recording 2 JVMs; w ends it');
	await first.stop();
	await until(() => recorder.text === 'recording 1 JVM; w ends it');
	expect(await recorder.end()).toMatch(/^recorded 2 files; tprof-top open .*\.tprof shows the first$/);
	for (const java of [first, later]) {
		const {snapshot} = await openSaved(path.join(folder, filesOf(java)[0]));
		expect(snapshot.target).toMatchObject({pid: java.pid, mainClass: 'CpuAndSleep'});
	}
});

test('an engine that only reads opens no events and stops no thread: one that runs has no stack', async () => {
	const java = await javaForTest('BusyAndParked', {args: ['3', '5', '1']});
	const target = await targetOf(java);
	const names = new Names();
	const session = closedAfterTest(await memoryEngine.open(target, {depth: 50, onlyReads: true}, names));
	const sample = new Sample();
	let [parked, running] = [0, 0];
	await untilAsync(async () => {
		const outcome = await session.sample(sample, true);
		expect(outcome).toMatchObject({ok: true, stoppedMs: 0, pauseUs: 0});
		for (const row of rowsOf(sample, names).filter(({name}) => /^(?:busy|parked)-/.test(name))) {
			parked += Number(row.state === 'WAITING' && row.frames.length >= 5);
			running += Number(row.state === 'RUNNABLE' && row.frames.length === 0 && row.cpuNs > 0);
		}

		return parked >= 20 && running >= 10;
	});
	const files = readdirSync('/proc/self/fd').map(fd => attempt(() => readlinkSync(`/proc/self/fd/${fd}`), ''));
	expect(files.filter(file => file.includes('perf_event') || file.includes(`${target.pid}/task`))).toEqual([]);
});

/** A window of some seconds in which threads wait for a lock. */
function contention(isBlocked: boolean, atMs: number): Snapshot {
	const picture = new Picture().draw('hot | R500 | work:1');
	for (let thread = 0; thread < 4; thread++) {
		picture.draw(`t${thread}${isBlocked ? ' <- hot of java.lang.Object' : ''} | ${isBlocked ? 'B' : 'w'} | main:1`);
	}

	const snapshot = picture.build();
	return {...snapshot, session: {...snapshot.session, takenAtMs: atMs}};
}

test('a problem that may pass is shown once it has been found twice in a row', () => {
	const troubles = new Troubles(1);
	const ids = (snapshot: Snapshot) => troubles.of(snapshot, {vitals: {}}).map(({id}) => id);
	expect(ids(contention(true, 1000))).toEqual([]);
	const second = contention(true, 3000);
	expect(ids(second)).toEqual(['contention']);
	// No new sample, so nothing new.
	expect(ids(second)).toEqual(['contention']);
	expect(ids(contention(false, 5000))).toEqual([]);
	expect(ids(contention(true, 7000))).toEqual([]);
});
