/*
Whether the CPU time that lines get is where it was spent: a program that times its own methods (KnownShares), sampled
for 30 s at 10 Hz. The distance (L1) between the methods' true shares and the measured ones should be 5 points at most;
1200 thread samples alone make it 4.6 by chance (the sum of sqrt(2p(1-p)/(pi n))), unequal CPU time between samples
somewhat more. Beside it: our estimate of the pauses against what the JVM logs itself (-Xlog:safepoint, JDK 11 and
later).

Then work in pieces too short to be met as it is done (ShortWork), with both engines at 50 Hz: a virtual thread each 2
ms that works 150 us, one that works 500 us, platform threads that work 500 us, a thread that works 1 ms and wakes a
selector, and two that work 500 us and sleep for 1 ms ("sleep": what is shown there, and in brackets what the threads'
own CPU clocks say). "work" should be what is true, "of
work, seen" is how much of the true time in "work" is shown there. Beside it what is true while no profiler looks, and
what async-profiler shows, where it is to be had. TPROF_BENCH_SECONDS shortens each measurement, TPROF_BENCH_ONLY and
TPROF_BENCH_JDKS take some (virtual,perf; events: those on threads).
*/
import {execFileSync, spawn} from 'node:child_process';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import path from 'node:path';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {attachEngine} from '../source/engines/attach/engine.js';
import {Sample} from '../source/model/sample.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {identify} from '../source/jvm/identity/inspect.js';
import {type Jdk, javaProcess} from '../test/helpers/jvm.js';
import {wanted, wantedJdks} from './support/only.js';
import {memoryWith} from './support/attributed-time.js';
import {measureShortWork, type ShortKind, shortKinds} from './support/short-work.js';

const intervalMs = 100;
const seconds = Number(process.env.TPROF_BENCH_SECONDS ?? 30);
const kinds = Object.keys(shortKinds) as ShortKind[];
const methods = ['forty', 'twentyFive', 'fifteen', 'ten', 'seven', 'three'];

/**
CPU by method: the one of the six that is on the stack gets what its thread used. A phase reads its thread's clock
within its method: a thread dump shows threads where they can stop (safepoints, calls into native code), which is there
more often than in the loop.
*/
function creditTo(spent: Map<string, number>, sample: Sample, methodOf: (frame: number) => string): void {
	for (let row = 0; row < sample.count; row++) {
		const start = sample.stackStart[row];
		const frames = [...sample.frames.subarray(start, start + sample.stackLength[row])].map(frame => methodOf(frame));
		const method = frames.find(name => methods.includes(name)) ?? (frames.includes('work') ? 'other' : undefined);
		if (method) {
			spent.set(method, (spent.get(method) ?? 0) + sample.cpuNs[row]);
		}
	}
}

async function measure(jdk: Jdk): Promise<Record<string, string | number>> {
	const logged = jdk.release >= 11;
	const classes = mkdtempSync(path.join(tmpdir(), 'tprof-bench-'));
	execFileSync(path.join(jdk.home, 'bin/javac'), ['-nowarn', '-g', '-d', classes, path.resolve('test/programs/KnownShares.java')], {stdio: ['ignore', 'ignore', 'pipe']});
	const java = javaProcess(spawn(path.join(jdk.home, 'bin/java'), [...(logged ? ['-Xlog:safepoint:stderr'] : []), '-cp', classes, 'KnownShares'], {stdio: 'pipe'}));
	try {
		await java.waitFor(/^ready$/m);
		let found = identify(java.pid);
		for (let tries = 0; !found.ok && tries < 100; tries++) {
			await sleep(100);
			found = identify(java.pid);
		}

		if (!found.ok) {
			throw new Error(found.reason);
		}

		const builder = new SnapshotBuilder();
		const session = await attachEngine.open(found.target, {depth: Infinity}, builder);
		const sample = new Sample();
		const truth = async () => {
			const before = java.output().length;
			java.child.stdin?.write('\n');
			while (!/^done$/m.test(java.output().slice(before))) {
				await sleep(5);
			}

			return new Map([...java.output().slice(before).matchAll(/^share (\w+) (\d+)$/gm)].map(match => [match[1], Number(match[2])]));
		};

		await session.sample(sample);
		await truth();
		const logStart = java.output().length;
		const spent = new Map<string, number>();
		let samples = 0;
		let stoppedMs = 0;
		const startMs = performance.now();
		for (let tick = 1; tick <= seconds * 1000 / intervalMs; tick++) {
			await sleep(Math.max(0, startMs + (tick * intervalMs) + ((Math.random() - 0.5) * intervalMs / 2) - performance.now()));
			const outcome = await session.sample(sample);
			stoppedMs += outcome.stoppedMs;
			if (outcome.ok) {
				samples++;
				const {dictionary} = builder.build();
				creditTo(spent, sample, frame => dictionary.strings[dictionary.frameMethod[frame]]);
			}
		}

		const log = java.output().slice(logStart);
		const safepoints = [...log.matchAll(/Safepoint "(\w+)".*?Total:\s*(\d+) ns/g)].filter(match => /Print|Deadlock/.test(match[1]));
		const loggedMs = safepoints.reduce((sum, match) => sum + Number(match[2]), 0) / 1_000_000;
		const real = await truth();
		await session.close();
		const realTotal = [...real.values()].reduce((sum, value) => sum + value, 0);
		const measuredTotal = methods.reduce((sum, method) => sum + (spent.get(method) ?? 0), 0);
		const share = (of: Map<string, number>, method: string, total: number) => 100 * (of.get(method) ?? 0) / total;
		const distance = methods.reduce((sum, method) => sum + Math.abs(share(real, method, realTotal) - share(spent, method, measuredTotal)), 0);
		return {
			JDK: jdk.release,
			samples,
			'L1 points': distance.toFixed(2),
			'true %': methods.map(method => share(real, method, realTotal).toFixed(1)).join(' '),
			'measured %': methods.map(method => share(spent, method, measuredTotal).toFixed(1)).join(' '),
			'between phases %': (100 * (spent.get('other') ?? 0) / (measuredTotal + (spent.get('other') ?? 0))).toFixed(1),
			'pauses: ours / logged': safepoints.length > 0 ? `${stoppedMs.toFixed(0)} / ${loggedMs.toFixed(0)} ms = ${(stoppedMs / loggedMs).toFixed(2)}` : '-',
		};
	} finally {
		await java.stop();
		rmSync(classes, {recursive: true});
	}
}

export async function main(): Promise<void> {
	const rows = [];
	for (const jdk of wanted(['shares', ...kinds]).includes('shares') ? wantedJdks() : []) {
		rows.push(await measure(jdk));
	}

	if (rows.length > 0) {
		console.table(rows);
	}

	const shortRows: Array<Record<string, string | number>> = [];
	const engines = {
		perf: memoryWith('perf'), events: memoryWith('perf', true), stop: memoryWith('stop'), attach: attachEngine,
	};
	for (const jdk of wantedJdks()) {
		for (const kind of wanted(kinds).filter(kind => shortKinds[kind].since <= jdk.release)) {
			const some = wanted(['perf', 'events', 'stop', 'attach'] as const).filter(engine => engine !== 'attach' || !kind.startsWith('virtual') || jdk.release >= 24);
			const found = await measureShortWork(jdk, some.map(engine => engines[engine]), kind, seconds);
			shortRows.push(...found);
			process.stdout.write(found.map(row => `${JSON.stringify(row)}\n`).join(''));
		}
	}

	console.table(shortRows);
}

await main();
