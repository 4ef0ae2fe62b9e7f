/*
CPU time by thread against what the kernel counted (schedstat): with each timer, 20 and 2,000 threads that work in short
bursts, while a thousand threads a second come and go beside them (test/programs/BusyAmongShortLived.java). 30 s at 50
Hz; the first number on the command line is seconds. The program rests for the first and the last sample: the kernel is
asked before and after each of these, so that each reading of ours lies between two that are the same but for what the
JVM's own threads do. "Open" is what that leaves open, in percent of what was used (to read 2,000 threads takes a while),
"off" the sum over the threads that were there all the time of what lies outside of it, "worst" that of a thread, of
those that used 50 ms or more. Goal: open and off below 1 % together. TPROF_BENCH_ONLY takes some of the numbers and
timers (2000,perf), TPROF_BENCH_JDKS some of the JDKs.
*/
import {readFileSync, readdirSync} from 'node:fs';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {Sample} from '../source/model/sample.js';
import {SnapshotBuilder} from '../source/model/snapshot-builder.js';
import {type JavaProcess, jdk, startJava} from '../test/helpers/jvm.js';
import {targetOf} from '../test/helpers/target.js';
import {wanted, wantedJdks} from './support/only.js';
import {memoryWith} from './support/attributed-time.js';

const intervalMs = 20;
const seconds = Number(process.argv[2] ?? 30);
const startsPerS = 1000;
const worthNs = 50e6;

function kernelsCount(pid: number): Map<number, number> {
	const found = new Map<number, number>();
	for (const name of readdirSync(`/proc/${pid}/task`)) {
		try {
			found.set(Number(name), Number(readFileSync(`/proc/${pid}/task/${name}/schedstat`, 'latin1').split(' ', 1)[0]));
		} catch {
			// It has just ended.
		}
	}

	return found;
}

/** What the kernel counted just before and just after. */
async function bracketed({pid}: JavaProcess, look: () => Promise<unknown>) {
	const before = kernelsCount(pid);
	await look();
	return {before, after: kernelsCount(pid)};
}

/** Has the program rest, or go on. */
async function tell(java: JavaProcess, word: 'resting' | 'working'): Promise<void> {
	const before = java.output().length;
	java.child.stdin?.write('\n');
	while (!java.output().slice(before).includes(word)) {
		await sleep(5);
	}
}

async function measure(java: JavaProcess, timer: 'perf' | 'stop') {
	const session = await memoryWith(timer).open(await targetOf(java), {depth: 50}, new SnapshotBuilder());
	const sample = new Sample();
	// The JVM's own threads are listed with the second look.
	for (let count = 0; count < 3; count++) {
		await session.sample(sample, true);
		await sleep(600);
	}

	await tell(java, 'resting');
	const before = await bracketed(java, async () => session.sample(sample, true));
	await tell(java, 'working');
	const sums = new Map<number, number>();
	let samples = 0;
	const startMs = performance.now();
	const add = () => {
		samples++;
		for (let row = 0; row < sample.count; row++) {
			const id = sample.nativeId[row];
			sums.set(id, (sums.get(id) ?? 0) + sample.cpuNs[row]);
		}
	};

	for (let dueMs = startMs; performance.now() < startMs + (seconds * 1000); dueMs = Math.max(performance.now(), dueMs + (intervalMs * (0.5 + Math.random())))) {
		await sleep(Math.max(0, dueMs - performance.now()));
		const {ok} = await session.sample(sample);
		if (ok) {
			add();
		}
	}

	const took = performance.now() - startMs;
	await tell(java, 'resting');
	const after = await bracketed(java, async () => session.sample(sample, true));
	add();
	await tell(java, 'working');
	await session.close();
	let [used, open, off, worst, threads] = [0, 0, 0, 0, 0];
	for (const [id, counted] of sums) {
		const [least, most] = [after.before.get(id)! - before.after.get(id)!, after.after.get(id)! - before.before.get(id)!];
		if (least >= 0) {
			const outside = Math.max(0, least - counted, counted - most);
			used += least;
			open += most - least;
			off += outside;
			threads++;
			worst = least >= worthNs ? Math.max(worst, 100 * outside / least) : worst;
		}
	}

	return {
		threads, 'samples/s': Number((1000 * samples / took).toFixed(1)), 'CPU used, s': Number((used / 1e9).toFixed(2)), 'open %': Number((100 * open / used).toFixed(2)), 'off %': Number((100 * off / used).toFixed(3)), 'worst %': Number(worst.toFixed(3)), reached: off + open < used / 100 ? 'yes' : 'NO',
	};
}

console.log(`Node ${process.versions.node}, ${seconds} s each, ${startsPerS} threads a second come and go`);
const rows: Array<Record<string, string | number>> = [];
const releases = process.env.TPROF_BENCH_JDKS ? wantedJdks() : [jdk()];
for (const on of releases) {
	for (const threads of wanted(['20', '2000'])) {
		const java = await startJava('BusyAmongShortLived', {jdk: on, jvmArgs: ['-XX:+UseSerialGC', '-Xmx256m'], args: [threads, String(startsPerS)]});
		try {
			for (const timer of wanted(['perf', 'stop'] as const)) {
				rows.push({JDK: on.release, busy: threads, timer, ...await measure(java, timer)});
			}
		} finally {
			await java.stop();
		}
	}
}

console.table(rows);
