/*
Work in bursts: tasks that run 50 to 500 us in programs that switch threads in five ways
(test/programs/KnownBursts.java), with each timer of the memory engine at 50 Hz, in turn on the same process, with a
rest in between. "L1 of lines" is the distance, in points of 100, between the shares of CPU time that the pool's methods
and everything else should have (what the program measures of itself, and the rest of the CPU time of the process's Java
threads) and those shown, what is unattributed being a part of everything else; "of the work" that among the four
methods; "chance" what sampling once in 10 ms of CPU time makes of it by chance alone. "Own CPU" is ours in percent of a
core, "work per CPU second" the target's rounds for its own CPU time beside those of the rest.

Each measurement is made of windows, one after the other in the same session. "Chance" is that of all windows together,
"of a window" the median of what each of them has by itself. What is systematically wrong is to be told from chance by
"signed": shown less true share of all windows, with the standard error that the windows' spread gives it; "beyond
chance" is L1 with these taken off in quadrature.

The numbers of the command line are seconds of a window and how many windows; TPROF_BENCH_ONLY takes some of the
programs and timers (pool,perf), TPROF_BENCH_JDKS some of the JDKs (17,25).
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Engine} from '../source/engines/common/engine.js';
import {pseudoFrame, unattributed} from '../source/model/frame.js';
import {JvmStacks} from '../source/model/jvm-stacks.js';
import {Sample, threadFlag} from '../source/model/sample.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {CpuAccount} from '../source/sampler/cpu-account.js';
import {type JavaProcess, type Jdk, startJava, targetOf} from '../test/helpers/jvm.js';
import {toldBy} from './support/busy-target.js';
import {chanceL1, sumOf} from './support/chance.js';
import {median} from './support/figures.js';
import {wanted, wantedJdks} from './support/only.js';
import {eachAttributed, memoryWith} from './support/attributed-time.js';

const intervalMs = 20;
const seconds = Number(process.argv[2] ?? 10);
const windows = Number(process.argv[3] ?? 6);
const methods = ['fifty', 'hundred', 'threeHundred', 'fiveHundred'];
/** A loop that was inlined may count for its caller. */
const notInlined = [
	'-XX:CompileCommand=quiet',
	...methods.map(method => `-XX:CompileCommand=dontinline,KnownBursts.${method}`),
];
const notJava = threadFlag.vmInternal + threadFlag.compiler;

const programs = ['pool', 'hand-over', 'many', 'runnable', 'timers'];
const periodNs = 10e6;

type Truth = {readonly workNs: ReadonlyMap<string, number>; readonly rounds: number; readonly usedNs: number};

async function truth(java: JavaProcess): Promise<Truth> {
	const text = await toldBy(java);
	const said = new Map([...text.matchAll(/^(?:share )?(\w+) (\d+)$/gm)].map(match => [match[1], Number(match[2])]));
	return {
		workNs: new Map(methods.map(method => [method, said.get(method)!])),
		usedNs: said.get('used')!,
		rounds: said.get('rounds')!,
	};
}

/** Distance between shares, in points of 100. */
function distance(real: ReadonlyMap<string, number>, shown: ReadonlyMap<string, number>): number {
	const [realSum, shownSum] = [sumOf(real.values()), sumOf(shown.values())];
	return sumOf([...new Set([...real.keys(), ...shown.keys()])].map(place =>
		Math.abs((100 * (real.get(place) ?? 0) / realSum) - (100 * (shown.get(place) ?? 0) / shownSum))));
}

/** The distance that sampling makes by chance. */
function chance(real: ReadonlyMap<string, number>): number {
	return chanceL1(real, sumOf(real.values()) / periodNs);
}

/**
CPU time by place that a window shows and that is true; what is not work may be anywhere else: only its sum is known.
*/
type Window = {
	readonly shown: ReadonlyMap<string, number>;
	readonly real: ReadonlyMap<string, number>;
	readonly rounds: number;
	readonly usedNs: number;
};

function added(maps: ReadonlyArray<ReadonlyMap<string, number>>): Map<string, number> {
	const sums = new Map<string, number>();
	for (const [place, ns] of maps.flatMap(map => [...map])) {
		sums.set(place, (sums.get(place) ?? 0) + ns);
	}

	return sums;
}

const percentOf = (of: ReadonlyMap<string, number>, place: string) => 100 * (of.get(place) ?? 0) / sumOf(of.values());

