/*
What the live view costs us on programs that were not written to be sampled: javac in a loop, Spark, H2, Lucene, and a
Tomcat with virtual threads (bench/programs; their jars come from Maven). For each, after TPROF_BENCH_WARM_UP seconds of
the program (default 30) and of the view (30): own CPU of the whole process, the sampling thread and the screen's; the
samples taken a second; reads of the target's memory and of /proc a second (system calls, and KB); resident memory.
Three ways: as fast as asked (--max-cpu 100), one sample a second (--max-cpu 100 --interval 1000), and the defaults.
Medians of TPROF_BENCH_RUNS runs (default 3) of TPROF_BENCH_SECONDS (default 20), in turn.

Goals: below 4 % on javac, 8 % on Spark and 6 % on the others at 50 samples a second; at the defaults below 5 % with at
least 25 samples a second. TPROF_BENCH_BEFORE=dist/cli.js of another build puts that one beside it.
TPROF_BENCH_ONLY=javac,spark takes these programs only. TPROF_BENCH_PROFILE=FOLDER writes CPU profiles of the sampling
thread instead, for Chrome's developer tools.
*/
import {execFileSync, spawn} from 'node:child_process';
import {cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {javaProcess, jdks, type JavaProcess, type Jdk} from '../test/helpers/jvm.js';
import {TerminalSession} from '../test/helpers/terminal.js';
import {median} from './support/figures.js';
import {jarsOf} from './support/maven.js';
import {processCpuMs, residentBytes, threadCpus} from './support/process-cpu.js';
import {buildProgram, quit, samplesOf} from './support/program.js';

type Program = {
	readonly name: string;
	readonly main: string;
	readonly goal: number;
	/** The oldest and the newest release that it runs on. */
	readonly releases: readonly [number, number];
	readonly artifacts: readonly string[];
	readonly jvmArgs?: readonly string[];
	readonly args?: readonly string[];
};

const opened = ['lang', 'lang.invoke', 'net', 'nio', 'util', 'util.concurrent'].map(name => `java.base/java.${name}`);

const programs: readonly Program[] = [
	{name: 'javac', main: 'JavacLoop', goal: 4, releases: [17, 99], artifacts: [], args: ['agent/src/main/java']},
	{
		name: 'spark',
		main: 'SparkLoop',
		goal: 8,
		releases: [17, 17],
		artifacts: ['org.apache.spark:spark-sql_2.12:3.5.6'],
		jvmArgs: [
			'-Xmx2g',
			...[...opened, 'java.base/sun.nio.ch', 'java.base/sun.util.calendar'].map(name => `--add-opens=${name}=ALL-UNNAMED`),
		],
	},
	{name: 'h2', main: 'H2Loop', goal: 6, releases: [17, 99], artifacts: ['com.h2database:h2:2.3.232']},
	{
		name: 'lucene',
		main: 'LuceneLoop',
		goal: 6,
		releases: [21, 99],
		artifacts: ['org.apache.lucene:lucene-core:10.2.2', 'org.apache.lucene:lucene-queryparser:10.2.2'],
	},
	{
		name: 'tomcat',
		main: 'TomcatLoop',
		goal: 6,
		releases: [21, 99],
		artifacts: ['org.apache.tomcat.embed:tomcat-embed-core:11.0.10'],
	},
];

const ways = ['--max-cpu 100', '--max-cpu 100 --interval 1000', ''];

const {TPROF_BENCH_ONLY: only, TPROF_BENCH_BEFORE: before, TPROF_BENCH_PROFILE: profiles} = process.env;
const seconds = Number(process.env.TPROF_BENCH_SECONDS ?? 20);
const runs = Number(process.env.TPROF_BENCH_RUNS ?? 3);
const warmUpS = Number(process.env.TPROF_BENCH_WARM_UP ?? 30);
const screen = {columns: 120, rows: 35};
const classes = mkdtempSync(path.join(tmpdir(), 'tprof-bench-'));

/** Compiles a program and starts it on the newest JDK that it runs on. */
async function start({main, releases: [oldest, newest], artifacts, jvmArgs = [], args = []}: Program): Promise<{
	readonly java: JavaProcess;
	readonly on: Jdk;
}> {
	const on = jdks().findLast(({release}) => release >= oldest && release <= newest);
	if (!on) {
		throw new Error(`${main} needs a JDK of ${oldest} to ${newest}`);
	}

	const classPath = [classes, ...(artifacts.length > 0 ? [`${jarsOf(artifacts)}/*`] : [])].join(':');
	execFileSync(path.join(on.home, 'bin/javac'), ['-nowarn', '-cp', classPath, '-d', classes, `bench/programs/${main}.java`], {
		stdio: ['ignore', 'ignore', 'inherit'],
	});
	const java = javaProcess(spawn(path.join(on.home, 'bin/java'), [...jvmArgs, '-cp', classPath, main, ...args], {stdio: 'pipe'}));
	await java.waitFor(/^ready$/m, 120_000);
	await sleep(warmUpS * 1000);
	return {java, on};
}

/** System calls that read, and bytes, of all threads of a process (syscr and rchar of proc(5)). */
function readsOf(pid: number): {readonly calls: number; readonly bytes: number} {
	const io = readFileSync(`/proc/${pid}/io`, 'latin1');
	const of = (name: string) => Number(new RegExp(`^${name}: (\\d+)$`, 'm').exec(io)?.[1]);
	return {calls: of('syscr'), bytes: of('rchar')};
}

type Figures = Readonly<
	Record<'own CPU %' | 'sampler %' | 'screen %' | 'samples/s' | 'reads/s' | 'KB/s' | 'RSS MB', number>
>;

async function measure(cli: string, pid: number, options: string): Promise<Figures> {
	const args = [cli, String(pid), ...options.split(' ').filter(Boolean)];
	const terminal = new TerminalSession(process.execPath, args, screen);
	try {
		await terminal.until('LIVE');
		await sleep(warmUpS * 1000);
		// Counting samples opens the help, whose drawing is no part of what is measured.
		const [samplesBefore, countedMs] = [await samplesOf(terminal), performance.now()];
		const cpuBefore = processCpuMs(terminal.pid);
		const threadsBefore = threadCpus(terminal.pid);
		const readsBefore = readsOf(terminal.pid);
		const startMs = performance.now();
		await sleep(seconds * 1000);
		const overMs = performance.now() - startMs;
		const cpuMs = processCpuMs(terminal.pid) - cpuBefore;
		const threads = [...threadCpus(terminal.pid)];
		const reads = readsOf(terminal.pid);
		const samples = await samplesOf(terminal) - samplesBefore;
		const samplesPerS = 1000 * samples / (performance.now() - countedMs);
		const percentOf = (id: number, cpuMs: number) => 100 * (cpuMs - (threadsBefore.get(id)?.cpuMs ?? 0)) / overMs;
		const sampler = threads.find(([, {name}]) => name === 'sampler');
		const main = threads.find(([id]) => id === terminal.pid);
		const figures = {
			'own CPU %': 100 * cpuMs / overMs,
			'sampler %': sampler ? percentOf(sampler[0], sampler[1].cpuMs) : Number.NaN,
			'screen %': main ? percentOf(main[0], main[1].cpuMs) : Number.NaN,
			'samples/s': samplesPerS,
			'reads/s': 1000 * (reads.calls - readsBefore.calls) / overMs,
			'KB/s': (reads.bytes - readsBefore.bytes) / 1.024 / overMs,
			'RSS MB': residentBytes(terminal.pid) / (1 << 20),
		};
		await quit(terminal);
		return figures;
	} finally {
		terminal.close();
	}
}

async function table({name, goal}: Program, {java, on}: {readonly java: JavaProcess; readonly on: Jdk}): Promise<void> {
	const builds = [...(before ? [{build: 'before', cli: before}] : []), {build: 'now', cli: buildProgram()}];
	const cases = ways.flatMap(options => builds.map(build => ({...build, options, runs: [] as Figures[]})));
	for (let run = 0; run < runs; run++) {
		for (const {cli, options, runs} of run % 2 === 0 ? cases : cases.toReversed()) {
			runs.push(await measure(cli, java.pid, options));
		}
	}

	console.log(`${name} on JDK ${on.release}, Node ${process.versions.node}, goal ${goal} %`);
	console.table(cases.map(({build, options, runs}) => ({
		options,
		build,
		...Object.fromEntries(Object.keys(runs[0]).map(figure =>
			[figure, Number(median(runs.map(run => run[figure as keyof Figures])).toPrecision(3))])),
	})));
}

/** Writes a CPU profile of the sampling thread: its worker starts the inspector's profiler in a copy of the build. */
async function profile({name}: Program, pid: number, into: string): Promise<void> {
	const copy = mkdtempSync(path.resolve('dist-profiled-'));
	const file = path.resolve(into, `${name}.cpuprofile`);
	try {
		cpSync(path.dirname(buildProgram()), copy, {recursive: true});
		const worker = path.join(copy, 'worker.js');
		const profiler = `import {Session as TprofSession} from 'node:inspector';
import {writeFileSync as tprofWrite} from 'node:fs';
setTimeout(() => {
	const session = new TprofSession();
	session.connect();
	session.post('Profiler.enable');
	session.post('Profiler.start');
	setTimeout(() => session.post('Profiler.stop', (_, {profile}) => {
		tprofWrite(${JSON.stringify(file)}, JSON.stringify(profile));
	}), ${seconds * 1000});
}, ${warmUpS * 1000});
`;
		writeFileSync(worker, profiler + readFileSync(worker, 'utf8'));
		const terminal = new TerminalSession(process.execPath, [path.join(copy, 'cli.js'), String(pid), '--max-cpu', '100'], screen);
		await sleep((warmUpS + seconds + 5) * 1000);
		await quit(terminal);
		console.log(file);
	} finally {
		rmSync(copy, {recursive: true, force: true});
	}
}

try {
	for (const program of programs.filter(({name}) => !only || only.split(',').includes(name))) {
		const running = await start(program);
		try {
			if (profiles) {
				mkdirSync(profiles, {recursive: true});
				await profile(program, running.java.pid, profiles);
			} else {
				await table(program, running);
			}
		} finally {
			await running.java.stop();
		}
	}
} finally {
	rmSync(classes, {recursive: true, force: true});
}
