/*
The tool's own CPU time: the built program in a pseudo-terminal of 80 x 24 on 200 threads x 50 frames, a sample every
200 ms, a refresh a second. Whole process and by thread, over 20 s (TPROF_BENCH_SECONDS) after 10 s of warm-up; then the
same again with V8's profiler on, for the shares of the parts. Target: below 6 % of one core. TPROF_BENCH_FUNCTIONS=N
lists the dearest functions too. TPROF_BENCH_SIZES=80x24,200x60 measures terminals of these sizes instead, all at the same
time on one JVM, without shares: targets for the main thread are 0.6 % up to 80 columns and 1.5 % beyond, 5 % for all.
*/
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {printFigures, type Figure} from './support/figures.js';
import {processCpuMs, threadCpus} from './support/process-cpu.js';
import {readProfiles, shares} from './support/profile-shares.js';
import {
	buildProgram, depth, quit, sampling, startManyThreads, startTerminal, threads,
} from './support/program.js';

const seconds = Number(process.env.TPROF_BENCH_SECONDS ?? 20);
const warmUpS = 10;
const functionsListed = Number(process.env.TPROF_BENCH_FUNCTIONS ?? 0);
const goalPercent = 6;

/** Parts of the program by the beginning of a module's path; the first that fits. */
const parts = [
	['build/remembered-', 'ink: Ink, React, Yoga'],
	['source/ui/show-screen', 'ink: Ink, React, Yoga'],
	['node_modules/', 'ink: Ink, React, Yoga'],
	['source/ui/terminal/', 'write: terminal'],
	['source/ui/', 'render: components, texts'],
	['source/query/', 'query'],
	['source/views/', 'query'],
	['source/model/', 'model (text, widths)'],
	['source/jvm/threads/thread-cpu', 'schedstat'],
	['source/jvm/counters/vitals', 'vitals'],
	['source/jvm/counters/hsperfdata', 'vitals'],
	['source/jvm/system/proc', 'proc files'],
	['source/jvm/', 'jvm'],
	['source/engines/attach/cpu-credit', 'schedstat'],
	['source/engines/attach/socket/connection', 'socket'],
	['source/engines/attach/socket/client', 'socket'],
	['source/engines/attach/socket/reply-buffer', 'socket'],
	['source/engines/memory/', 'read the target'],
	['source/engines/', 'parse'],
	['source/table/reader', 'read'],
	['source/table/append-only', 'read'],
	['source/table/', 'count'],
	['source/sampler/handle', 'read'],
	['source/sampler/', 'loop'],
] as const;

function partOf(path: string): string {
	return parts.find(([start]) => path.startsWith(start))?.[1] ?? 'the rest';
}

type Size = {readonly columns: number; readonly rows: number};

const sizes = (process.env.TPROF_BENCH_SIZES ?? '').split(',').filter(Boolean).map((text): Size => {
	const [columns, rows] = text.split('x').map(Number);
	return {columns, rows};
});

async function measureCpu(cli: string, pid: number, size?: Size): Promise<Figure[]> {
	const terminal = startTerminal(cli, [String(pid), ...sampling], [], size);
	try {
		await terminal.until('ManyThreads');
		await sleep(warmUpS * 1000);
		const [wholeBefore, before, startMs] = [processCpuMs(terminal.pid), threadCpus(terminal.pid), performance.now()];
		await sleep(seconds * 1000);
		const [wholeAfter, after, overMs] = [processCpuMs(terminal.pid), threadCpus(terminal.pid), performance.now() - startMs];
		const percents = new Map([...after].map(([id, {cpuMs}]) => [id, 100 * (cpuMs - (before.get(id)?.cpuMs ?? 0)) / overMs]));
		const main = percents.get(terminal.pid) ?? 0;
		percents.delete(terminal.pid);
		// Node 20 gives its threads no names of their own: the sampler is the busiest beside the main thread.
		const [sampler = 0, ...helpers] = [...percents.values()].toSorted((a, b) => b - a);
		const of = `${size ? `${size.columns} x ${size.rows}, ` : ''}${seconds} s`;
		const goals = size ? {all: 5, main: size.columns <= 80 ? 0.6 : 1.5} : {all: goalPercent};
		const screen = terminal.text();
		await quit(terminal);
		console.log(screen.split('\n').slice(0, 3).join('\n'));
		return [
			{
				what: 'own CPU, /proc/PID/stat', value: 100 * (wholeAfter - wholeBefore) / overMs, unit: '% of a core', below: goals.all, of,
			},
			{
				what: 'own CPU, sum of threads', value: main + sampler + helpers.reduce((sum, value) => sum + value, 0), unit: '% of a core', below: goals.all, of,
			},
			{
				what: '- main thread', value: main, unit: '% of a core', below: goals.main, of,
			},
			{
				what: '- sampler thread', value: sampler, unit: '% of a core', of,
			},
			{
				what: '- V8 and libuv threads', value: helpers.reduce((sum, value) => sum + value, 0), unit: '% of a core', of: `${helpers.length} threads`,
			},
		];
	} finally {
		terminal.close();
	}
}

async function measureShares(cli: string, pid: number): Promise<void> {
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-profile-'));
	const terminal = startTerminal(cli, [String(pid), ...sampling], [`--import=${path.resolve('bench/support/profile-worker.js')}`, '--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200']);
	try {
		await terminal.until('ManyThreads');
		await sleep((warmUpS + seconds) * 1000);
		await quit(terminal);
		for (const profile of readProfiles(folder)) {
			const fromUs = Math.max(0, profile.endTime - profile.startTime - (seconds * 1e6));
			const sums = shares(profile, fromUs, module => partOf(module));
			const whole = [...sums.values()].reduce((sum, value) => sum + value, 0);
			const isSampler = !sums.has('ink: Ink, React, Yoga');
			console.log(`\n${isSampler ? 'sampler' : 'main'} thread, busy ${(whole / seconds / 1e4).toFixed(2)} % of ${seconds} s by V8's profiler (wall clock, profiler's own cost in it)`);
			console.table([...sums].toSorted((a, b) => b[1] - a[1]).filter(([, value]) => value > whole / 200).map(([part, value]) => ({part, '% of the thread': (100 * value / whole).toFixed(1), '% of a core': (value / seconds / 1e4).toFixed(2)})));
			if (functionsListed > 0) {
				const functions = shares(profile, fromUs, module => module, true);
				console.table([...functions].toSorted((a, b) => b[1] - a[1]).slice(0, functionsListed).map(([name, value]) => ({name, '% of a core': (value / seconds / 1e4).toFixed(3)})));
			}
		}
	} finally {
		terminal.close();
		rmSync(folder, {recursive: true, force: true});
	}
}

async function main(): Promise<void> {
	const cli = buildProgram();
	const {java, release, done} = await startManyThreads();
	try {
		console.log(`JDK ${release}, Node ${process.versions.node}, ${threads} threads x ${depth} frames, ${sampling.join(' ')}, 80 x 24`);
		if (sizes.length > 0) {
			const measured = await Promise.all(sizes.map(async size => measureCpu(cli, java.pid, size)));
			printFigures(measured.flat());
			return;
		}

		printFigures(await measureCpu(cli, java.pid));
		await measureShares(cli, java.pid);
	} finally {
		await done();
	}
}

await main();
