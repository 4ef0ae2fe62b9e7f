import {readdirSync} from 'node:fs';
import type {Printable} from '../../util/printable.js';
import type {TargetInfo} from '../../model/snapshot.js';
import {heapOf} from '../counters/hsperfdata.js';
import {platformProblem} from '../obstacles.js';
import {readStat, processAgeMs} from '../system/proc.js';
import {inspect} from './inspect.js';

/** A JVM of this host for lists. All strings are printable. */
export type JvmListing = TargetInfo & ReturnType<typeof heapOf> & {
	/** Why it cannot be profiled, and what to do; absent if it can. */
	readonly problem?: Printable;
	readonly hint?: string;
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

/** By pid: processes that were not JVMs, their start, and when they were inspected (performance.now()). */
const nonJvms = new Map<number, {readonly startTicks: number; readonly inspectedAtMs: number}>();

/**
Returns all JVMs on this host that this user may see, lowest pid first. It reads /proc and sends nothing to them. Cheap
enough to call every second: it remembers processes that are not JVMs.
*/
export function listJvms(): JvmListing[] {
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

	return pids.flatMap(pid => listing(pid) ?? []);
}

function listing(pid: number): JvmListing | undefined {
	const stat = readStat(pid);
	const atMs = performance.now();
	const nonJvm = nonJvms.get(pid);
	if (!stat || (nonJvm?.startTicks === stat.startTicks && atMs - nonJvm.inspectedAtMs < inspectAgainMs)) {
		return undefined;
	}

	const {isJvm, target, obstacle, counters} = inspect(pid);
	if (!isJvm || !target) {
		if (processAgeMs(stat.startTicks) > mayBecomeJvmMs) {
			nonJvms.set(pid, {startTicks: stat.startTicks, inspectedAtMs: atMs});
		}

		return undefined;
	}

	return {
		...target.facts,
		startTicks: stat.startTicks,
		cpuTicks: stat.userTicks + stat.systemTicks,
		atMs,
		...heapOf(counters),
		...(obstacle
			&& (obstacle.isAttachOnly
				? {attachProblem: obstacle.reason}
				: {problem: obstacle.reason, hint: obstacle.hint})),
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
