import {safe} from '../util/printable.js';
import {identify} from '../jvm/discovery/inspect.js';
import {listJvms, type JvmListing} from '../jvm/discovery/list-jvms.js';
import type {Target} from '../jvm/target.js';
import {globMatcher} from '../util/glob.js';
import type {Options} from '../options/parse.js';
import {plural} from '../query/columns/format.js';
import {waitUntil} from './batch.js';

/** Maximum JVMs sampled at a time: each takes a thread and its share of --max-cpu. */
const usualMaxTargets = 32;
const scanEveryMs = 5000;
const pollMs = 200;

/** What samples JVMs, several at a time. */
export type JvmSampler = {
	readonly stop: AbortSignal;
	/** Why a JVM could not be sampled. */
	problem: string | undefined;
	/** That there are more JVMs than are sampled at a time. */
	omissionNote: string | undefined;
	/** Ends when the JVM does, or with `stop`. Rejects if the JVM cannot be sampled. */
	sample(target: Target): Promise<void>;
};

type Named = Pick<JvmListing, 'mainClass' | 'user'>;
type EachOptions = Partial<Pick<Options, 'durationS' | 'include' | 'exclude'>>;

/** Returns whether a JVM is one of --include, if that is given, and none of --exclude. */
export function jvmFilter({include, exclude = []}: EachOptions): (jvm: Named) => boolean {
	const matcherOf = (pattern: string) => {
		const [, ofUser, glob = ''] = /^(user:)?(.*)$/s.exec(pattern) ?? [];
		const matches = globMatcher(glob);
		return ({mainClass, user}: Named) => matches(ofUser === undefined ? mainClass : user);
	};

	const [included, excluded] = [include ?? ['*'], exclude].map(patterns =>
		patterns.map(pattern => matcherOf(pattern)));
	return jvm => included.some(matches => matches(jvm)) && !excluded.some(matches => matches(jvm));
}

/** Has all JVMs of this host sampled, also those that start later, until `stop` or the end of --duration. */
export async function eachJvm(options: EachOptions, sampler: JvmSampler, maxTargets = usualMaxTargets): Promise<void> {
	const {stop} = sampler;
	const running = new Map<number, Promise<void>>();
	const failedPids = new Set<number>();
	const endMs = performance.now() + ((options.durationS ?? Infinity) * 1000);
	const isWanted = jvmFilter(options);
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

		const isNew = ({pid, problem}: JvmListing) =>
			problem === undefined && !running.has(pid) && !failedPids.has(pid);
		const found = jvms.filter(jvm => isNew(jvm) && isWanted(jvm));
		const first = found.slice(0, maxTargets - running.size);
		for (const {pid} of first) {
			const identified = identify(pid);
			if (identified.ok) {
				running.set(pid, run(identified.target));
			}
		}

		const omittedCount = found.length - first.length;
		const note = `${maxTargets} JVMs are sampled at a time, ${
			plural(omittedCount, safe`JVM`)
		} not: --include and --exclude choose`;
		sampler.omissionNote = omittedCount === 0 ? undefined : note;

		await waitUntil(isToEnd, performance.now() + scanEveryMs, stop, pollMs);
	}

	await Promise.all(running.values());
}
