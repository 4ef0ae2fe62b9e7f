import {setTimeout as sleep} from 'node:timers/promises';
import type {Engine} from '../../source/engines/engine.js';
import {unattributedFrame} from '../../source/model/frame.js';
import {Sample, threadFlag} from '../../source/model/sample.js';
import {SnapshotBuilder} from '../../source/model/snapshot-builder.js';
import {CpuAccount} from '../../source/sampler/cpu-account.js';
import {type JavaProcess, type Jdk, startJava} from '../../test/helpers/jvm.js';
import {targetOf} from '../../test/helpers/target.js';
import {eachAttributed} from './attributed-time.js';
import {aloneShare, asyncShare, sharesNs} from './short-truth.js';

const intervalMs = 20;

/** Threads that are the program's: not the JVM's own, not the compilers. */
const notJava = threadFlag.vmInternal + threadFlag.compiler;

/** The arguments of test/programs/ShortWork.java by what is measured, and the first JDK that has it. */
export const shortKinds = {
	virtual: {args: ['virtual'], since: 21},
	// Four times the work for the same start, wake-ups and end of a thread: most of the CPU time is work.
	virtual500: {args: ['virtual', '500'], since: 21},
	threads: {args: ['threads'], since: 8},
	selector: {args: ['selector'], since: 8},
	sleep: {args: ['sleep'], since: 8},
} as const;

export type ShortKind = keyof typeof shortKinds;

/** A loop that was inlined counts for its caller, or not, as the compiler has it: that is no matter of timers. */
const notInlined = ['-XX:CompileCommand=quiet', '-XX:CompileCommand=dontinline,ShortWork.work'];

/** CPU time of Java threads by the method that it counts at: `work` where that is on the stack, else the innermost. */
class Places {
	readonly builder = new SnapshotBuilder();
	readonly ns = new Map<string, number>();
	usedNs = 0;
	/** At stacks that sleep. */
	sleepNs = 0;

	add(sample: Sample): void {
		const {strings, frameMethod} = this.builder.build().dictionary;
		for (let row = 0; row < sample.count; row++) {
			if ((sample.flags[row] & notJava) === 0) {
				this.usedNs += sample.cpuNs[row];
			}
		}

		eachAttributed(sample, (row, frames, ns) => {
			if ((sample.flags[row] & notJava) === 0) {
				const methods = [...frames].map(frame => strings[frameMethod[frame]]);
				this.sleepNs += methods.includes('sleep') ? ns : 0;
				this.#count(methods.includes('work') ? 'work' : methods[0] ?? '(no frames)', ns);
			}
		});
	}

	#count(place: string, ns: number): void {
		this.ns.set(place, (this.ns.get(place) ?? 0) + ns);
	}
}

const percent = (ns: number, of: number) => (100 * ns / of).toFixed(1);

/** What an engine shows of the program, and what the program says of itself in the same time. */
async function sampled(java: JavaProcess, engine: Engine & {readonly name?: string}, seconds: number): Promise<Record<string, string | number>> {
	const places = new Places();
	const account = new CpuAccount(unattributedFrame(places.builder));
	const session = await engine.open(await targetOf(java), {depth: Infinity}, places.builder);
	const sample = new Sample();
	await session.sample(sample);
	await sharesNs(java);
	let samples = 0;
	const startMs = performance.now();
	let lastMs = startMs;
	for (let dueMs = startMs + intervalMs; performance.now() < startMs + (seconds * 1000); dueMs = Math.max(performance.now(), dueMs + (intervalMs * (0.5 + Math.random())))) {
		await sleep(Math.max(0, dueMs - performance.now()));
		const outcome = await session.sample(sample);
		if (outcome.ok) {
			samples++;
			const nowMs = performance.now();
			account.add(sample, (nowMs - lastMs) * 1e6);
			lastMs = nowMs;
			places.add(sample);
		}
	}

	const {workNs: realNs, sleepNs} = await sharesNs(java);
	await session.close();
	const countedNs = [...places.ns.values()].reduce((sum, ns) => sum + ns, 0);
	const others = [...places.ns].filter(([place]) => place !== 'work').sort((a, b) => b[1] - a[1]).slice(0, 4);
	return {
		samples,
		'true %': percent(realNs, places.usedNs), 'work %': percent(places.ns.get('work') ?? 0, countedNs), 'of work, seen %': percent(places.ns.get('work') ?? 0, realNs),
		...(sleepNs === undefined ? {} : {'sleep (true) %': `${percent(places.sleepNs, countedNs)} (${percent(sleepNs, places.usedNs)})`}),
		others: others.map(([place, ns]) => `${place} ${percent(ns, countedNs)}`).join(', '),
	};
}

/**
Runs test/programs/ShortWork.java: the share of its Java threads' CPU time (all that the kernel counts) that is spent in
`work`, as it says itself while no profiler looks, as async-profiler shows it, and as each engine does, for so long
each, with the largest of the other places.
*/
export async function measureShortWork(jdk: Jdk, engines: ReadonlyArray<Engine & {readonly name?: string}>, kind: ShortKind, seconds: number): Promise<Array<Record<string, string | number>>> {
	const java = await startJava('ShortWork', {jdk, jvmArgs: notInlined, args: [...shortKinds[kind].args]});
	try {
		const row = (engine: string, figures: Record<string, string | number>) => ({
			JDK: jdk.release, kind, engine, ...figures,
		});
		const alone = await aloneShare(java, seconds / 2);
		const rows = [row('(nobody looks)', {'true %': alone.toFixed(1)})];
		for (const engine of engines) {
			rows.push(row(engine.name ?? engine.id, await sampled(java, engine, seconds)));
		}

		// Last, as it leaves an agent behind.
		const shown = await asyncShare(java, jdk, seconds);
		return shown === undefined ? rows : [...rows, row('async-profiler', {'work %': shown.toFixed(1)})];
	} finally {
		await java.stop();
	}
}
