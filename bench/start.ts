/*
How long the program takes to start: from the start of the process to the first frame (below 350 ms) and to the first
numbers (below 600 ms) in a pseudo-terminal of 80 x 24 on 200 threads x 50 frames, and `--version` as a whole (below 150
ms). Wall clock; the same less the time that the main thread was ready and had no CPU, which others on a busy machine
cause (it may have had to wait for the sampler meanwhile anyway: an estimate); and the CPU time used up to then.
TPROF_BENCH_RUNS starts (15).
*/
import {spawnSync} from 'node:child_process';
import {availableParallelism, loadavg} from 'node:os';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {median, printFigures, type Figure} from './support/figures.js';
import {threadCpus} from './support/process-cpu.js';
import {
	buildProgram, depth, quit, startManyThreads, startTerminal, threads,
} from './support/program.js';

const runs = Number(process.env.TPROF_BENCH_RUNS ?? 15);
const lookEveryMs = 2;
const longestMs = 20_000;

const goals = {firstFrame: 350, firstNumbers: 600, version: 150} as const;

/** The hottest row of the Lines view, with a share of CPU time that is not nought: two samples are needed for that. */
const hottestRow = /^> +(?:[1-9]\d*\.\d|100) .*\w\.\w+/m;

type Times = {
	readonly wallMs: number;
	/** Time that the main thread was ready to run and had no CPU; NaN where nobody knows. */
	readonly waitedMs: number;
	/** CPU time of all threads. */
	readonly cpuMs: number;
};

function timesOf(pid: number, wallMs: number): Times {
	const found = threadCpus(pid);
	return {
		wallMs,
		waitedMs: found.get(pid)?.waitedMs ?? 0,
		cpuMs: [...found.values()].reduce((sum, {cpuMs}) => sum + cpuMs, 0),
	};
}

/** Times of one start, at the first bytes of a frame and at the first row with figures. */
async function startOnce(cli: string, pid: number): Promise<{frame: Times; numbers: Times}> {
	const startMs = performance.now();
	const terminal = startTerminal(cli, [String(pid)]);
	try {
		const reached = async (isThere: () => boolean): Promise<Times> => {
			while (!isThere()) {
				if (performance.now() - startMs > longestMs) {
					throw new Error(`nothing within ${longestMs} ms:\n${terminal.text()}`);
				}

				await sleep(lookEveryMs);
			}

			return timesOf(terminal.pid, performance.now() - startMs);
		};

		const frame = await reached(() => terminal.raw.includes('[Lines]'));
		const first = await reached(() => hottestRow.test(terminal.text()));
		await quit(terminal);
		return {frame, numbers: first};
	} finally {
		terminal.close();
	}
}

/** One whole run; bash's `time` says what CPU it used, in milliseconds. */
function versionOnce(cli: string): Times {
	const {stderr} = spawnSync('bash', [
		'-c',
		'TIMEFORMAT="%3R %3U %3S"; time "$0" "$1" --version',
		process.execPath,
		cli,
	], {encoding: 'utf8'});
	const [real, user, system] = stderr.trim().split(' ').map(seconds => Number(seconds.replace(',', '.')) * 1000);
	return {wallMs: real, waitedMs: Number.NaN, cpuMs: user + system};
}

function figuresOf(what: string, times: readonly Times[], below: number): Figure[] {
	const of = `median of ${times.length}`;
	const row = (title: string, values: readonly number[], goal?: number): Figure[] =>
		values.some(value => Number.isNaN(value))
			? []
			: [{
				what: `${what}: ${title}`,
				value: median(values),
				unit: 'ms',
				below: goal,
				of: `${of}, least ${Math.min(...values).toFixed(0)}`,
			}];
	return [
		...row('wall', times.map(({wallMs}) => wallMs), below),
		...row('wall less waits for a CPU', times.map(({wallMs, waitedMs}) => wallMs - waitedMs), below),
		...row('CPU, all threads', times.map(({cpuMs}) => cpuMs)),
	];
}

async function main(): Promise<void> {
	const cli = buildProgram();
	const {java, release, done} = await startManyThreads();
	try {
		console.log(`JDK ${release}, Node ${process.versions.node}, ${threads} threads x ${depth} frames, 80 x 24, load ${loadavg()[0].toFixed(1)} on ${availableParallelism()} CPUs`);
		const starts = [];
		const versions = [];
		for (let run = 0; run < runs; run++) {
			starts.push(await startOnce(cli, java.pid));
			versions.push(versionOnce(cli));
		}

		printFigures([
			...figuresOf('first frame', starts.map(({frame}) => frame), goals.firstFrame),
			...figuresOf('first numbers', starts.map(start => start.numbers), goals.firstNumbers),
			...figuresOf('--version', versions, goals.version),
		]);
	} finally {
		await done();
	}
}

await main();
