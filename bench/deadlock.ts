/*
From the moment at which a deadlock stands to its red line on the screen: the built program in a pseudo-terminal of 80 x
24, a refresh a second, on test/programs/Deadlock.java, which makes one and ends it. The program says so as soon as both
threads wait. Target: below a second, with each engine. TPROF_BENCH_RUNS times each (10).
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {jdk, startJava, type JavaProcess} from '../test/helpers/jvm.js';
import {sayTo} from '../test/helpers/say.js';
import {TerminalSession} from '../test/helpers/terminal.js';
import {median, printFigures, type Figure} from './support/figures.js';
import {buildProgram, quit} from './support/program.js';

const runs = Number(process.env.TPROF_BENCH_RUNS ?? 10);
const lookMs = 5;

/** Milliseconds until the screen says that there is a deadlock, or no longer does. */
async function untilSaid(terminal: TerminalSession, isThere: boolean): Promise<number> {
	const startMs = performance.now();
	while (terminal.text().includes('DEADLOCK') !== isThere) {
		await sleep(lookMs);
	}

	return performance.now() - startMs;
}

async function measure(cli: string, java: JavaProcess, engine: string): Promise<Figure[]> {
	const terminal = new TerminalSession(process.execPath, [cli, String(java.pid), '--engine', engine]);
	try {
		await terminal.until('LIVE');
		await sleep(3000);
		const [came, over]: [number[], number[]] = [[], []];
		for (let run = 0; run < runs; run++) {
			await sayTo(java, 'deadlock');
			came.push(await untilSaid(terminal, true));
			// Not always at the same moment between two refreshes.
			await sleep(1000 + (137 * run));
			await sayTo(java, 'over');
			over.push(await untilSaid(terminal, false));
			await sleep(500);
		}

		await quit(terminal);
		console.log(`${engine}: ${came.map(ms => Math.round(ms)).join(', ')} ms; until it is gone: ${over.map(ms => Math.round(ms)).join(', ')} ms`);
		const of = `${engine}, ${runs} times`;
		return [
			{
				what: 'until the red line is there, median', value: median(came), unit: 'ms', below: 1000, of,
			},
			{
				what: 'the same, at most', value: Math.max(...came), unit: 'ms', below: 1000, of,
			},
			{
				what: 'until it is gone, at most', value: Math.max(...over), unit: 'ms', of,
			},
		];
	} finally {
		terminal.close();
	}
}

const cli = buildProgram();
const on = jdk();
const java = await startJava('Deadlock', {jdk: on, args: ['later']});
try {
	console.log(`JDK ${on.release}, 80 x 24`);
	for (const engine of ['memory', 'attach']) {
		printFigures(await measure(cli, java, engine));
	}
} finally {
	await java.stop();
}
