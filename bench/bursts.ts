/*
Work in bursts: tasks that run 50 to 500 us in programs that switch threads in five ways (test/programs/KnownBursts.java),
with each timer of the memory engine at 50 Hz, in turn on the same process, with a rest in between. "L1 of lines" is the
distance, in points of 100, between the shares of CPU time that the pool's methods and everything else should have (what
the program measures of itself, and the rest of the CPU time of the process's Java threads) and those shown; "of the
work" that among the four methods; "chance" what sampling once in 10 ms of CPU time makes of it by chance alone. "By
rule" is the part of what is shown that was not recorded, with where it stands. "Own CPU" is ours in percent of a core,
"work per CPU second" the target's rounds for its own CPU time beside those of the rest. The first number of the command
line is seconds for each measurement; TPROF_BENCH_ONLY takes some of the programs and timers
(pool,perf), TPROF_BENCH_JDKS some of the JDKs (17,25).
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Engine} from '../source/engines/engine.js';
import {Sample, threadFlag} from '../source/model/sample.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {CpuPlacement} from '../source/sampler/cpu-placement.js';
import {type JavaProcess, type Jdk, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {wanted, wantedJdks} from './support/only.js';
import {eachPlaced, memoryWith} from './support/placed-time.js';

const intervalMs = 20;
const seconds = Number(process.argv[2] ?? 30);
const methods = ['fifty', 'hundred', 'threeHundred', 'fiveHundred'];
/** A loop that was inlined may count for its caller. */
const notInlined = ['-XX:CompileCommand=quiet', ...methods.map(method => `-XX:CompileCommand=dontinline,KnownBursts.${method}`)];
const notJava = threadFlag.vmInternal + threadFlag.compiler;

const programs = ['pool', 'hand-over', 'many', 'runnable', 'timers'];
const periodNs = 10e6;

type Truth = {readonly workNs: ReadonlyMap<string, number>; readonly rounds: number; readonly usedNs: number};

async function truth(java: JavaProcess): Promise<Truth> {
	const before = java.output().length;
	java.child.stdin?.write('\n');
	while (!/^done$/m.test(java.output().slice(before))) {
		await sleep(5);
	}

	const said = new Map([...java.output().slice(before).matchAll(/^(?:share )?(\w+) (\d+)$/gm)].map(match => [match[1], Number(match[2])]));
	return {workNs: new Map(methods.map(method => [method, said.get(method)!])), usedNs: said.get('used')!, rounds: said.get('rounds')!};
}

const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);

/** Distance between shares, in points of 100. */
function distance(real: ReadonlyMap<string, number>, shown: ReadonlyMap<string, number>): number {
	const [realSum, shownSum] = [sumOf(real.values()), sumOf(shown.values())];
	return sumOf([...new Set([...real.keys(), ...shown.keys()])].map(place => Math.abs((100 * (real.get(place) ?? 0) / realSum) - (100 * (shown.get(place) ?? 0) / shownSum))));
}

/** The distance that sampling makes by chance: for each share, the mean deviation of a binomial distribution. */
function chance(real: ReadonlyMap<string, number>): number {
	const sum = sumOf(real.values());
	return sumOf([...real.values()].map(ns => 100 * Math.sqrt(2 * (ns / sum) * (1 - (ns / sum)) / (Math.PI * sum / periodNs))));
}

