/*
What reading one warm thread dump costs: CPU time (all threads of this process, garbage collection included) and
allocation, on dumps grown from a real one to 200 x 50 and 1000 x 50. Targets: 440 KB below 2 ms, 2.2 MB below 12 ms,
allocation below 5 % of the dump's bytes.
*/
import {readFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {gunzipSync} from 'node:zlib';
import {DumpParser} from '../source/engines/attach/dump/parser.js';
import {Sample} from '../source/model/sample.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {IdleList} from '../source/jvm/threads/idle.js';
import {median} from './support/figures.js';

/** Different dumps in turn, so that headers and tops of stacks change as they do in life. */
const variants = 8;
const warmUpRounds = 60;
const batches = 25;
const dumpsInBatch = 16;

const cases = [
	{threads: 20, depth: 50},
	{threads: 200, depth: 50},
	{threads: 1000, depth: 50},
] as const;

/** Deeper stacks of the real dump are left out: the depth asked for is what is measured. */
const maxLines = 40;

type RealThread = {readonly header: string; readonly state: string; readonly lines: readonly string[]};

/** The threads of a real dump that have frames and one-line names. */
function realThreads(text: string): RealThread[] {
	return text.split('\n\n')
		.map(part => part.split('\n'))
		.filter(lines =>
			lines.length > 4 && lines.length < maxLines && /^"[^"]+" #\d+ [^"]*]$/.test(lines[0])
			&& /^ {3}java\.lang\.Thread\.State/.test(lines[1]) && lines.slice(2).every(line =>
				line.startsWith('\t')))
		.map(([header, state, ...lines]) => ({header, state, lines}));
}

/**
A dump with the given numbers of threads and frames: real threads over and over, made deeper with frames of the
others; `variant` changes times, tops of stacks and addresses.
*/
function grow(real: readonly RealThread[], threads: number, depth: number, variant: number): Buffer {
	const frames = [...new Set(real.flatMap(({lines}) => lines.filter(line => line.startsWith('\tat '))))];
	const tid = (index: number) => `0x${(0x7F_41_00_00_00_00 + (index * 0x1_00)).toString(16).padStart(16, '0')}`;
	const parts = [
		`2026-01-01 00:00:0${variant}\nFull thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):\n\nThreads class SMR info:\n_java_thread_list=0x00007f411c002000, length=${threads}, elements={\n${Array.from({length: threads}, (_, index) => tid(index)).join(',\n')}\n}\n\n`,
	];
	for (let index = 0; index < threads; index++) {
		const {header, state, lines} = real[index % real.length];
		const own = lines.filter((_, at) => at >= (index + variant) % 3);
		const missing = Math.max(0, depth - own.filter(line => line.startsWith('\tat ')).length);
		const start = (index * 7) % frames.length;
		const below = Array.from({length: missing}, (_, at) => frames[(start + at) % frames.length]);
		const title = header
			.replace(/^"[^"]*" #\d+/, `"worker-${index}" #${index + 1}`)
			.replace(/cpu=[\d.]+ms/, `cpu=${index + variant}.${variant}7ms`)
			.replace(/elapsed=[\d.]+s/, `elapsed=${100 + variant}.25s`)
			.replace(/ tid=0x[\da-f]+/, ` tid=${tid(index)}`);
		parts.push([title, state, ...own, ...below].join('\n'), '\n\n');
	}

	parts.push('JNI global refs: 20, weak refs: 0\n\n');
	return Buffer.from(parts.join(''), 'latin1');
}

function measure(real: readonly RealThread[], threads: number, depth: number): Record<string, string | number> {
	const dumps = Array.from({length: variants}, (_, variant) => grow(real, threads, depth, variant));
	const parser = new DumpParser(new SnapshotBuilder(), {depth: Infinity, idle: new IdleList()});
	const sample = new Sample();
	const parseAll = (count: number) => {
		for (let index = 0; index < count; index++) {
			const problem = parser.parse(dumps[index % variants], sample);
			if (problem) {
				throw new Error(problem);
			}
		}
	};

	const coldStart = performance.now();
	parseAll(1);
	const coldMs = performance.now() - coldStart;
	parseAll(warmUpRounds);
	// There with --expose-gc, as the benchmark runner starts this: then no collection falls into a batch.
	const collect = (globalThis as {gc?: () => void}).gc;
	const cpuMs: number[] = [];
	const allocated: number[] = [];
	for (let batch = 0; batch < batches; batch++) {
		collect?.();
		const heapBefore = process.memoryUsage().heapUsed;
		const before = process.cpuUsage();
		parseAll(dumpsInBatch);
		const {user, system} = process.cpuUsage(before);
		cpuMs.push((user + system) / 1000 / dumpsInBatch);
		allocated.push((process.memoryUsage().heapUsed - heapBefore) / dumpsInBatch);
	}

	const bytes = median(dumps.map(dump => dump.length));
	return {
		dump: `${threads} x ${depth}`,
		KB: Math.round(bytes / 1024),
		frames: sample.frameCount,
		'first ms': coldMs.toFixed(1),
		'CPU ms': median(cpuMs).toFixed(2),
		'allocated %': (100 * median(allocated) / bytes).toFixed(2),
	};
}

const file = path.resolve(process.env.TPROF_BENCH_DUMP ?? 'test/fixtures/dumps/17-threaddump.txt.gz');
const real = realThreads(gunzipSync(readFileSync(file)).toString('latin1'));
console.table(cases.map(({threads, depth}) => measure(real, threads, depth)));
