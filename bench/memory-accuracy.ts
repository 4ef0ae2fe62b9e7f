/*
Whether CPU time is credited to the method, and to the line, where it was spent: counted loops around tiny inlined
methods (test/programs/CountedLoops.java), 50 Hz over 30 s for each engine, one after the other on the same process. The
truth is timed by the program itself. L1: the sum over all places of the distance between true and measured share, in
points of 100; below 5 is the goal for the memory engine. Chance alone makes it about 3 (4500 thread samples on two
cores). The serial collector is used because its loops have no safepoint polls (JDK-8186027 gave those of G1 some): the
usual case in small containers. A thread that reads its CPU clock settles its time slice with the kernel, so that on a
busy host it is preempted there, and seen there, more often than its CPU time says: phases are long (30 ms). The first
number of the command line is seconds for each measurement, the second milliseconds of a phase; TPROF_BENCH_ONLY takes
some of the engines (perf: events on CPUs, events: those on threads, both in the same time, stop, attach) and programs,
TPROF_BENCH_JDKS some of the JDKs (17,25). "Chance" is what a sighting in each 10 ms of CPU time makes of it alone.
*/
import {readFileSync} from 'node:fs';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {attachEngine} from '../source/engines/attach/engine.js';
import {type Engine} from '../source/engines/engine.js';
import {unattributedFrame} from '../source/model/frame.js';
import {Sample} from '../source/model/sample.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {CpuAccount} from '../source/sampler/cpu-account.js';
import {type JavaProcess, type Jdk, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {chanceL1, sumOf} from './support/chance.js';
import {wanted, wantedJdks} from './support/only.js';
import {eachAttributed, memoryWith} from './support/attributed-time.js';

const intervalMs = 20;
const recordEveryNs = 10e6;
const seconds = Number(process.argv[2] ?? 30);
const className = 'CountedLoops';
const methods = new Set(['arithmetic', 'array', 'division', 'objects', 'shifts', 'nested']);
const lines = new Map(readFileSync(`test/programs/${className}.java`, 'utf8').split('\n').map((text, index) => [index + 1, /\/\/ (line\w+)$/.exec(text)?.[1] ?? '']));
const phaseMs = Number(process.argv[3] ?? 30);
const mainLoop = 'work';

type Kind = {readonly name: string; readonly program: 'methods' | 'lines'; readonly jvmArgs: readonly string[]};

const notInlined = ['-XX:CompileCommand=quiet', ...[...methods].map(method => `-XX:CompileCommand=dontinline,${className}.${method}`)];

const kinds: Readonly<Record<string, Kind>> = {
	serial: {name: 'methods', program: 'methods', jvmArgs: ['-XX:+UseSerialGC', ...notInlined]},
	g1: {name: 'methods, G1', program: 'methods', jvmArgs: ['-XX:+UseG1GC', ...notInlined]},
	interpreted: {name: 'lines, -Xint', program: 'lines', jvmArgs: ['-XX:+UseSerialGC', '-Xint']},
	compiled: {name: 'lines, DebugNonSafepoints', program: 'lines', jvmArgs: ['-XX:+UseSerialGC', '-XX:+UnlockDiagnosticVMOptions', '-XX:+DebugNonSafepoints']},
};

const engines: Readonly<Record<string, Engine>> = {
	perf: memoryWith('perf'), events: memoryWith('perf', true), stop: memoryWith('stop'), attach: attachEngine,
};

/** Measured in the same time, as none of them holds anything up. */
const together = new Set(['perf', 'events']);

/** CPU nanoseconds by place: the innermost of the places known to the program that is on the stack. */
class Credits {
	readonly spent = new Map<string, number>();
	/** How many stacks that is. */
	seen = 0;
	usedNs = 0;
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
		for (let row = 0; row < sample.count; row++) {
			this.usedNs += sample.cpuNs[row];
		}

		eachAttributed(sample, (_, frames, ns) => {
			const place = this.#placeOf(frames);
			if (place) {
				this.spent.set(place, (this.spent.get(place) ?? 0) + ns);
				this.seen += ns > 0 ? 1 : 0;
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

/** An engine at work on a program. */
async function open(java: JavaProcess, id: string, {program}: Kind) {
	const credits = new Credits(program);
	const account = new CpuAccount(unattributedFrame(credits.interner));
	const session = await engines[id].open(await targetOf(java), {depth: Infinity}, credits.interner);
	const sample = new Sample();
	let samples = 0;
	let lastMs = 0;
	await session.sample(sample);
	return {
		id, credits, session,
		begin() {
			lastMs = performance.now();
		},
		async look() {
			const outcome = await session.sample(sample);
			if (outcome.ok) {
				samples++;
				const nowMs = performance.now();
				account.add(sample, (nowMs - lastMs) * 1e6);
				lastMs = nowMs;
				credits.add(sample);
			}
		},
		result(real: ReadonlyMap<string, number>) {
			const shareIn = (of: ReadonlyMap<string, number>) => {
				const total = sumOf(of.values());
				return (place: string) => 100 * (of.get(place) ?? 0) / total;
			};

			const trueShare = shareIn(real);
			const measuredShare = shareIn(credits.spent);
			const places = [...real.keys()];
			return {
				L1: sumOf(places.map(place => Math.abs(trueShare(place) - measuredShare(place)))).toFixed(1), chance: chanceL1(real, sumOf(real.values()) / recordEveryNs).toFixed(1), samples, stacks: credits.seen,
				'unattributed %': (100 * (1 - (sumOf(credits.spent.values()) / credits.usedNs))).toFixed(1),
				'CPU s': (credits.usedNs / 1e9).toFixed(1), 'true s': (sumOf(real.values()) / 1e9).toFixed(1),
				'measured (true) %': places.map(place => `${measuredShare(place).toFixed(1)} (${trueShare(place).toFixed(1)})`).join(' '),
			};
		},
	};
}

async function measure(java: JavaProcess, ids: readonly string[], kind: Kind) {
	const opened = await Promise.all(ids.map(async id => open(java, id, kind)));
	await truth(java);
	const startMs = performance.now();
	for (const {begin} of opened) {
		begin();
	}

	// Deadlines that a slow sample made impossible are given up.
	for (let dueMs = startMs + intervalMs; performance.now() < startMs + (seconds * 1000); dueMs = Math.max(performance.now(), dueMs + (intervalMs * (0.5 + Math.random())))) {
		await sleep(Math.max(0, dueMs - performance.now()));
		for (const {look} of opened) {
			await look();
		}
	}

	const real = await truth(java);
	for (const {session} of opened) {
		await session.close();
	}

	return opened.map(({id, result}) => ({engine: id, ...result(real)}));
}

async function compare(jdk: Jdk, kind: Kind): Promise<Array<Record<string, string | number>>> {
	const java = await startJava(className, {jdk, jvmArgs: [...kind.jvmArgs], args: [kind.program, String(phaseMs)]});
	try {
		const ids = wanted(Object.keys(engines));
		const groups = [ids.filter(id => together.has(id)), ...ids.filter(id => !together.has(id)).map(id => [id])];
		const results = [];
		for (const group of groups.filter(ids => ids.length > 0)) {
			results.push(...await measure(java, group, kind));
		}

		return results.map(result => ({JDK: jdk.release, kind: kind.name, ...result}));
	} finally {
		await java.stop();
	}
}

const rows = [];
for (const jdk of wantedJdks()) {
	for (const kind of wanted(Object.keys(kinds))) {
		const found = await compare(jdk, kinds[kind]);
		rows.push(...found);
		for (const row of found) {
			process.stdout.write(`${Object.entries(row).map(([name, value]) => `${name}: ${value}`).join('\n  ')}\n`);
		}
	}
}

console.table(rows.map(({'measured (true) %': _, ...row}) => row));
