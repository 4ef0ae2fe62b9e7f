import process from 'node:process';
import {readlinkSync} from 'node:fs';
import {readAttachFlags, type AttachFlags} from '../counters/jvm-flags.js';
import {readLibraries} from '../identity/libraries.js';
import {type PerfCounters, readPerfData} from '../counters/hsperfdata.js';
import {type Obstacle, obstacles} from '../obstacles.js';
import {
	errorCode, isAlive, readStat, readStatus, type ProcessStatus,
} from '../system/proc.js';
import {
	vmSigns, isStartingUp, type VmSigns, processAgeMs, silentStartUpMs,
} from './running-vm.js';

/** Why a process must not get SIGQUIT. `ended`: it has. */
type SignalHazard = Obstacle & {readonly ended: boolean};

/** A process that was found before; its start tells it from another one that was given its pid. */
type Found = {readonly pid: number; readonly startTicks: number};

/**
Why the process may not get a SIGQUIT at this moment; undefined when it may. The signal kills any process that does not
catch it, and other servers take it to mean "shut down". So all of this must hold: it is the process that was looked at,
alive and not stopped, HotSpot mapped and no OpenJ9, a VM running in it with its thread for SIGQUIT, attach not
disabled, start-up over, SIGQUIT caught and not ignored, and the program a JDK's launcher.
*/
export function quitHazard(target: Found): SignalHazard | undefined {
	const {pid} = target;
	const status = readStatus(pid);
	if (!status || !isAlive(target)) {
		return {...obstacles.absent(pid), ended: true};
	}

	const libraries = readLibraries(pid);
	const obstacle = 'code' in libraries || !libraries.libjvm
		? obstacles.noJvm(pid, 'no libjvm.so')
		: (libraries.openJ9 ? obstacles.openJ9(pid) : hotSpotObstacle(target, status, libraries.libjvm));
	// The threads of a process that is being killed end one by one.
	return obstacle && (isAlive(target) ? {...obstacle, ended: false} : {...obstacles.absent(pid), ended: true});
}

function hotSpotObstacle({pid, startTicks}: Found, status: ProcessStatus, libjvm: string): Obstacle | undefined {
	const owner = {
		pid, startTicks, nsPid: status.nsPid, uid: status.uid,
	};
	const looked = lookAtVm(owner, {status, libjvm, counters: readPerfData(owner)});
	return vmObstacle(looked) ?? handlerObstacle(looked) ?? startingObstacle(looked);
}

/** Sends SIGQUIT, or says what speaks against it. This is the only place that signals a target. */
export function sendQuit(target: Found): SignalHazard | undefined {
	const hazard = quitHazard(target);
	if (hazard) {
		return hazard;
	}

	// The last check is the start time: a pid that has been reused belongs to somebody else.
	if (readStat(target.pid)?.startTicks !== target.startTicks) {
		return {reason: `process ${target.pid} has ended`, hint: '', ended: true};
	}

	try {
		process.kill(target.pid, 'SIGQUIT');
		return undefined;
	} catch (error) {
		const code = errorCode(error);
		return {reason: `process ${target.pid} cannot be signalled (${code})`, hint: 'run tprof-top as the same user as the JVM, or as root', ended: code === 'ESRCH'};
	}
}

/** Up to this age a JVM without a handler for SIGQUIT counts as starting up. */
const longestWithoutHandlerMs = 20_000;

/** What was found out about a process with HotSpot's library. */
type LookedAt = {
	readonly pid: number;
	readonly startTicks: number;
	readonly status: ProcessStatus;
	readonly counters: PerfCounters | undefined;
	readonly flags: AttachFlags;
	readonly vm: VmSigns;
	/** Path of HotSpot's library. */
	readonly libjvm: string;
};

/** Looks for what decides whether a process with HotSpot's library may be attached to. */
export function lookAtVm(owner: Found & {readonly nsPid: number; readonly uid: number}, found: Pick<LookedAt, 'status' | 'counters' | 'libjvm'>): LookedAt {
	const flags = readAttachFlags(owner, found.counters);
	return {
		...found, pid: owner.pid, startTicks: owner.startTicks, flags, vm: vmSigns(owner, found.counters, flags),
	};
}

/** Why nobody in such a process would answer: it is stopped, no VM runs in it, or attaching is disabled. */
export function vmObstacle({pid, startTicks, status, flags, vm}: LookedAt): Obstacle | undefined {
	if (status.state === 'T' || status.state === 't') {
		return status.state === 'T' ? obstacles.stopped(pid) : obstacles.traced(pid);
	}

	if (!vm.isRunning) {
		const ageMs = processAgeMs(startTicks);
		return ageMs < silentStartUpMs ? obstacles.starting(pid) : {...obstacles.noVm(pid), isPassing: ageMs < longestWithoutHandlerMs};
	}

	return flags.attachDisabled ? obstacles.attachDisabled(pid) : undefined;
}

/** That the VM is not up yet. */
export function startingObstacle({pid, vm, counters}: LookedAt): Obstacle | undefined {
	return isStartingUp(vm.startTicks, counters) ? obstacles.starting(pid) : undefined;
}

/**
Why SIGQUIT may not reach HotSpot's own handler: the JVM was told to leave that signal alone, is not up yet, has no
handler, or runs in a program that may have set its own since: nothing shows which handler of a process is in force, so
only a JDK's own launchers are trusted. Undefined if it does.
*/
export function handlerObstacle({pid, startTicks, status, flags, vm, libjvm}: LookedAt): Obstacle | undefined {
	if (status.catchesQuit && !status.ignoresQuit && vm.takesQuit) {
		return isLauncher(pid, libjvm) ? undefined : obstacles.embedded(pid);
	}

	if (flags.reducedSignals) {
		return obstacles.reducedSignals(pid);
	}

	return processAgeMs(startTicks) < longestWithoutHandlerMs && !status.catchesQuit ? obstacles.starting(pid) : obstacles.noHandler(pid);
}

/** Whether the process's program is in bin/ of the JDK or JRE that has this library. */
function isLauncher(pid: number, libjvm: string): boolean {
	try {
		const [, home] = /^(.*)\/bin\/[^/]+$/.exec(readlinkSync(`/proc/${pid}/exe`)) ?? [];
		return home !== undefined && libjvm.startsWith(`${home}/`) && /^(?:jre\/)?lib\/(?:[^/]+\/){1,2}libjvm\.so$/.test(libjvm.slice(home.length + 1));
	} catch {
		return false;
	}
}
