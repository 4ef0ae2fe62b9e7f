/*
What the live view costs us, with its own interval, on JVMs of 20 to 5,000 threads with stacks of 50 frames, all parked
but two; and on one in which nothing runs. Own CPU (whole process), the samples a second that were taken, and the
greatest resident memory; medians of three runs of 20 s (TPROF_BENCH_SECONDS) after 10 s (TPROF_BENCH_WARM_UP). Goals:
below 3, 4, 5 and 15 % of a core, 1.5 % where nothing runs (after two minutes), 160 MB. TPROF_BENCH_BEFORE=dist/cli.js
of another build puts that one beside it, in turn; TPROF_BENCH_ARGS are options for both. TPROF_BENCH_OFF="--no-waits"
puts the same build with these options beside it, to see what a part costs: own CPU, and the target's work per CPU
second. TPROF_BENCH_KIND=virtual: the parked threads are virtual; =native: the busy ones run native code. Numbers on the
command line are the sizes to measure.

Then, with 200 threads (or the largest of these sizes), the live view with each way of sampling beside async-profiler
(cpu, 100 Hz) and jstack in a loop: own CPU, what the target uses beside its busy threads' CPU time, and the work of
these for each CPU second of the whole process, both against a time without a profiler just before.
TPROF_BENCH_ONLY=live or =beside takes one of the two tables.
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {jdk, type JavaProcess} from '../test/helpers/jvm.js';
import {TerminalSession} from '../test/helpers/terminal.js';
import {startBusy, workOf} from './support/busy-target.js';
import {median} from './support/figures.js';
import {processCpuMs, residentBytes, threadCpus} from './support/process-cpu.js';
import {
	buildProgram, depth, quit, samplesOf,
} from './support/program.js';
import {sideBySide} from './support/side-by-side.js';

const seconds = Number(process.env.TPROF_BENCH_SECONDS ?? 20);
const runs = Number(process.env.TPROF_BENCH_RUNS ?? 3);
const warmUpS = Number(process.env.TPROF_BENCH_WARM_UP ?? 10);
const options = (process.env.TPROF_BENCH_ARGS ?? '').split(' ').filter(Boolean);
const mega = 1024 * 1024;

/** Threads, how many of them work, and the goal in percent of a core. */
const cases = [
	{threads: 20, busy: 0, goal: 1.5},
	{threads: 20, busy: 2, goal: 3},
	{threads: 200, busy: 2, goal: 4},
	{threads: 1000, busy: 2, goal: 5},
	{threads: 5000, busy: 2, goal: 15},
];

type Run = {
	readonly cpu: number;
	readonly main: number;
	readonly sampler: number;
	readonly rate: number;
	readonly rssMb: number;
	readonly work: number;
};

async function measure(cli: string, java: JavaProcess, args: readonly string[]): Promise<Run> {
	const terminal = new TerminalSession(process.execPath, [cli, String(java.pid), ...args], {columns: 160, rows: 40});
	try {
		await terminal.until('LIVE');
		await sleep(warmUpS * 1000);
		// Counting samples opens the help, whose drawing is no part of what is measured.
		const [samplesBefore, countedMs] = [await samplesOf(terminal), performance.now()];
		const [workBefore, targetBefore] = [await workOf(java), processCpuMs(java.pid)];
		const [before, threadsBefore, startMs] = [
			processCpuMs(terminal.pid),
			threadCpus(terminal.pid),
			performance.now(),
		];
		let rss = 0;
		for (let second = 0; second < seconds; second++) {
			await sleep(1000);
			rss = Math.max(rss, residentBytes(terminal.pid));
		}

		const overMs = performance.now() - startMs;
		const cpu = 100 * (processCpuMs(terminal.pid) - before) / overMs;
		const shares = [...threadCpus(terminal.pid)].map(([id, {cpuMs}]) => ({
			id,
			percent: 100 * (cpuMs - (threadsBefore.get(id)?.cpuMs ?? 0)) / overMs,
		}));
		const [workAfter, targetAfter] = [await workOf(java), processCpuMs(java.pid)];
		const samples = await samplesOf(terminal) - samplesBefore;
		const rate = 1000 * samples / (performance.now() - countedMs);
		await quit(terminal);
		return {
			cpu,
			work: (workAfter.units - workBefore.units) / (targetAfter - targetBefore),
			main: shares.find(({id}) => id === terminal.pid)?.percent ?? 0,
			sampler: Math.max(...shares.filter(({id}) => id !== terminal.pid).map(({percent}) => percent)),
			rate,
			rssMb: rss / mega,
		};
	} finally {
		terminal.close();
	}
}

async function beside(sizes: readonly number[]): Promise<void> {
	const on = jdk();
	const threads = sizes.length > 0 ? Math.max(...sizes) : 200;
	const java = await startBusy(on, threads, depth, 2);
	try {
		const {rows, missing} = await sideBySide(buildProgram(), java, on, runs);
		console.log(`${threads} threads, two busy, medians of ${runs} runs${missing ? `; ${missing}` : ''}`);
		console.table(rows);
	} finally {
		await java.stop();
	}
}

async function live(sizes: readonly number[]): Promise<void> {
	const {TPROF_BENCH_BEFORE: before, TPROF_BENCH_OFF: off} = process.env;
	const now = buildProgram();
	const builds = [
		...(before ? [{build: 'before', cli: before, args: options}] : []),
		...(off ? [{build: off, cli: now, args: [...options, ...off.split(' ')]}] : []),
		{build: 'now', cli: now, args: options},
	];
	const on = jdk();
	console.log(`JDK ${on.release}, Node ${process.versions.node}, stacks of ${depth} frames, medians of ${runs} runs of ${seconds} s ${options.join(' ')}`);
	const rows: Array<Record<string, string | number>> = [];
	for (const {threads, busy, goal} of cases.filter(({threads}) => sizes.length === 0 || sizes.includes(threads))) {
		const java = await startBusy(on, threads, depth, busy);
		try {
			const taken = builds.map(variant => ({...variant, runs: [] as Run[]}));
			for (let run = 0; run < runs; run++) {
				for (const {cli, args, runs} of run % 2 === 0 ? taken : taken.toReversed()) {
					runs.push(await measure(cli, java, args));
				}
			}

			for (const {build, runs} of taken) {
				const of = (name: keyof Run) => Number(median(runs.map(run => run[name])).toPrecision(3));
				rows.push({
					threads,
					busy,
					build,
					'own CPU %': of('cpu'),
					'goal %': goal,
					reached: of('cpu') < goal ? 'yes' : 'NO',
					'main %': of('main'),
					'sampler %': of('sampler'),
					'samples/s': of('rate'),
					'RSS MB': of('rssMb'),
					'target\'s work per CPU s': of('work'),
				});
			}
		} finally {
			await java.stop();
		}

		console.table(rows);
	}
}

const sizes = process.argv.slice(2).map(Number);
const only = process.env.TPROF_BENCH_ONLY;
if (only !== 'beside') {
	await live(sizes);
}

if (only !== 'live') {
	await beside(sizes);
}
