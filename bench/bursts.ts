/*
Work in bursts: a pool whose tasks run 50 to 500 us between parks (test/programs/KnownBursts.java), with each timer of
the memory engine at 50 Hz, in turn on the same process, with a rest in between. "L1 of lines" is the distance, in
points of 100, between the shares of CPU time that the pool's methods and everything else should have (their rounds at
what a round costs, the rest of the process's Java CPU time) and those shown; "of the work" that among the four methods.
"Own CPU" is ours in percent of a core, "work per CPU second" the target's rounds for its own CPU time beside those of
the rest. The first number of the command line is seconds for each measurement.
*/
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import type {Engine} from '../source/engines/engine.js';
import {Sample, threadFlag} from '../source/model/sample.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {CpuPlacement} from '../source/sampler/cpu-placement.js';
import {type JavaProcess, type Jdk, jdks, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {eachPlaced, memoryWith} from './support/placed-time.js';

const intervalMs = 20;
const seconds = Number(process.argv[2] ?? 30);
const methods = ['fifty', 'hundred', 'threeHundred', 'fiveHundred'];
/** A loop that was inlined may count for its caller. */
const notInlined = ['-XX:CompileCommand=quiet', ...methods.map(method => `-XX:CompileCommand=dontinline,KnownBursts.${method}`)];
const notJava = threadFlag.vmInternal + threadFlag.compiler;

type Truth = {readonly rounds: ReadonlyMap<string, number>; readonly usedNs: number; readonly perMicro: number};

async function truth(java: JavaProcess): Promise<Truth> {
	const before = java.output().length;
	java.child.stdin?.write('\n');
	while (!/^done$/m.test(java.output().slice(before))) {
		await sleep(5);
	}

	const said = new Map([...java.output().slice(before).matchAll(/^(?:share )?(\w+) (\d+)$/gm)].map(match => [match[1], Number(match[2])]));
	return {rounds: new Map(methods.map(method => [method, said.get(method)!])), usedNs: said.get('used')!, perMicro: said.get('perMicro')!};
}

const sumOf = (values: Iterable<number>) => [...values].reduce((sum, value) => sum + value, 0);

/** Distance between shares, in points of 100. */
function distance(real: ReadonlyMap<string, number>, shown: ReadonlyMap<string, number>): number {
	const [realSum, shownSum] = [sumOf(real.values()), sumOf(shown.values())];
	return sumOf([...new Set([...real.keys(), ...shown.keys()])].map(place => Math.abs((100 * (real.get(place) ?? 0) / realSum) - (100 * (shown.get(place) ?? 0) / shownSum))));
}

async function measure(java: JavaProcess, engine: Engine & {readonly name: string}, restRate: number) {
	const builder = new SnapshotBuilder();
	const placement = new CpuPlacement();
	const session = await engine.open(await targetOf(java), {depth: Infinity}, builder);
	const sample = new Sample();
	const shown = new Map<string, number>();
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
		eachPlaced(sample, (row, frames, ns) => {
			if ((sample.flags[row] & notJava) === 0) {
				const names = [...frames].map(frame => strings[frameMethod[frame]]);
				const place = names.find(name => methods.includes(name)) ?? names[0] ?? '';
				shown.set(place, (shown.get(place) ?? 0) + ns);
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
	const workNs = new Map([...real.rounds].map(([method, rounds]) => [method, rounds * 1000 / real.perMicro]));
	const others = [...shown].filter(([place]) => !methods.includes(place)).sort((a, b) => b[1] - a[1]);
	const shownNs = sumOf(shown.values());
	// What is not work may be anywhere else: only its sum is known.
	const merged = new Map([...shown].filter(([place]) => methods.includes(place)));
	merged.set('else', sumOf(others.map(([, ns]) => ns)));
	const work = [...methods].map(method => `${(100 * (shown.get(method) ?? 0) / shownNs).toFixed(1)} (${(100 * workNs.get(method)! / usedNs).toFixed(1)})`);
	return {
		engine: engine.name, samples, 'L1 of lines': distance(new Map([...workNs, ['else', Math.max(0, usedNs - sumOf(workNs.values()))]]), merged).toFixed(1),
		'of the work': distance(workNs, new Map([...merged].filter(([place]) => place !== 'else'))).toFixed(1), 'own CPU': (100 * (own.user + own.system) / 1000 / tookMs).toFixed(1),
		'work per CPU second': (sumOf(real.rounds.values()) / real.usedNs / restRate).toFixed(3), 'shown (true) %': work.join(' '),
		others: others.slice(0, 4).map(([place, ns]) => `${place} ${(100 * ns / shownNs).toFixed(1)}`).join(', '),
	};
}

async function rest(java: JavaProcess): Promise<number> {
	await truth(java);
	await sleep(seconds * 500);
	const {rounds, usedNs} = await truth(java);
	return sumOf(rounds.values()) / usedNs;
}

async function compare(jdk: Jdk): Promise<void> {
	const java = await startJava('KnownBursts', {jdk, jvmArgs: notInlined});
	try {
		const rows = [];
		for (const timer of ['perf', 'stop'] as const) {
			rows.push({JDK: jdk.release, ...await measure(java, memoryWith(timer), await rest(java))});
		}

		for (const row of rows) {
			process.stdout.write(`${Object.entries(row).map(([name, value]) => `${name}: ${value}`).join('\n  ')}\n`);
		}
	} finally {
		await java.stop();
	}
}

for (const jdk of jdks()) {
	await compare(jdk);
}
