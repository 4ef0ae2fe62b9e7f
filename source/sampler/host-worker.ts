/*
Entry point of the worker that samples all JVMs of a host in turn, rarely and only by reading, for the table of JVMs.
Bugs are not caught: they reach the main thread as the worker's error event.
*/
import {parentPort, workerData} from 'node:worker_threads';
import {setTimeout as sleep} from 'node:timers/promises';
import {engines} from '../engines/engine-registry.js';
import {SessionOver} from '../engines/common/engine.js';
import {ownCpu} from './cpu-budget.js';
import type {HostCommand, HostOptions, HostReport, HostTarget} from './host-sampler.js';
import {ReadOnlySession} from './read-only-session.js';

/** The time from one sample of a JVM to the next, if the budget allows; longer while it uses almost no CPU time. */
const {isShort} = workerData as HostOptions;
const intervalMs = isShort ? 400 : 2000;
const restIntervalMs = isShort ? 400 : 5000;

/** The CPU time for samples, share of a core; more at first, when the JVMs are opened and V8 compiles our code. */
const shares = isShort
	? [{untilMs: Infinity, share: 1}]
	: [{untilMs: 8000, share: 0.5}, {untilMs: 30_000, share: 0.08}, {untilMs: Infinity, share: 0.015}];

/** How long the loop waits for what to do. */
const idleMs = 200;

type Jvm = HostTarget & {session?: ReadOnlySession; dueMs: number};

const port = parentPort!;
const engine = engines.find(({canOnlyRead}) => canOnlyRead);
const jvms = new Map<number, Jvm>();
/** By pid: the start of JVMs that cannot be sampled. */
const refused = new Map<number, number>();
const startedMs = performance.now();
const state = {isPaused: false, isStopped: false};

function report(message: HostReport): void {
	port.postMessage(message);
}

/** Follows these JVMs and no others. */
async function follow(targets: readonly HostTarget[]): Promise<void> {
	const wanted = new Map(targets.map(each => [each.target.pid, each]));
	for (const [pid, {target, session}] of jvms) {
		if (wanted.get(pid)?.target.startTicks !== target.startTicks) {
			jvms.delete(pid);
			await session?.close();
		}
	}

	for (const [pid, each] of wanted) {
		const known = jvms.get(pid);
		if (known) {
			jvms.set(pid, {...known, ...each});
		} else if (refused.get(pid) !== each.target.startTicks) {
			jvms.set(pid, {...each, dueMs: performance.now()});
		}
	}
}

/** Opens the JVM if that has not been done, and takes a sample; forgets a JVM of which none can be taken. */
async function sample(jvm: Jvm): Promise<void> {
	const {target, isAtRest} = jvm;
	const everyMs = isAtRest ? restIntervalMs : intervalMs;
	let {session} = jvm;
	try {
		if (!session) {
			session = new ReadOnlySession(target);
			await session.open(engine!, target);
			report({kind: 'opened', pid: target.pid, startTicks: target.startTicks, table: session.table});
		}

		await session.take(everyMs);
	} catch (error) {
		if (!(error instanceof SessionOver)) {
			throw error;
		}

		await session?.close();
		jvms.delete(target.pid);
		refused.set(target.pid, target.startTicks);
		report({kind: 'refused', pid: target.pid, startTicks: target.startTicks});
		return;
	}

	const current = jvms.get(target.pid);
	if (current?.target.startTicks === target.startTicks) {
		jvms.set(target.pid, {...current, session, dueMs: performance.now() + everyMs});
	} else {
		await session.close();
	}
}

async function run(): Promise<void> {
	while (!state.isStopped) {
		const nowMs = performance.now();
		const [next] = [...jvms.values()].toSorted((a, b) => a.dueMs - b.dueMs);
		if (state.isPaused || !next || next.dueMs > nowMs) {
			await sleep(next && !state.isPaused ? Math.min(idleMs, next.dueMs - nowMs) : idleMs);
			continue;
		}

		const cpuBeforeMs = ownCpu().samplerMs;
		await sample(next);
		const usedMs = ownCpu().samplerMs - cpuBeforeMs;
		const {share} = shares.find(({untilMs}) => nowMs - startedMs < untilMs)!;
		await sleep(usedMs / share);
	}

	for (const {session} of jvms.values()) {
		await session?.close();
	}

	port.close();
}

port.on('message', async (command: HostCommand) => {
	switch (command.kind) {
		case 'follow': {
			await follow(command.targets);
			break;
		}

		case 'pause': {
			state.isPaused = command.isPaused;
			break;
		}

		case 'stop': {
			state.isStopped = true;
			break;
		}
	}
});

await run();
