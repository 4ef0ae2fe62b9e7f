/*
Whether lines get the CPU time that was used at them: programs that time their own methods
(test/programs/KnownTruth.java), watched by the built command line, as its users do. "L1": distance in points of 100
between the true and the shown shares of the three methods; "chance": what chance makes of it, with a record in each 10
ms of CPU time, or with as many observations as threads were at a line that CPU time counts at. "work": what is shown at
the methods in percent of the CPU time of all the program's threads, and what is true; "unattributed": what counts at
that row. "worst": the largest difference of a single share. The numbers of the command line are seconds of a
measurement, and how many of each there are; TPROF_BENCH_ONLY takes some of the programs and timers (steps,perf),
TPROF_BENCH_JDKS some of the JDKs, TPROF_BENCH_CLI another built command line to compare with. As root, TPROF_BENCH_UID
is the user that the programs and the command line run as.
*/
import {execFile} from 'node:child_process';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {promisify} from 'node:util';
import {type JavaProcess, startJava} from '../test/helpers/jvm.js';
import {toldBy} from './support/busy-target.js';
import {chanceL1, sumOf} from './support/chance.js';
import {wanted, wantedJdks} from './support/only.js';

const seconds = Number(process.argv[2] ?? 30);
const times = Number(process.argv[3] ?? 1);
const cli = process.env.TPROF_BENCH_CLI ?? 'dist/cli.js';
const uid = Number(process.env.TPROF_BENCH_UID ?? 0);
const user = uid > 0 ? {uid, gid: uid} : {};
const recordEveryNs = 9.6e6;
const warmUpMs = 3000;

const programs = {
	steps: ['steps', '5000', '30000'],
	short: ['steps', '1700', '6100'],
	unequal: ['unequal'],
	wakes: ['wakes'],
	beside: ['beside'],
} as const;

const methods = ['alpha', 'beta', 'gamma'];

type Shown = {
	readonly class: string;
	readonly method: string;
	readonly self: number;
	readonly cpuMs: number;
	readonly totalCpuMs: number;
};
type Report = {
	readonly lines: readonly Shown[];
	readonly threads: ReadonlyArray<{readonly name: string; readonly cpuMs: number}>;
};

async function truth(java: JavaProcess): Promise<Map<string, number>> {
	const text = await toldBy(java);
	return new Map([...text.matchAll(/^share (\w+) (\d+)$/gm)].map(match => [match[1], Number(match[2])]));
}

async function measure(java: JavaProcess, timer: string): Promise<Record<string, string | number>> {
	const before = await truth(java);
	const how = timer === 'attach'
		? ['--engine', 'attach', '--interval', '50']
		: ['--engine', 'memory', '--timer', timer];
	const {stdout} = await promisify(execFile)(process.execPath, [
		cli,
		String(java.pid),
		'--format',
		'json',
		'--by',
		'method',
		'--duration',
		String(seconds),
		'--max-overhead',
		'20',
		...how,
	], {maxBuffer: 1 << 26, ...user});
	const after = await truth(java);
	const real
		= new Map(methods.map(method => [method, after.get(method)! - before.get(method)!]).filter(([, ns]) =>
			Number(ns) > 0) as Array<[string, number]>);
	const {lines, threads} = JSON.parse(stdout) as Report;
	const shownMs = (method: string, className = 'KnownTruth') =>
		sumOf(lines.filter(line => line.class === className && line.method === method).map(line => line.totalCpuMs));
	const ours = sumOf(threads.filter(({name}) => /^(?:worker|busy|taker|giver)/.test(name)).map(({cpuMs}) => cpuMs));
	const [realSum, shownSum] = [sumOf(real.values()), sumOf([...real.keys()].map(method => shownMs(method)))];
	const observations
		= sumOf(lines.filter(line => line.class === 'KnownTruth' && line.cpuMs > 0).map(line => line.self));
	const points = [...real].map(([method, ns]) => (100 * shownMs(method) / shownSum) - (100 * ns / realSum));
	return {
		L1: sumOf(points.map(point => Math.abs(point))).toFixed(1),
		chance: chanceL1(real, timer === 'perf' ? realSum / recordEveryNs : observations).toFixed(1),
		worst: Math.max(...points.map(point => Math.abs(point))).toFixed(1),
		'shown - true': points.map(point => point.toFixed(1)).join(' '),
		'work % (true)': `${(100 * shownSum / ours).toFixed(1)} (${(100 * realSum / (after.get('used')! - before.get('used')!)).toFixed(1)})`,
		'unattributed %': (100 * shownMs('(unattributed)', '(unattributed)') / ours).toFixed(1),
	};
}

const rows = [];
for (const jdk of wantedJdks()) {
	for (const program of wanted(Object.keys(programs) as Array<keyof typeof programs>)) {
		const jvmArgs = [
			'-XX:CompileCommand=quiet',
			...methods.map(method => `-XX:CompileCommand=dontinline,KnownTruth.${method}`),
		];
		const java = await startJava('KnownTruth', {jdk, jvmArgs, args: [...programs[program]], ...user});
		try {
			await sleep(warmUpMs);
			for (const timer of wanted(['perf', 'stop', 'attach'])) {
				for (let time = 0; time < times; time++) {
					const row = {JDK: jdk.release, program, timer, ...await measure(java, timer)};
					process.stdout.write(`${JSON.stringify(row)}\n`);
					rows.push(row);
				}
			}
		} finally {
			await java.stop();
		}
	}
}

console.table(rows);
