/*
What the memory engine costs, us and the target, beside the attach engine and a jstack process. First the samples: 20,
200 and 1000 threads with stacks of 50 frames, two of them busy; medians of wall time, and CPU time of ours (for jstack:
of its process) per sample. Then the whole sampler at 50 Hz: own CPU, share of its time that a busy thread is stopped,
pauses, and the target's work against that of windows in between without samples: per CPU second that it got, and by the
clock. To reach, on two cores without other load: 200 threads below 4 ms of CPU a sample, own CPU at 20 threads below
8 % of a core, stopped share below 1 %. The first number of the command line is pairs of windows (default 15).
*/
import {spawnSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {pathToFileURL} from 'node:url';
import {attachEngine} from '../source/engines/attach/attach-engine.js';
import {type Engine} from '../source/engines/common/engine.js';
import {memoryEngine} from '../source/engines/memory/memory-engine.js';
import {Sample} from '../source/model/sample.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {startSampler} from '../source/sampler/handle.js';
import {type JavaProcess, type Jdk, jdks, targetOf} from '../test/helpers/jvm.js';
import {startBusy, workOf} from './support/busy-target.js';
import {median, printFigures, type Figure} from './support/figures.js';
import {childrenCpuMs} from './support/process-cpu.js';

const depth = 50;
const sizes = [20, 200, 1000];
const busy = 2;
const intervalMs = 20;
/** Until code is compiled and stacks are known. */
const warmSamples = 100;
const measuredSamples = 200;
const jstackRuns = 5;
const pairs = Number(process.argv[2] ?? 15);
const windowMs = 1000;

type Cost = {readonly wallMs: number; readonly cpuMs: number};

async function engineCost(java: JavaProcess, engine: Engine): Promise<Cost & {pauses: string}> {
	const session = await engine.open(await targetOf(java), {depth: Infinity}, new SnapshotBuilder());
	const sample = new Sample();
	const walls: number[] = [];
	const pausesUs: number[] = [];
	const cpuMs: number[] = [];
	for (let count = 0; count < warmSamples + measuredSamples; count++) {
		const before = process.cpuUsage();
		const startMs = performance.now();
		const outcome = await session.sample(sample);
		const tookMs = performance.now() - startMs;
		const used = process.cpuUsage(before);
		if (outcome.ok && count >= warmSamples) {
			walls.push(tookMs);
			cpuMs.push((used.user + used.system) / 1000);
			pausesUs.push(outcome.pauseUs);
		}

		await sleep(5);
	}

	await session.close();
	pausesUs.sort((a, b) => a - b);
	const rank = (part: number) => pausesUs[Math.floor(part * (pausesUs.length - 1))].toFixed(0);
	return {wallMs: median(walls), cpuMs: median(cpuMs), pauses: `${rank(0.5)}, ${rank(0.99)}`};
}

function jstackCost(java: JavaProcess, jdk: Jdk): Cost {
	const walls: number[] = [];
	const before = childrenCpuMs();
	for (let run = 0; run < jstackRuns; run++) {
		const startMs = performance.now();
		spawnSync(path.join(jdk.home, 'bin/jstack'), [String(java.pid)], {maxBuffer: 1 << 26});
		walls.push(performance.now() - startMs);
	}

	return {wallMs: median(walls), cpuMs: (childrenCpuMs() - before) / jstackRuns};
}

async function samplesOf(jdk: Jdk, threads: number): Promise<{row: Record<string, string | number>; cpuMs: number}> {
	const java = await startBusy(jdk, threads, depth, busy);
	try {
		const memory = await engineCost(java, memoryEngine);
		const attach = await engineCost(java, attachEngine);
		const jstack = jstackCost(java, jdk);
		const shown = ({wallMs, cpuMs}: Cost) => `${wallMs.toFixed(2)}, ${cpuMs.toFixed(2)}`;
		return {
			row: {
				JDK: jdk.release,
				threads,
				'memory ms, CPU ms': shown(memory),
				'attach ms, CPU ms': shown(attach),
				'jstack ms, CPU ms': shown(jstack),
				'memory pause us p50, p99': memory.pauses,
				'attach pause us p50, p99': attach.pauses,
			},
			cpuMs: memory.cpuMs,
		};
	} finally {
		await java.stop();
	}
}

/** The whole sampler at 50 Hz on 20 threads: windows with and without samples in turn. */
async function throughput(jdk: Jdk, threads: number): Promise<Figure[]> {
	const java = await startBusy(jdk, threads, depth, busy);
	const sampler = startSampler({
		target: await targetOf(java),
		engine: 'memory',
		depth: Infinity,
		maxOverheadPercent: 100,
		intervalMs,
		workerUrl: pathToFileURL(path.resolve('dist/worker.js')),
	});
	try {
		await sleep(3000);
		const perCpu: number[] = [];
		const perWall: number[] = [];
		const window = async (paused: boolean) => {
			sampler.setPaused(paused);
			await sleep(50);
			const start = await workOf(java);
			await sleep(windowMs);
			const end = await workOf(java);
			const units = end.units - start.units;
			return {perCpu: units / (end.cpuMs - start.cpuMs), perWall: units / (end.atMs - start.atMs)};
		};

		const first = sampler.read()!.session;
		const cpuBefore = process.cpuUsage();
		for (let pair = 0; pair < pairs; pair++) {
			const [one, other] = [await window(pair % 2 === 0), await window(pair % 2 === 1)];
			const [off, on] = pair % 2 === 0 ? [one, other] : [other, one];
			perCpu.push(on.perCpu / off.perCpu);
			perWall.push(on.perWall / off.perWall);
		}

		const used = process.cpuUsage(cpuBefore);
		const {session} = sampler.read()!;
		const sampledMs = session.durationMs - first.durationMs;
		const of = `JDK ${jdk.release}, ${threads} threads, ${busy} of them busy, ${(1000 * (session.samples - first.samples) / sampledMs).toFixed(0)} samples/s`;
		return [
			{
				what: 'own CPU',
				value: (used.user + used.system) / 10 / sampledMs,
				unit: '%',
				below: threads === 20 ? 8 : undefined,
				of,
			},
			{
				what: 'share of time a busy thread is stopped',
				value: 100 * (session.targetStoppedMs - first.targetStoppedMs) / sampledMs,
				unit: '%',
				below: 1,
				of,
			},
			{what: 'pause p50', value: session.pauseP50Us, unit: 'us', of},
			{what: 'pause p99', value: session.pauseP99Us, unit: 'us', of},
			{what: 'work per CPU second, with / without', value: median(perCpu), unit: '', of: `${of}, ${pairs} pairs`},
			{what: 'work by the clock, with / without', value: median(perWall), unit: '', of: `${of}, ${pairs} pairs`},
		];
	} finally {
		await sampler.close();
		await java.stop();
	}
}

const costs = [];
const figures: Figure[] = [];
for (const jdk of jdks()) {
	for (const threads of sizes) {
		const {row, cpuMs} = await samplesOf(jdk, threads);
		costs.push(row);
		if (threads === 200) {
			figures.push({
				what: 'CPU of ours a sample',
				value: cpuMs,
				unit: 'ms',
				below: 4,
				of: `JDK ${jdk.release}, ${threads} threads, ${busy} of them busy`,
			});
		}
	}

	figures.push(...await throughput(jdk, sizes[0]));
}

console.table(costs);
printFigures(figures);
