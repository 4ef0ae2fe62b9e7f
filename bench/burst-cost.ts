/*
What an engine costs a target that works in bursts (test/programs/KnownBursts.java), at its defaults: with its usual
interval and the budget of 2 %. Windows with and without it in turn, on the same process; medians of the pairs, the
second a mean of the windows before and after. "Per CPU second" is the target's rounds for the CPU time of the process
("mean" that of the pairs, with the standard error by their spread), "per second" that by the clock, both beside those
of the windows without; "stopped" what the tool says itself, "logged" what the JVM logs of dumps (11 and later), "CPU a
second" the CPU time that the target gets, "own CPU" ours, percent of a core, "waiting" the time that all threads that
work together wait for a CPU, without and with it. "CPU by thread" is what threads that do not work used, percent of the
CPU time of the process, less that of the windows without. The windows without it are pauses, in which the budget saves
for up to five seconds.

The numbers of the command line are seconds of a window, how many pairs, the budget (100: none) and the interval, in
milliseconds; TPROF_BENCH_ONLY takes some of the programs and engines (pool,attach), TPROF_BENCH_JDKS some of the JDKs.
*/
import {
	existsSync, mkdtempSync, readdirSync, readFileSync, rmSync,
} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {attachEngine} from '../source/engines/attach/engine.js';
import type {Engine} from '../source/engines/engine.js';
import {SamplingLoop} from '../source/sampler/loop.js';
import {createTable} from '../source/table/layout.js';
import {TableReader} from '../source/table/reader.js';
import {TableWriter} from '../source/table/writer.js';
import {type JavaProcess, type Jdk, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {median} from './support/figures.js';
import {wanted, wantedJdks} from './support/only.js';
import {memoryWith} from './support/attributed-time.js';

const seconds = Number(process.argv[2] ?? 5);
const pairs = Number(process.argv[3] ?? 5);
const budgetPercent = Number(process.argv[4] ?? 2);
const intervalMs = process.argv[5] === undefined ? undefined : Number(process.argv[5]);
const engines: Readonly<Record<string, Engine>> = {attach: attachEngine, perf: memoryWith('perf'), stop: memoryWith('stop')};
const worker = /^(pool|handing|pair|runnable|timer)-?/;

type Moment = {readonly rounds: number; readonly usedNs: number; readonly atMs: number; readonly byThread: ReadonlyMap<string, number>; readonly waitedNs: number};

/** CPU time by thread, and how long those that work have waited for a CPU. */
function cpuByThread(pid: number): {byThread: Map<string, number>; waitedNs: number} {
	const found = new Map<string, number>();
	let waitedNs = 0;
	for (const id of readdirSync(`/proc/${pid}/task`)) {
		const name = readFileSync(`/proc/${pid}/task/${id}/comm`, 'latin1').trim();
		const key = worker.test(name) ? 'workers' : name;
		const [usedNs, delayNs] = readFileSync(`/proc/${pid}/task/${id}/schedstat`, 'latin1').split(' ').map(Number);
		found.set(key, (found.get(key) ?? 0) + usedNs);
		waitedNs += key === 'workers' ? delayNs : 0;
	}

	return {byThread: found, waitedNs};
}

async function now(java: JavaProcess): Promise<Moment> {
	const before = java.output().length;
	java.child.stdin?.write('\n');
	while (!/^done$/m.test(java.output().slice(before))) {
		await sleep(2);
	}

	const said = (word: string) => Number(new RegExp(`^${word} (\\d+)$`, 'm').exec(java.output().slice(before))?.[1]);
	return {rounds: said('rounds'), usedNs: said('used'), atMs: performance.now(), ...cpuByThread(java.pid)};
}

/** What was done, and used, from one moment to the next. */
function window(from: Moment, to: Moment) {
	const used = new Map([...to.byThread].map(([name, ns]) => [name, ns - (from.byThread.get(name) ?? 0)]));
	const all = [...used.values()].reduce((sum, ns) => sum + ns, 0);
	return {
		perCpu: to.rounds / to.usedNs, perMs: to.rounds / (to.atMs - from.atMs), cpuPerMs: to.usedNs / (to.atMs - from.atMs),
		waited: (to.waitedNs - from.waitedNs) / (to.atMs - from.atMs) / 1e4, parts: new Map([...used].map(([name, ns]) => [name, 100 * ns / all])),
	};
}

type Window = ReturnType<typeof window> & {readonly own: number};

/** The mean, with the standard error that the values' spread gives it. */
function withError(values: readonly number[]): string {
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	const squares = values.reduce((sum, value) => sum + ((value - mean) ** 2), 0);
	return `${mean.toFixed(3)} ± ${Math.sqrt(squares / (values.length - 1) / values.length).toFixed(3)}`;
}

async function alone(java: JavaProcess): Promise<Window> {
	const from = await now(java);
	const own = process.cpuUsage();
	await sleep(seconds * 1000);
	const {user, system} = process.cpuUsage(own);
	return {...window(from, await now(java)), own: (user + system) / seconds / 1e4};
}

async function compare(jdk: Jdk, program: string, id: string): Promise<Record<string, string | number>> {
	const folder = mkdtempSync(path.join(tmpdir(), 'tprof-bench-'));
	const log = path.join(folder, 'safepoints');
	const java = await startJava('KnownBursts', {jdk, jvmArgs: jdk.release >= 11 ? [`-Xlog:safepoint:file=${log}`] : [], args: [program]});
	/** Milliseconds for which dumps have stopped it, as the JVM has logged them, time to reach safepoints included. */
	const loggedMs = () => existsSync(log) ? [...readFileSync(log, 'utf8').matchAll(/Safepoint "(\w*(?:Print|Deadlock)\w*)".*?Total:\s*(\d+) ns/g)].reduce((sum, match) => sum + (Number(match[2]) / 1e6), 0) : Number.NaN;
	try {
		const buffer = createTable();
		const writer = new TableWriter(buffer);
		const reader = new TableReader(buffer);
		const session = await engines[id].open(await targetOf(java), {depth: 50, maxOverheadPercent: budgetPercent}, writer);
		const loop = new SamplingLoop({session, writer, intervalMs: intervalMs ?? engines[id].defaultIntervalMs, maxOverheadPercent: budgetPercent, report: () => undefined});
		const done = loop.run();
		// The first samples are an investment of two minutes; what comes later counts here.
		await sleep(3000);
		loop.setPaused(true);
		const rests = [await alone(java)];
		const withIt: Window[] = [];
		const figures = () => reader.read(1000)!.figures;
		let [samples, stoppedMs, sampledMs] = [0, 0, 0];
		const loggedBefore = loggedMs();
		for (let pair = 0; pair < pairs; pair++) {
			const before = figures();
			loop.setPaused(false);
			withIt.push(await alone(java));
			loop.setPaused(true);
			const after = figures();
			samples += after.samples - before.samples;
			stoppedMs += after.targetStoppedMs - before.targetStoppedMs;
			sampledMs += seconds * 1000;
			rests.push(await alone(java));
		}

		loop.stop();
		await done;
		await session.close();
		const ratios = (of: (window: Window) => number) => withIt.map((window, index) => 2 * of(window) / (of(rests[index]) + of(rests[index + 1])));
		const ratio = (of: (window: Window) => number) => median(ratios(of)).toFixed(3);
		const names = [...new Set(withIt.flatMap(({parts}) => [...parts.keys()]))];
		const extra = (name: string) => median(withIt.map(({parts}, index) => (parts.get(name) ?? 0) - (((rests[index].parts.get(name) ?? 0) + (rests[index + 1].parts.get(name) ?? 0)) / 2)));
		const extras = names.map(name => ({name, extra: extra(name)})).filter(({name, extra}) => name !== 'workers' && Math.abs(extra) >= 0.05).sort((a, b) => b.extra - a.extra);
		return {
			JDK: jdk.release, program, engine: id, 'samples/s': (1000 * samples / sampledMs).toFixed(1), 'stopped %': (100 * stoppedMs / sampledMs).toFixed(2), 'logged %': (100 * (loggedMs() - loggedBefore) / sampledMs).toFixed(2),
			'per CPU second': ratio(({perCpu}) => perCpu), mean: withError(ratios(({perCpu}) => perCpu)), 'per second': ratio(({perMs}) => perMs), 'CPU a second': ratio(({cpuPerMs}) => cpuPerMs), 'waiting %': `${median(rests.map(({waited}) => waited)).toFixed(1)} -> ${median(withIt.map(({waited}) => waited)).toFixed(1)}`, 'own CPU': median(withIt.map(({own}) => own)).toFixed(1),
			'CPU by thread': extras.map(({name, extra}) => `${name} ${extra.toFixed(2)}`).join(', '),
		};
	} finally {
		await java.stop();
		rmSync(folder, {recursive: true});
	}
}

const rows = [];
for (const jdk of wantedJdks()) {
	for (const program of wanted(['pool', 'hand-over', 'many', 'runnable', 'timers'])) {
		for (const engine of wanted(Object.keys(engines))) {
			rows.push(await compare(jdk, program, engine));
			console.log(JSON.stringify(rows.at(-1)));
		}
	}
}

console.table(rows);
