/*
What following tasks costs the target, on every JDK found, or those of the releases named: CPU time of the whole process
a task before, while and after, medians of rounds, of tasks in a pool of four threads and of tasks that one thread
submits and another one runs later; and the heap that 100,000 tasks in a queue take, followed and not (jcmd
GC.class_histogram).
*/
import {execFileSync} from 'node:child_process';
import path from 'node:path';
import process from 'node:process';
import {type JavaProcess, type Jdk, jdks, startJava, targetOf} from '../test/helpers/jvm.js';
import {until} from '../test/helpers/until.js';
import {readProbe} from '../source/probes/probe-file.js';
import {TaskSession} from '../source/tracing/task-session.js';
import {median} from './support/figures.js';
import {threadCpus} from './support/process-cpu.js';

const waitMs = 300_000;
const warmUps = 5;
const rounds = 11;
const tasks = 100_000;
/** In the pool and in the queue: it is entered, begun and ended. */
const steps = 3;
const limits = {most: 400_000, reportIntervalMs: 1000};
const releases = process.argv.slice(2).map(Number);

async function say(java: JavaProcess, line: string): Promise<void> {
	const from = java.output().length;
	java.child.stdin!.write(`${line}\n`);
	await until(() => java.output().slice(from).includes(`done ${line}\n`), waitMs);
}

/** Nanoseconds of CPU time a task, of all threads. */
async function costNs(java: JavaProcess, lines: readonly string[]): Promise<number> {
	const cpuMs = () => [...threadCpus(java.pid).values()].reduce((sum, thread) => sum + thread.cpuMs, 0);
	const before = cpuMs();
	for (const line of lines) {
		await say(java, line);
	}

	return (cpuMs() - before) * 1e6 / tasks;
}

async function costs(java: JavaProcess): Promise<{readonly pool: number; readonly queue: number}> {
	const taken = [];
	for (let round = 0; round < warmUps + rounds; round++) {
		taken.push({
			pool: await costNs(java, [`pool ${tasks} 1000`]),
			queue: await costNs(java, [`hold ${tasks}`, 'release']),
		});
	}

	const counted = taken.slice(warmUps);
	return {pool: median(counted.map(({pool}) => pool)), queue: median(counted.map(({queue}) => queue))};
}

/** Bytes in use after a collection: all, and those of the agent's FollowedTask objects. */
function heapOf(java: JavaProcess, {home}: Jdk): {readonly all: number; readonly objects: number} {
	const text = execFileSync(path.join(home, 'bin/jcmd'), [String(java.pid), 'GC.class_histogram'], {
		encoding: 'utf8',
		maxBuffer: 64 * 1024 * 1024,
	});
	return {
		all: Number(/^Total +\d+ +(\d+)/m.exec(text)![1]),
		objects: Number(/^ *\d+: +\d+ +(\d+) +tprof\.agent\.FollowedTask\b/m.exec(text)?.[1] ?? 0),
	};
}

async function heapOfQueued(java: JavaProcess, jdk: Jdk): Promise<ReturnType<typeof heapOf>> {
	const empty = heapOf(java, jdk);
	await say(java, `hold ${tasks}`);
	const full = heapOf(java, jdk);
	await say(java, 'release');
	return {all: (full.all - empty.all) / tasks, objects: (full.objects - empty.objects) / tasks};
}

for (const jdk of jdks().filter(({release}) => releases.length === 0 || releases.includes(release))) {
	const java = await startJava('KnownTasks', {jdk, jvmArgs: ['-Xmx2g']});
	try {
		const before = await costs(java);
		const plain = heapOf(java, jdk);
		const queuedPlain = await heapOfQueued(java, jdk);
		const session = await TaskSession.begin(
			await targetOf(java),
			readProbe(path.resolve('probes/executors.jsonc')),
			limits,
			path.resolve('agent/agent.jar'),
		);
		const during = await costs(java);
		const idle = heapOf(java, jdk);
		const queued = await heapOfQueued(java, jdk);
		const report = (await session.close())!;
		const after = await costs(java);
		const costOf = (what: 'pool' | 'queue') =>
			`${before[what].toFixed(0)} ns a task, ${during[what].toFixed(0)} followed, ${after[what].toFixed(0)} after: ${((during[what] - before[what]) / steps).toFixed(0)} a step`;
		console.log(`JDK ${jdk.release}: in a pool of four threads ${costOf('pool')}; queued and then run by one thread ${costOf('queue')}; not followed ${report.skipped}`);
		console.log(`JDK ${jdk.release}: ${queuedPlain.all.toFixed(1)} bytes a task in the queue, ${queued.all.toFixed(1)} followed, of which ${queued.objects.toFixed(1)} are its FollowedTask; ${((idle.all - plain.all) / 1024).toFixed(0)} KB before there are tasks`);
	} finally {
		await java.stop();
	}
}