async function measure(java: JavaProcess, engine: Engine & {readonly name: string}, restRate: number) {
	const builder = new SnapshotBuilder();
	const placement = new CpuPlacement();
	const session = await engine.open(await targetOf(java), {depth: Infinity}, builder);
	const sample = new Sample();
	const shown = new Map<string, number>();
	const byRule = new Map<string, number>();
	let usedNs = 0;
	await session.sample(sample);
	await truth(java);
	const cpu = process.cpuUsage();
	const startMs = performance.now();
	let samples = 0;
	let lastMs = startMs;
	for (let dueMs = startMs + intervalMs; performance.now() < startMs + (seconds * 1000); dueMs = Math.max(performance.now(), dueMs + (intervalMs * (0.5 + Math.random())))) {
		await sleep(Math.max(0, dueMs - performance.now()));
		const outcome = await session.sample(sample);
		if (!outcome.ok) {
			continue;
		}

		samples++;
		const nowMs = performance.now();
		placement.assign(sample, (nowMs - lastMs) * 1e6);
		lastMs = nowMs;
		const {strings, frameMethod} = builder.build().dictionary;
		eachPlaced(sample, (row, frames, ns, isCredit) => {
			if ((sample.flags[row] & notJava) === 0) {
				const names = [...frames].map(frame => strings[frameMethod[frame]]);
				const place = names.find(name => methods.includes(name)) ?? names[0] ?? '';
				shown.set(place, (shown.get(place) ?? 0) + ns);
				if (!isCredit) {
					byRule.set(place, (byRule.get(place) ?? 0) + ns);
				}
			}
		});
		for (let row = 0; row < sample.count; row++) {
			usedNs += (sample.flags[row] & notJava) === 0 ? sample.cpuNs[row] : 0;
		}
	}

	const own = process.cpuUsage(cpu);
	const tookMs = performance.now() - startMs;
	const real = await truth(java);
	await session.close();
	const {workNs} = real;
	const trueNs = new Map([...workNs, ['else', Math.max(0, usedNs - sumOf(workNs.values()))]]);
	const others = [...shown].filter(([place]) => !methods.includes(place)).sort((a, b) => b[1] - a[1]);
	const shownNs = sumOf(shown.values());
	// What is not work may be anywhere else: only its sum is known.
	const merged = new Map([...shown].filter(([place]) => methods.includes(place)));
	merged.set('else', sumOf(others.map(([, ns]) => ns)));
	const work = [...methods].map(method => `${(100 * (shown.get(method) ?? 0) / shownNs).toFixed(1)} (${(100 * workNs.get(method)! / usedNs).toFixed(1)})`);
	return {
		engine: engine.name, samples, 'L1 of lines': distance(trueNs, merged).toFixed(1), chance: chance(trueNs).toFixed(1),
		'of the work': distance(workNs, new Map([...merged].filter(([place]) => place !== 'else'))).toFixed(1), 'own CPU': (100 * (own.user + own.system) / 1000 / tookMs).toFixed(1),
		'work per CPU second': (real.rounds / usedNs / restRate).toFixed(3), 'shown (true) %': work.join(' '),
		'not placed': (100 * (1 - (shownNs / usedNs))).toFixed(1), 'by rule': [...byRule].sort((a, b) => b[1] - a[1]).slice(0, 5).map(([place, ns]) => `${place} ${(100 * ns / shownNs).toFixed(1)}`).join(', '), others: others.slice(0, 5).map(([place, ns]) => `${place} ${(100 * ns / shownNs).toFixed(1)}`).join(', '),
	};
}

async function rest(java: JavaProcess): Promise<number> {
	await truth(java);
	await sleep(seconds * 500);
	const {rounds, usedNs} = await truth(java);
	return rounds / usedNs;
}

async function compare(jdk: Jdk, program: string): Promise<void> {
	const java = await startJava('KnownBursts', {jdk, jvmArgs: notInlined, args: [program]});
	try {
		for (const timer of wanted(['perf', 'threads', 'stop'] as const)) {
			const engine = memoryWith(timer === 'threads' ? 'perf' : timer, timer === 'threads');
			const row = {JDK: jdk.release, program, ...await measure(java, engine, await rest(java))};
			process.stdout.write(`${Object.entries(row).map(([name, value]) => `${name}: ${value}`).join('\n  ')}\n`);
		}
	} finally {
		await java.stop();
	}
}

for (const jdk of wantedJdks()) {
	for (const program of wanted(programs)) {
		await compare(jdk, program);
	}
}
