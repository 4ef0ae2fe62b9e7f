import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {afterEach, expect, test} from 'vitest';
import {readProcStrings, readStat, readStatus, ticksPerSecond} from '../../source/jvm/system/proc.js';
import {heldThreads} from '../helpers/proc.js';
import {seeded} from '../helpers/random.js';
import {sum} from '../helpers/sum.js';
import {TerminalSession} from '../helpers/terminal.js';
import {until} from '../helpers/until.js';
import {cli} from '../helpers/run.js';
import {sharedJava, sharedFolder, closedAfterTest} from '../helpers/for-test.js';

const rounds = 5;
/** Threads that run Java code all the time: more than there are CPUs, so that stops take their time. */
const spinning = 12;

const shared = sharedJava('BusyAndParked', {jvmArgs: ['-Xmx64m'], args: [spinning, 10, spinning].map(String)});
const folder = sharedFolder();
const inBackground: number[] = [];

afterEach(() => {
	// What a test that failed left in the background would hold the target under the next one.
	for (const tool of inBackground.splice(0)) {
		if (readProcStrings(tool, 'cmdline').includes(cli)) {
			process.kill(tool, 'SIGKILL');
		}
	}
});

/** A shell with job control: without one the kernel stops nobody who could not be continued. */
async function shell(): Promise<TerminalSession> {
	const session
		= closedAfterTest(new TerminalSession('/bin/bash', ['--norc', '--noprofile', '-i'], {
			columns: 300,
			env: {PS1: 'shell> '},
		}));
	await session.until('shell>');
	return session;
}

/** The tool on the program, as a shell has it. */
const commandLine = (args: string) => `'${process.execPath}' '${cli}' ${shared.java.pid} --max-overhead 100 ${args}`;

/** Starts the tool in the shell's background and gives its pid. */
async function startInBackground(session: TerminalSession, args: string): Promise<number> {
	session.type(`${commandLine(args)} & echo pid=$!.\r`);
	const [, digits] = /pid=(\d+)\./.exec(await session.until(/pid=\d+\./))!;
	inBackground.push(Number(digits));
	return Number(digits);
}

/** CPU time that a process has used, milliseconds. */
function cpuMs(pid: number): number {
	const {userTicks, systemTicks} = readStat(pid)!;
	return (userTicks + systemTicks) * 1000 / ticksPerSecond;
}

type Report = {readonly durationMs: number; readonly threads: ReadonlyArray<{readonly cpuMs: number}>};

const countedCpuMs = (reports: readonly Report[]) =>
	sum(reports.flatMap(report => report.threads.map(thread => thread.cpuMs)));

/** The whole reports in a file that is written to; none before the shell's child has made it. */
const reportsIn = (file: string) =>
	existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1).map(line => JSON.parse(line) as Report) : [];

/**
Whether all threads of a process have stopped: its shell is told of the last one's stop, and continues nobody before.
*/
const isStopped = (pid: number) =>
	readdirSync(`/proc/${pid}/task`).every(tid => readStatus(Number(tid))?.state === 'T');

test.each(['perf', 'stop'])(
	'a batch run with --timer %s holds no thread of the target while it is stopped, and goes on where it was',
	async timer => {
		const random = seeded(7);
		const session = await shell();
		const output = path.join(folder, `${timer}.json`);
		const tool = await startInBackground(
			session,
			`--timer ${timer} --interval 1 --batch --format json --top 1 --delay 0.2 --iterations 100000 > '${output}'`,
		);
		await until(() => reportsIn(output).length > 0);
		for (let round = 0; round < rounds; round++) {
			await sleep(random() * 50);
			process.kill(tool, 'SIGTSTP');
			await until(() => isStopped(tool));
			expect(heldThreads(shared.java.pid)).toMatchObject({held: 0});
			process.kill(tool, 'SIGCONT');
			await until(() => !isStopped(tool));
		}

		const {size} = statSync(output);
		await until(() => statSync(output).size > size);
		expect(readStat(tool)).toBeDefined();
		process.kill(tool, 'SIGTERM');
		await until(() => readStat(tool) === undefined);
	},
);

