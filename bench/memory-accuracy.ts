/*
Whether CPU time is credited to the method, and to the line, where it was spent: counted loops around tiny inlined
methods (test/programs/CountedLoops.java), 50 Hz over 30 s for each engine, one after the other on the same process. The
truth is timed by the program itself. L1: the sum over all places of the distance between true and measured share, in
points of 100; below 5 is the goal for the memory engine. Chance alone makes it about 3 (4500 thread samples on two
cores). The serial collector is used because its loops have no safepoint polls (JDK-8186027 gave those of G1 some): the
usual case in small containers. A thread that reads its CPU clock settles its time slice with the kernel, so that on a
busy host it is preempted there, and seen there, more often than its CPU time says: phases are long (30 ms). The first
number of the command line is seconds for each measurement, the second milliseconds of a phase.
*/
import {readFileSync} from 'node:fs';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {attachEngine} from '../source/engines/attach/engine.js';
import {type Engine} from '../source/engines/engine.js';
import {Sample} from '../source/model/sample.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {CpuPlacement} from '../source/sampler/cpu-placement.js';
import {type JavaProcess, type Jdk, jdks, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {eachPlaced, memoryWith} from './support/placed-time.js';

const intervalMs = 20;
const seconds = Number(process.argv[2] ?? 30);
const className = 'CountedLoops';
const methods = new Set(['arithmetic', 'array', 'division', 'objects', 'shifts', 'nested']);
const lines = new Map(readFileSync(`test/programs/${className}.java`, 'utf8').split('\n').map((text, index) => [index + 1, /\/\/ (line\w+)$/.exec(text)?.[1] ?? '']));
const phaseMs = Number(process.argv[3] ?? 30);
const mainLoop = 'work';

type Kind = {readonly name: string; readonly program: 'methods' | 'lines'; readonly jvmArgs: readonly string[]};

const notInlined = ['-XX:CompileCommand=quiet', ...[...methods].map(method => `-XX:CompileCommand=dontinline,${className}.${method}`)];

const kinds: readonly Kind[] = [
	{name: 'methods', program: 'methods', jvmArgs: ['-XX:+UseSerialGC', ...notInlined]},
	{name: 'methods, G1', program: 'methods', jvmArgs: ['-XX:+UseG1GC', ...notInlined]},
	{name: 'lines, -Xint', program: 'lines', jvmArgs: ['-XX:+UseSerialGC', '-Xint']},
	{name: 'lines, DebugNonSafepoints', program: 'lines', jvmArgs: ['-XX:+UseSerialGC', '-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints']},
];

/** CPU nanoseconds by place: the innermost of the places known to the program that is on the stack. */
class Credits {
	readonly spent = new Map<string, number>();
	readonly #builder = new SnapshotBuilder();
	readonly #program: Kind['program'];
	#dictionary = this.#builder.build().dictionary;

	constructor(program: Kind['program']) {
		this.#program = program;
	}

	get interner(): SnapshotBuilder {
		return this.#builder;
	}

	add(sample: Sample): void {
		this.#dictionary = this.#builder.build().dictionary;
		eachPlaced(sample, (_, frames, ns) => {
			const place = this.#placeOf(frames);
			if (place) {
				this.spent.set(place, (this.spent.get(place) ?? 0) + ns);
			}
		});
	}

	#placeOf(frames: Int32Array): string | undefined {
		const {strings, frameClass, frameMethod, frameLine} = this.#dictionary;
		for (const frame of frames) {
			const method = strings[frameMethod[frame]];
			if (strings[frameClass[frame]] !== className) {
				continue;
			}

			if (this.#program === 'methods' && methods.has(method)) {
				return method;
			}

			if (this.#program === 'lines' && method === 'lines' && lines.get(frameLine[frame])) {
				return lines.get(frameLine[frame]);
			}

			if (method === mainLoop) {
				return 'between';
			}
		}

		return undefined;
	}
}

async function truth(java: JavaProcess): Promise<Map<string, number>> {
	const before = java.output().length;
	java.child.stdin?.write('\n');
	while (!/^done$/m.test(java.output().slice(before))) {
		await sleep(5);
	}

	return new Map([...java.output().slice(before).matchAll(/^share (\w+) (\d+)$/gm)].map(match => [match[1], Number(match[2])]));
}

async function measure(java: JavaProcess, engine: Engine, {program}: Kind): Promise<{l1: number; samples: number; shares: string}> {
	const credits = new Credits(program);
	const placement = new CpuPlacement();
	const session = await engine.open(await targetOf(java), {depth: Infinity}, credits.interner);
	const sample = new Sample();
	await session.sample(sample);
	await truth(java);
	let samples = 0;
	const startMs = performance.now();
	let lastMs = startMs;
	// Deadlines that a slow sample made impossible are given up.
	for (let dueMs = startMs + intervalMs; performance.now() < startMs + (seconds * 1000); dueMs = Math.max(performance.now(), dueMs + (intervalMs * (0.5 + Math.random())))) {
		await sleep(Math.max(0, dueMs - performance.now()));
		const outcome = await session.sample(sample);
		if (outcome.ok) {
			samples++;
			const nowMs = performance.now();
			placement.assign(sample, (nowMs - lastMs) * 1e6);
			lastMs = nowMs;
			credits.add(sample);
		}
	}

	const real = await truth(java);
	await session.close();
	const shareIn = (of: Map<string, number>) => {
		const total = [...of.values()].reduce((sum, value) => sum + value, 0);
		return (place: string) => 100 * (of.get(place) ?? 0) / total;
	};

	const trueShare = shareIn(real);
	const measuredShare = shareIn(credits.spent);
	const places = [...real.keys()];
	return {
		l1: places.reduce((sum, place) => sum + Math.abs(trueShare(place) - measuredShare(place)), 0), samples,
		shares: places.map(place => `${measuredShare(place).toFixed(1)} (${trueShare(place).toFixed(1)})`).join(' '),
	};
}

async function compare(jdk: Jdk, kind: Kind): Promise<Record<string, string | number>> {
	const java = await startJava(className, {jdk, jvmArgs: [...kind.jvmArgs], args: [kind.program, String(phaseMs)]});
	try {
		const perf = await measure(java, memoryWith('perf'), kind);
		const stop = await measure(java, memoryWith('stop'), kind);
		const attach = await measure(java, attachEngine, kind);
		return {
			JDK: jdk.release, kind: kind.name, 'L1 perf': perf.l1.toFixed(1), 'L1 stop': stop.l1.toFixed(1), 'L1 attach': attach.l1.toFixed(1), 'samples perf, stop, attach': `${perf.samples}, ${stop.samples}, ${attach.samples}`,
			'perf: measured (true) %': perf.shares, 'stop: measured (true) %': stop.shares, 'attach: measured (true) %': attach.shares,
		};
	} finally {
		await java.stop();
	}
}

const rows = [];
for (const jdk of jdks()) {
	for (const kind of kinds) {
		const row = await compare(jdk, kind);
		rows.push(row);
		process.stdout.write(`${Object.entries(row).map(([name, value]) => `${name}: ${value}`).join('\n  ')}\n`);
	}
}

console.table(rows.map(({JDK, kind, 'L1 perf': perf, 'L1 stop': stop, 'L1 attach': attach}) => ({
	JDK, kind, 'L1 perf': perf, 'L1 stop': stop, 'L1 attach': attach,
})));