/** Shown less true share of each place, and the standard error of that by the spread of the windows. */
function signed(parts: readonly Window[]) {
	const [shown, real] = [added(parts.map(part => part.shown)), added(parts.map(part => part.real))];
	return [...real.keys()].map(place => {
		const points = percentOf(shown, place) - percentOf(real, place);
		const squares = parts.map(part => (percentOf(part.shown, place) - percentOf(part.real, place) - points) ** 2);
		return {place, points, error: Math.sqrt(sumOf(squares) / (parts.length - 1) / parts.length)};
	});
}

async function measure(java: JavaProcess, engine: Engine & {readonly name: string}, restRate: number) {
	const builder = new SnapshotBuilder();
	const account = new CpuAccount(pseudoFrame(builder, unattributed), new JvmStacks(builder));
	const session = await engine.open(await targetOf(java), {depth: Infinity}, builder);
	const sample = new Sample();
	const elsewhere = new Map<string, number>();
	const parts: Window[] = [];
	await session.sample(sample);
	await truth(java);
	const cpu = process.cpuUsage();
	const startMs = performance.now();
	let samples = 0;
	let lastMs = startMs;
	for (let window = 0; window < windows; window++) {
		const shown = new Map<string, number>([...methods, 'else'].map(place => [place, 0]));
		let usedNs = 0;
		const windowMs = performance.now();
		for (
			let dueMs = windowMs + intervalMs;
			performance.now() < windowMs + (seconds * 1000);
			dueMs = Math.max(performance.now(), dueMs + (intervalMs * (0.5 + Math.random())))
		) {
			await sleep(Math.max(0, dueMs - performance.now()));
			const outcome = await session.sample(sample);
			if (!outcome.ok) {
				continue;
			}

			samples++;
			const nowMs = performance.now();
			account.add(sample, (nowMs - lastMs) * 1e6);
			lastMs = nowMs;
			const {strings, frameMethod} = builder.build().dictionary;
			eachAttributed(sample, (row, frames, ns) => {
				if ((sample.flags[row] & notJava) === 0) {
					const names = [...frames].map(frame => strings[frameMethod[frame]]);
					const work = names.find(name => methods.includes(name));
					const place = work ?? names[0] ?? '';
					shown.set(work ?? 'else', shown.get(work ?? 'else')! + ns);
					if (!work) {
						elsewhere.set(place, (elsewhere.get(place) ?? 0) + ns);
					}
				}
			});
			for (let row = 0; row < sample.count; row++) {
				usedNs += (sample.flags[row] & notJava) === 0 ? sample.cpuNs[row] : 0;
			}
		}

		const {workNs, rounds, usedNs: processNs} = await truth(java);
		parts.push({
			shown,
			real: new Map([...workNs, ['else', Math.max(0, usedNs - sumOf(workNs.values()))]]),
			rounds,
			usedNs: processNs,
		});
	}

	const own = process.cpuUsage(cpu);
	const tookMs = performance.now() - startMs;
	await session.close();
	const [shown, real] = [added(parts.map(part => part.shown)), added(parts.map(part => part.real))];
	const shownNs = sumOf(shown.values());
	const ofWork = (of: ReadonlyMap<string, number>) => new Map([...of].filter(([place]) => place !== 'else'));
	const largest = (of: ReadonlyMap<string, number>) =>
		[...of].sort((a, b) => b[1] - a[1]).slice(0, 5).map(([place, ns]) =>
			`${place} ${(100 * ns / shownNs).toFixed(1)}`).join(', ');
	const differences = signed(parts);
	const [rounds, usedNs] = [sumOf(parts.map(part => part.rounds)), sumOf(parts.map(part => part.usedNs))];
	return {
		engine: engine.name,
		samples,
		'L1 of lines': distance(real, shown).toFixed(1),
		chance: chance(real).toFixed(1),
		'beyond chance':
			sumOf(differences.map(({points, error}) => Math.sqrt(Math.max(0, (points ** 2) - (error ** 2)))))
				.toFixed(1),
		signed: differences.map(({place, points, error}) => `${place} ${points.toFixed(1)} ± ${error.toFixed(1)}`)
			.join(', '),
		'of a window': `${median(parts.map(part => distance(part.real, part.shown))).toFixed(1)} (chance ${median(parts.map(part => chance(part.real))).toFixed(1)})`,
		'of the work': distance(ofWork(real), ofWork(shown)).toFixed(1),
		'own CPU': (100 * (own.user + own.system) / 1000 / tookMs).toFixed(1),
		'work per CPU second': (rounds / usedNs / restRate).toFixed(3),
		'shown (true) %': [...real.keys()].map(place =>
			`${percentOf(shown, place).toFixed(1)} (${percentOf(real, place).toFixed(1)})`).join(' '),
		others: largest(elsewhere),
	};
}

async function rest(java: JavaProcess): Promise<number> {
	await truth(java);
	await sleep(seconds * 1000);
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
