import {readdirSync} from 'node:fs';
import type {TargetInfo} from '../../model/snapshot.js';
import {heapOf} from '../counters/hsperfdata.js';
import {platformProblem} from '../obstacles.js';
import {readStat} from '../system/proc.js';
import {processAgeMs} from '../attachability/running-vm.js';
import {inspect, UserNames} from './inspect.js';

/** A JVM of this host, as lists show it. All strings are printable. */
export type JvmListing = TargetInfo & ReturnType<typeof heapOf> & {
	/** Why it cannot be profiled, and what to do; absent if it can. */
	readonly problem?: string;
	readonly hint?: string;
	/** When it started, in clock ticks after boot, and the CPU time that it had used at `atMs` (performance.now()). */
	readonly startTicks: number;
	readonly cpuTicks: number;
	readonly atMs: number;
	/** Why thread dumps of it cannot be had, if only an engine that does without them may work. */
	readonly attachProblem?: string;
};

/** A process younger than this may still become a JVM (fork, exec, load) and is inspected every time. */
const settledMs = 5000;
/** A process that was not a JVM is inspected again after this time: some programs load one late. */
const rescanAfterMs = 30_000;

/** Processes known not to be JVMs: their start, and when they were inspected. */
const nonJvms = new Map<number, {readonly startTicks: number; readonly scannedAtMs: number}>();

/**
All JVMs on this host that this user may know of, lowest pid first. They are found by reading /proc; nothing is sent to
them. Cheap enough to call every second: processes that are not JVMs are remembered.
*/
export function listJvms(): JvmListing[] {
	if (platformProblem()) {
		return [];
	}

	const pids = readdirSync('/proc').filter(name => /^\d+$/.test(name)).map(Number).sort((a, b) => a - b);
	forgetAllBut(new Set(pids));
	const users = new UserNames();
	const nowMs = Date.now();
	return pids.flatMap(pid => listing(pid, users, nowMs) ?? []);
}

function listing(pid: number, users: UserNames, nowMs: number): JvmListing | undefined {
	const stat = readStat(pid);
	const known = nonJvms.get(pid);
	if (!stat || (known?.startTicks === stat.startTicks && nowMs - known.scannedAtMs < rescanAfterMs)) {
		return undefined;
	}

	const atMs = performance.now();
	const {isJvm, target, obstacle, counters} = inspect(pid, users);
	if (!isJvm || !target) {
		if (processAgeMs(stat.startTicks) > settledMs) {
			nonJvms.set(pid, {startTicks: stat.startTicks, scannedAtMs: nowMs});
		}

		return undefined;
	}

	return {
		...target.facts, startTicks: stat.startTicks, cpuTicks: stat.userTicks + stat.systemTicks, atMs, ...heapOf(counters),
		...(obstacle && (obstacle.isAttachOnly ? {attachProblem: obstacle.reason} : {problem: obstacle.reason, hint: obstacle.hint})),
	};
}

function forgetAllBut(pids: ReadonlySet<number>): void {
	for (const pid of nonJvms.keys()) {
		if (!pids.has(pid)) {
			nonJvms.delete(pid);
		}
	}
}

/**
The JVMs that a text means: the one with that pid, otherwise those whose main class or jar has exactly that name (with
or without its package), otherwise those with the text anywhere in that name, in upper or lower case.
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