test('the time away of a batch run is no sampling time, and what threads used in it counts nowhere', async () => {
	const session = await shell();
	const output = path.join(folder, 'away.json');
	const [startedMs, usedAtStartMs] = [performance.now(), cpuMs(shared.java.pid)];
	const tool = await startInBackground(
		session,
		`--timer perf --interval 100 --batch --format json --delay 1 --iterations 100000 > '${output}'`,
	);
	await until(() => reportsIn(output).length > 0);
	process.kill(tool, 'SIGTSTP');
	await until(() => isStopped(tool));
	const [stoppedMs, usedAtStopMs] = [performance.now(), cpuMs(shared.java.pid)];
	await until(() => performance.now() - stoppedMs > 2000 && cpuMs(shared.java.pid) - usedAtStopMs > 1000);
	const [awayMs, usedAwayMs] = [performance.now() - stoppedMs, cpuMs(shared.java.pid) - usedAtStopMs];
	process.kill(tool, 'SIGCONT');
	const before = reportsIn(output);
	await until(() => reportsIn(output).length > before.length && countedCpuMs(reportsIn(output)) > 0);
	process.kill(tool, 'SIGTERM');
	await until(() => readStat(tool) === undefined);
	const reports = reportsIn(output);
	expect(sum(reports.map(report => report.durationMs))).toBeLessThan(performance.now() - startedMs - awayMs);
	// Clock ticks are rounded.
	expect(countedCpuMs(reports)).toBeLessThan(cpuMs(shared.java.pid) - usedAtStartMs - usedAwayMs + 100);
});

test('in the background it is stopped with nothing held, until it is fetched: started there, sent there, and continued there after a stop that asked nobody', async () => {
	const session = await shell();
	let stops = 0;
	const stopped = async (tool: number) => {
		await until(() => !session.isAlternate && isStopped(tool));
		stops++;
		// The shell says so before a prompt, once it knows.
		await until(() => {
			session.type('\r');
			return session.scrollback().split('Stopped').length > stops;
		});
		expect(heldThreads(shared.java.pid)).toMatchObject({held: 0});
	};

	const fetched = async () => {
		await session.typeUntil('fg\r', () => session.isAlternate, 'the screen');
		await session.until(/BusyAndParked\.(?:unit|leaf):/);
	};

	const tool = await startInBackground(session, '--engine memory --interval 1');
	await stopped(tool);
	await fetched();

	session.type('\u001A');
	await stopped(tool);
	await session.typeUntil('bg\r', /bg\n\[1]\+ .* &/);
	await stopped(tool);
	await fetched();

	process.kill(tool, 'SIGSTOP');
	await until(() => isStopped(tool));
	await session.until(/Stopped[^>]*\nshell>/, 'the shell');
	session.type('bg\r');
	// It finds itself in the background, gives the terminal back and everything free, and stops anew.
	await stopped(tool);
	await fetched();
	await session.typeUntil('q', screen => !session.isAlternate && screen.includes('samples'), 'the summary');
});

test('a terminal that lets nobody of the background write to it does not stop a batch run', async () => {
	const session = await shell();
	const ended = path.join(folder, 'ended');
	session.type('stty tostop\r');
	session.type(`(${commandLine('--engine memory --interval 1 --batch --format text --top 1 --delay 0.2 --iterations 5')}; echo "rc=$?" > '${ended}') &\r`);
	await until(() => existsSync(ended) && readFileSync(ended, 'utf8') !== '');
	expect(readFileSync(ended, 'utf8')).toBe('rc=0\n');
	await session.until(/BusyAndParked\.(?:unit|leaf):/);
	expect(heldThreads(shared.java.pid)).toMatchObject({held: 0});
});
