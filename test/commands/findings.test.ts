import process from 'node:process';
import {describe, expect, test} from 'vitest';
import {jdks, piped, type JavaProcess} from '../helpers/jvm.js';
import {cli, runCli} from '../helpers/run.js';
import {beside, closedAfterTest, javaForTest, keepFirstCpuBusy, onFirstCpu} from '../helpers/for-test.js';
import {TerminalSession} from '../helpers/terminal.js';

type Finding = {readonly id: string; readonly sentence: string; readonly figures: Readonly<Record<string, number | string>>; readonly error: number | null};

/** What a report of so many seconds finds of a JVM. */
async function findingsOf({pid}: JavaProcess, seconds: number): Promise<readonly Finding[]> {
	const {stdout} = await runCli(String(pid), '--batch', '--format', 'json', '--duration', String(seconds));
	return (JSON.parse(stdout) as {findings: readonly Finding[]}).findings;
}

/** Without that the machine of the tests is busy. */
const ofProgram = (findings: readonly Finding[]) => findings.filter(({id}) => id !== 'host-cpu');

describe.concurrent.each(jdks().map(jdk => ({release: jdk.release, jdk})))('JDK $release', ({jdk}) => {
	test('a pool on a dead socket is named on the first screen, without a key', beside(async () => {
		const java = await javaForTest('PoolOnDeadSocket', {jdk});
		const port = /^port (\d+)$/m.exec(java.output())![1];
		const screen = closedAfterTest(new TerminalSession(process.execPath, [cli, String(java.pid)]));
		await screen.until(new RegExp(`! 8 threads wait for 127\\.0\\.0\\.1:${port}, longest >=\\d+s`));
		expect(ofProgram(await findingsOf(java, 4))).toMatchObject([{id: 'server', figures: {threads: 8, peer: `127.0.0.1:${port}`}, error: null}]);
	}));

	test('a class initialiser that does not end is named, with the thread that runs it', beside(async () => {
		const java = await javaForTest('KnownPeers', {jdk, under: piped});
		const found = await findingsOf(java, 7);
		expect(found.find(({id}) => id === 'class-init')).toMatchObject({figures: {threads: 1, class: 'KnownPeers$NeverMade', holder: 'run-initialiser'}});
		expect(found.filter(({id}) => id === 'server').map(({sentence}) => sentence)).toEqual([expect.stringMatching(/, which accepts no connection, longest /)]);
	}));

	test.for([['IdleServer'], ['BusyAndParked', '20', '5', '1']])('nothing is found of a healthy program: %s', beside(async ([name, ...args]) => {
		const java = await javaForTest(name, {jdk, args, under: []});
		expect(ofProgram(await findingsOf(java, 4))).toEqual([]);
	}));
});

test('threads on a host without a CPU for them have waited for one', async () => {
	const java = await javaForTest('CpuAndSleep', {under: onFirstCpu});
	keepFirstCpuBusy(4);
	const found = await findingsOf(java, 5);
	const finding = found.find(({id}) => id === 'host-cpu')!;
	expect(finding.sentence).toMatch(/^Host CPU saturated: threads waited \d+\.\d s for a CPU within \d+s\.$/);
	expect(Number(finding.figures.runDelayMs)).toBeGreaterThan(Number(finding.figures.usedMs));
});
