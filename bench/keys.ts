/*
From a key to the changed screen: the built program in a pseudo-terminal on a JVM of 1,000 threads x 50 frames, of which
two work (TPROF_BENCH_THREADS), at 80 x 24 and 200 x 60. Wall time from the key to the last byte of the first frame
after it, and the main thread's CPU time, of each key; a refresh in between is in it. Target: below 50 ms. Each key
TPROF_BENCH_RUNS times (15). TPROF_BENCH_ENGINE takes an engine.
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {jdk} from '../test/helpers/jvm.js';
import {TerminalSession} from '../test/helpers/terminal.js';
import {startBusy} from './support/busy-target.js';
import {median, printFigures, type Figure} from './support/figures.js';
import {threadCpus} from './support/process-cpu.js';
import {buildProgram, depth, quit} from './support/program.js';

const runs = Number(process.env.TPROF_BENCH_RUNS ?? 15);
const threads = Number(process.env.TPROF_BENCH_THREADS ?? 1000);
const goalMs = 50;

/** Frames are synchronized updates (mode 2026). */
const endFrame = '\u001B[?2026l';
/** What a key is for, its bytes, and those that take it back, which are not measured. */
const keys = [
	{what: 'next view', key: '\t', back: '\u001B[Z'},
	{what: 'cursor down', key: '\u001B[B', back: '\u001B[A'},
	{what: 'reverse', key: 'R', back: 'R'},
	{what: 'other states', key: 'x', back: 'xxx'},
	{what: 'own code first', key: 'a', back: 'a'},
	{what: 'detail', key: '\r', back: '\u001B'},
	{what: 'into the past', key: '[', back: '\u001B'},
	{what: 'another unit', key: '%', back: '%%'},
	{what: 'by method', key: 'l', back: 'll'},
] as const;

async function frameAfter(terminal: TerminalSession, key: string): Promise<number> {
	const {length} = terminal.raw;
	const startMs = performance.now();
	terminal.type(key);
	while (!terminal.raw.slice(length).includes(endFrame)) {
		if (performance.now() - startMs > 5000) {
			return Number.NaN;
		}

		await sleep(0);
	}

	return performance.now() - startMs;
}

const mainCpuMs = (terminal: TerminalSession) => threadCpus(terminal.pid).get(terminal.pid)?.cpuMs ?? 0;

async function measure(cli: string, pid: number, columns: number, rows: number): Promise<Figure[]> {
	const engine = process.env.TPROF_BENCH_ENGINE;
	const terminal = new TerminalSession(
		process.execPath,
		[cli, String(pid), ...(engine ? ['--engine', engine] : [])],
		{columns, rows},
	);
	try {
		await terminal.until('LIVE');
		await sleep(10_000);
		const figures: Figure[] = [];
		for (const {what, key, back} of keys) {
			const [wall, cpu]: [number[], number[]] = [[], []];
			for (let run = 0; run < runs; run++) {
				const before = mainCpuMs(terminal);
				wall.push(await frameAfter(terminal, key));
				cpu.push(mainCpuMs(terminal) - before);
				terminal.type(back);
				await sleep(200);
			}

			const of = `${columns} x ${rows}, ${wall.length} keys`;
			figures.push({
				what: `${what}: median`, value: median(wall), unit: 'ms', below: goalMs, of,
			}, {
				what: `${what}: at most`, value: Math.max(...wall), unit: 'ms', of,
			}, {
				what: `${what}: CPU`, value: median(cpu), unit: 'ms', below: goalMs, of,
			});
		}

		await quit(terminal);
		return figures;
	} finally {
		terminal.close();
	}
}

const cli = buildProgram();
const on = jdk();
const java = await startBusy(on, threads, depth, 2);
try {
	console.log(`JDK ${on.release}, ${threads} threads x ${depth} frames`);
	for (const [columns, rows] of [[80, 24], [200, 60]] as const) {
		printFigures(await measure(cli, java.pid, columns, rows));
	}
} finally {
	await java.stop();
}
