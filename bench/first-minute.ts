/*
The live view's first minute at its defaults: CPU time until it is live, then samples a second and own CPU (percent of a
core; the main thread, the sampler and V8's own threads in brackets), in six parts of ten seconds and in all. The demo,
the demo beside four busy loops, and JVMs of 1,000 and 5,000 threads. TPROF_BENCH_BEFORE=dist/cli.js of another build
measures that one too, TPROF_BENCH_ONLY takes some (demo,load,1000,5000), TPROF_BENCH_ARGS are options.
*/
import {spawn} from 'node:child_process';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {jdk} from '../test/helpers/jvm.js';
import {TerminalSession} from '../test/helpers/terminal.js';
import {startBusy} from './support/busy-target.js';
import {wanted} from './support/only.js';
import {threadCpus} from './support/process-cpu.js';
import {
	buildProgram, depth, quit, samplesOf,
} from './support/program.js';

const options = (process.env.TPROF_BENCH_ARGS ?? '').split(' ').filter(Boolean);

type Reading = Readonly<Record<'atMs' | 'samples' | 'mainMs' | 'samplerMs' | 'v8Ms', number>>;

async function reading(terminal: TerminalSession): Promise<Reading> {
	const samples = await samplesOf(terminal);
	const threads = [...threadCpus(terminal.pid)];
	const sum = (of: (id: number, name: string) => boolean) =>
		threads.filter(([id, {name}]) => of(id, name)).reduce((total, [, {cpuMs}]) => total + cpuMs, 0);
	const isMain = (id: number) => id === terminal.pid;
	// V8's and libuv's threads are named node, as the process was when it started them.
	const isNamed = (name: string) => name.startsWith('tprof');
	return {
		atMs: performance.now(),
		samples,
		mainMs: sum(isMain),
		samplerMs: sum((id, name) => !isMain(id) && isNamed(name)),
		v8Ms: sum((id, name) => !isMain(id) && !isNamed(name)),
	};
}

function textOf(from: Reading, to: Reading): string {
	const overMs = to.atMs - from.atMs;
	const percents = [to.mainMs - from.mainMs, to.samplerMs - from.samplerMs, to.v8Ms - from.v8Ms].map(ms =>
		100 * ms / overMs);
	return `${(1000 * (to.samples - from.samples) / overMs).toFixed(1)}/s ${percents.reduce((sum, percent) => sum + percent, 0).toFixed(1)} % (${percents.map(percent => percent.toFixed(1)).join(' ')})`;
}

async function measure(cli: string, args: readonly string[]): Promise<Record<string, string>> {
	const terminal = new TerminalSession(process.execPath, [cli, ...args, ...options], {columns: 160, rows: 40});
	try {
		await terminal.until('LIVE');
		const startMs = performance.now();
		const readings: Reading[] = [await reading(terminal)];
		const startUpMs = readings[0].mainMs + readings[0].samplerMs + readings[0].v8Ms;
		for (let second = 10; second <= 60; second += 10) {
			await sleep(startMs + (second * 1000) - performance.now());
			readings.push(await reading(terminal));
		}

		await quit(terminal);
		const parts = readings.slice(1).map((to, part): [string, string] =>
			[`${part + 1}0 s`, textOf(readings[part], to)]);
		return {
			'start-up': `${Math.round(startUpMs)} ms of CPU`,
			...Object.fromEntries(parts),
			all: textOf(readings[0], readings.at(-1)!),
		};
	} finally {
		terminal.close();
	}
}

const cases = wanted(['demo', 'load', '1000', '5000']);
const before = process.env.TPROF_BENCH_BEFORE;
for (const [build, cli] of [...(before ? [['before', before]] : []), ['now', buildProgram()]]) {
	for (const [name, loops] of [['demo', 0], ['load', 4]] as const) {
		if (cases.includes(name)) {
			const busy = Array.from(
				{length: loops},
				() => spawn(process.execPath, ['-e', 'for (;;);'], {stdio: 'ignore'}),
			);
			try {
				console.log(build, name, await measure(cli, ['demo']));
			} finally {
				for (const loop of busy) {
					loop.kill('SIGKILL');
				}
			}
		}
	}

	for (const threads of ([1000, 5000] as const).filter(count => cases.includes(`${count}`))) {
		const java = await startBusy(jdk(), threads, depth, 2);
		try {
			console.log(build, threads, await measure(cli, [String(java.pid)]));
		} finally {
			await java.stop();
		}
	}
}
