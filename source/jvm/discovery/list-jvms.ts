import {readdirSync} from 'node:fs';
import type {Printable} from '../../util/printable.js';
import type {TargetInfo} from '../../model/snapshot.js';
import {platformProblem} from '../obstacles.js';
import {readStat, processAgeMs, type ProcessStat} from '../system/proc.js';
import type {Target} from '../target.js';
import {inspect} from './inspect.js';

/** A JVM of this host for lists. All strings are printable. */
export type JvmListing = TargetInfo & {
	readonly target: Target;
	/** Why it cannot be profiled, and what to do; absent if it can. */
	readonly problem?: Printable;
	readonly hint?: Printable;
	/** `problem` and `hint` in a few words. */
	readonly brief?: Printable;
	/** Clock ticks: its start, after boot, and the CPU time that it had used at `atMs` (performance.now()). */
	readonly startTicks: number;
	readonly cpuTicks: number;
	readonly atMs: number;
	/** Why thread dumps are not available, if an engine without them may still work. */
	readonly attachProblem?: Printable;
};

/** Up to this age a process may still become a JVM (fork, exec, load), and is inspected every time. */
const mayBecomeJvmMs = 5000;
/** After this time a process that was not a JVM is inspected again: some programs load one late. */
const inspectAgainMs = 30_000;

/** By pid: when processes that were not JVMs were inspected (performance.now()). */
const nonJvms = new Map<number, number>();

/** Returns what is known of a JVM that need not be inspected again; undefined for any other process. */
type KnownJvm = (pid: number, stat: ProcessStat) => JvmListing | undefined;

/**
Returns all JVMs on this host that this user may see, lowest pid first. It reads /proc and sends nothing to them. It
remembers processes that are not JVMs; `known` saves inspecting the JVMs.
*/
export function listJvms(known: KnownJvm = () => undefined): JvmListing[] {
	if (platformProblem()) {
		return [];
	}

	const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number).sort((a, b) => a - b);
	const present = new Set(pids);
	for (const pid of nonJvms.keys()) {
		if (!present.has(pid)) {
			nonJvms.delete(pid);
		}
	}

	return pids.flatMap(pid => listing(pid, known) ?? []);
}

function listing(pid: number, known: KnownJvm): JvmListing | undefined {
	const atMs = performance.now();
	// Its pid is not another's yet: it would have been missing in between.
	if (atMs - (nonJvms.get(pid) ?? -Infinity) < inspectAgainMs) {
		return undefined;
	}

	const stat = readStat(pid);
	if (!stat) {
		return undefined;
	}

	const figures = {
		startTicks: stat.startTicks,
		cpuTicks: stat.userTicks + stat.systemTicks,
		atMs,
	};
	const before = known(pid, stat);
	if (before) {
		return {...before, ...figures};
	}

	const {isJvm, target, obstacle} = inspect(pid);
	if (!isJvm || !target) {
		if (processAgeMs(stat.startTicks) > mayBecomeJvmMs) {
			nonJvms.set(pid, atMs);
		}

		return undefined;
	}

	return {
		...target.facts,
		...figures,
		target,
		...(obstacle
			&& (obstacle.isAttachOnly
				? {attachProblem: obstacle.reason}
				: {problem: obstacle.reason, hint: obstacle.hint, brief: obstacle.brief ?? obstacle.reason})),
	};
}

/**
Returns the JVMs that a text refers to: the one with that pid, else those whose main class or jar has exactly that name
(with or without its package), else those whose name contains the text, ignoring case.
*/
export function findTargets(text: string, jvms: readonly JvmListing[] = listJvms()): JvmListing[] {
	const wanted = text.trim().toLowerCase();
	if (wanted === '') {
		return [];
	}

	const name = (jvm: JvmListing) => jvm.mainClass.toLowerCase();
	const rules: Array<(jvm: JvmListing) => boolean> = [
		jvm => String(jvm.pid) === wanted,
		jvm => name(jvm) === wanted || name(jvm).endsWith(`.${wanted}`),
		jvm => name(jvm).includes(wanted),
	];
	for (const rule of rules) {
		const found = jvms.filter(jvm => rule(jvm));
		if (found.length > 0) {
			return found;
		}
	}

	return [];
}
