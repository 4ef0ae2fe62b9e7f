import {readdirSync} from 'node:fs';
import {heapOf} from './counters/heap.js';
import {inspect} from './identity/inspect.js';
import {platformProblem} from './system/platform.js';
import {readStat} from './system/proc.js';
import {processAgeMs} from './identity/start-up.js';
import {UserNames} from './identity/users.js';

/** A JVM of this host, as lists show it. All strings are printable. */
export type JvmListing = {
	readonly pid: number;
	readonly user: string;
	/** Such as "17.0.15"; empty if not known. */
	readonly jvmVersion: string;
	/** Name of the VM, such as "OpenJDK 64-Bit Server VM"; empty when not known. */
	readonly vm: string;
	/** Main class without arguments, or the jar's name. */
	readonly mainClass: string;
	readonly command: string;
	/** Epoch milliseconds; 0 if not known. */
	readonly startedAtMs: number;
	/** Why it cannot be profiled, and what to do; absent if it can. */
	readonly problem?: string;
	readonly hint?: string;
	/** When it started, in clock ticks after boot, and the CPU time that it had used at `atMs` (performance.now()). */
	readonly startTicks: number;
	readonly cpuTicks: number;
	readonly atMs: number;
	/** The Java heap as of its last collection; absent where that is not known. */
	readonly heapUsedBytes?: number;
	readonly heapCapacityBytes?: number;
	/** Why thread dumps of it cannot be had, if only an engine that does without them may work. */
	readonly attachProblem?: string;
};

/** A process younger than this may still become a JVM (fork, exec, load) and is looked at every time. */
const settledMs = 5000;
/** A process that was not a JVM is looked at again after this time: some programs load one late. */
const lookAgainMs = 30_000;

/** Processes known not to be JVMs: their start, and when they were looked at. */
const others = new Map<number, {readonly startTicks: number; readonly lookedAtMs: number}>();

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
	const known = others.get(pid);
	if (!stat || (known?.startTicks === stat.startTicks && nowMs - known.lookedAtMs < lookAgainMs)) {
		return undefined;
	}

	const atMs = performance.now();
	const {isJvm, target, obstacle, counters} = inspect(pid, users);
	if (!isJvm || !target) {
		if (processAgeMs(stat.startTicks) > settledMs) {
			others.set(pid, {startTicks: stat.startTicks, lookedAtMs: nowMs});
		}

		return undefined;
	}

	const {user, jvmVersion, vm, mainClass, command, startedAtMs} = target.facts;
	return {
		pid, user, jvmVersion, vm, mainClass, command, startedAtMs,
		startTicks: stat.startTicks, cpuTicks: stat.userTicks + stat.systemTicks, atMs, ...heapOf(counters),
		...(obstacle && (obstacle.isAttachOnly ? {attachProblem: obstacle.reason} : {problem: obstacle.reason, hint: obstacle.hint})),
	};
}

function forgetAllBut(pids: ReadonlySet<number>): void {
	for (const pid of others.keys()) {
		if (!pids.has(pid)) {
			others.delete(pid);
		}
	}
}
