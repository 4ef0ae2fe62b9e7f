import {identify} from '../jvm/discovery/inspect.js';
import {listJvms} from '../jvm/discovery/list.js';
import type {Target} from '../jvm/target.js';
import type {Options} from '../options/parse.js';
import {waitUntil} from './batch.js';

/** Maximum JVMs sampled at a time: each takes a thread and its share of --max-cpu. */
const maxTargets = 32;
const scanEveryMs = 5000;
const pollMs = 200;

/** What samples JVMs, several at a time. */
export type JvmSampler = {
	readonly stop: AbortSignal;
	/** Why a JVM could not be sampled. */
	problem: string | undefined;
	/** Ends when the JVM does, or with `stop`. Rejects if the JVM cannot be sampled. */
	sample(target: Target): Promise<void>;
};

/** Has all JVMs of this host sampled, also those that start later, until `stop` or the end of --duration. */
export async function eachJvm(options: Options, sampler: JvmSampler): Promise<void> {
	const {stop} = sampler;
	const running = new Map<number, Promise<void>>();
	const failedPids = new Set<number>();
	const endMs = performance.now() + ((options.durationS ?? Infinity) * 1000);
	const run = async (target: Target) => {
		const {pid} = target;
		try {
			await sampler.sample(target);
		} catch (error) {
			sampler.problem = `${pid}: ${(error as Error).message}`;
			failedPids.add(pid);
		} finally {
			running.delete(pid);
		}
	};

	const isToEnd = () => stop.aborted || performance.now() >= endMs;
	while (!isToEnd()) {
		const jvms = listJvms();
		for (const pid of failedPids) {
			if (!jvms.some(jvm => jvm.pid === pid)) {
				failedPids.delete(pid);
			}
		}

		for (const {pid, problem: obstacle} of jvms) {
			const found = obstacle !== undefined || running.has(pid) || failedPids.has(pid) || running.size >= maxTargets ? undefined : identify(pid);
			if (found?.ok) {
				running.set(pid, run(found.target));
			}
		}

		await waitUntil(isToEnd, performance.now() + scanEveryMs, stop, pollMs);
	}

	await Promise.all(running.values());
}
