import process from 'node:process';
import {safe} from '../../util/printable.js';
import {readAttachFlags, type AttachFlags} from '../counters/jvm-flags.js';
import {isNamedJava} from '../identity/java-command.js';
import {readLibraries} from '../identity/libraries.js';
import {numberCounter, readPerfData, type PerfCounters} from '../counters/hsperfdata.js';
import {type Obstacle, obstacles} from '../obstacles.js';
import type {ProcessIds} from '../target.js';
import {namedTask} from '../threads/native-ids.js';
import {isFrozen} from '../system/cgroups.js';
import {
	errorCode, isAlive, linkOf, parseStat, processAgeMs, programOf, readProc, readStat, readStatus, type ProcessStatus,
} from '../system/proc.js';

/** Why a process must not get SIGQUIT. `ended`: because it has ended. */
type SignalHazard = Obstacle & {readonly ended: boolean};

/** A process; its start tells it from another one with a reused pid. */
type ProcessIdentity = {readonly pid: number; readonly startTicks: number};

/**
Returns why the process must not get SIGQUIT now; undefined if it may. The signal kills any process that does not catch
it, and makes some servers shut down. So all of this must hold: it is the process found earlier, alive and not stopped;
HotSpot is mapped and OpenJ9 is not; a VM runs in it with its thread for SIGQUIT; attach is not disabled; start-up is
over; SIGQUIT is caught and not ignored; and the program is a JDK's launcher.
*/
export function quitHazard(target: ProcessIdentity): SignalHazard | undefined {
	const {pid} = target;
	const status = readStatus(pid);
	if (!status || !isAlive(target)) {
		return {...obstacles.absent(pid), ended: true};
	}

	const obstacle = quitObstacle(target, status);
	// The threads of a process that is being killed end one by one.
	return obstacle && (isAlive(target) ? {...obstacle, ended: false} : {...obstacles.absent(pid), ended: true});
}

function quitObstacle({pid, startTicks}: ProcessIdentity, status: ProcessStatus): Obstacle | undefined {
	const owner = {pid, startTicks, nsPid: status.nsPid, uid: status.uid};
	const libraries = readLibraries(pid);
	if ('code' in libraries) {
		// Only a JVM has and locks a counter file.
		const counters = libraries.code === 'EACCES' ? readPerfData(owner) : undefined;
		return counters ? signalObstacle(inspectVm(owner, {status, counters})) : obstacles.closed(pid);
	}

	const {libjvm, openJ9, counterFiles} = libraries;
	if (libjvm === undefined) {
		return obstacles.noJvm(pid, safe`no libjvm.so`);
	}

	return openJ9
		? obstacles.openJ9(pid)
		: signalObstacle(inspectVm(owner, {status, libjvm, counters: readPerfData(owner, counterFiles)}));
}

function signalObstacle(vm: InspectedVm): Obstacle | undefined {
	return vmObstacle(vm) ?? handlerObstacle(vm) ?? startingObstacle(vm);
}

/** Sends SIGQUIT, or returns why it must not. This is the only place that signals a target. */
export function sendQuit(target: ProcessIdentity): SignalHazard | undefined {
	const hazard = quitHazard(target);
	if (hazard) {
		return hazard;
	}

	// The start time is checked last: the pid may have been reused.
	if (readStat(target.pid)?.startTicks !== target.startTicks) {
		return {reason: safe`process ${target.pid} has ended`, hint: safe``, ended: true};
	}

	try {
		process.kill(target.pid, 'SIGQUIT');
		return undefined;
	} catch (error) {
		const code = errorCode(error);
		return {
			reason: safe`process ${target.pid} cannot be signalled (${code})`,
			hint: safe`run tprof-top as the same user as the JVM, or as root`,
			ended: code === 'ESRCH',
		};
	}
}

/** Up to this age a JVM without a handler for SIGQUIT counts as starting up, and the lack of a VM as passing. */
const maxWithoutHandlerMs = 20_000;

type InspectedVm = {
	readonly pid: number;
	readonly startTicks: number;
	readonly status: ProcessStatus;
	readonly counters: PerfCounters | undefined;
	readonly flags: AttachFlags;
	readonly vm: VmStatus;
	/** Absent if the process's mappings are closed to us; its counters are then the proof that it runs HotSpot. */
	readonly libjvm?: string;
};

/** Adds the VM's flags and status to what is known of a process with HotSpot's library. */
export function inspectVm(
	owner: ProcessIdentity & ProcessIds,
	known: Pick<InspectedVm, 'status' | 'counters' | 'libjvm'>,
): InspectedVm {
	const flags = readAttachFlags(owner, known.counters);
	return {
		...known,
		pid: owner.pid,
		startTicks: owner.startTicks,
		flags,
		vm: vmStatusOf(owner, known.counters, flags),
	};
}

/** Returns why a process does not run: a signal or a debugger has stopped it, or its control group is frozen. */
export function stopObstacle(pid: number, state = readStatus(pid)?.state): Obstacle | undefined {
	if (state === 'T' || state === 't') {
		return state === 'T' ? obstacles.stopped(pid) : obstacles.traced(pid);
	}

	return isFrozen(pid) ? obstacles.frozen(pid) : undefined;
}

/** Returns why no VM would answer: the process does not run, no VM runs in it, or attaching is disabled. */
export function vmObstacle({pid, startTicks, status, flags, vm}: InspectedVm): Obstacle | undefined {
	const stopped = stopObstacle(pid, status.state);
	if (stopped) {
		return stopped;
	}

	if (!vm.isRunning) {
		const ageMs = processAgeMs(startTicks);
		return ageMs < startUpWithoutCountersMs
			? obstacles.starting(pid)
			: {...obstacles.noVm(pid), isPassing: ageMs < maxWithoutHandlerMs};
	}

	return flags.attachDisabled ? obstacles.attachDisabled(pid) : undefined;
}

/** Returns an obstacle while the VM is starting up. */
export function startingObstacle({pid, vm, counters}: InspectedVm): Obstacle | undefined {
	return isStartingUp(vm.startTicks, counters) ? obstacles.starting(pid) : undefined;
}

/**
Returns why SIGQUIT might not reach HotSpot's own handler: the JVM runs with -Xrs, is starting up, has no handler, or
runs in a program that may have a handler of its own. Nothing shows which handler is installed, so only a JDK's
launchers are trusted.
*/
export function handlerObstacle({pid, startTicks, status, flags, vm, libjvm}: InspectedVm): Obstacle | undefined {
	if (status.catchesQuit && !status.ignoresQuit && vm.handlesSigquit) {
		return isLauncher(pid, libjvm) ? undefined : obstacles.embedded(pid);
	}

	if (flags.reducedSignals) {
		return obstacles.reducedSignals(pid);
	}

	return processAgeMs(startTicks) < maxWithoutHandlerMs && !status.catchesQuit
		? obstacles.starting(pid)
		: obstacles.noHandler(pid);
}

/**
Whether the process's executable is in bin/ of the JDK or JRE with this library. If its files are closed to us, whether
the kernel knows it as `java`, and so does its command line.
*/
function isLauncher(pid: number, libjvm: string | undefined): boolean {
	const executable = linkOf(`/proc/${pid}/exe`);
	if (libjvm === undefined || executable === '') {
		return programOf(pid) === 'java' && isNamedJava(pid);
	}

	const [, home] = /^(.*)\/bin\/[^/]+$/.exec(executable) ?? [];
	return home !== undefined
		&& libjvm.startsWith(`${home}/`)
		&& /^(?:jre\/)?lib\/(?:[^/]+\/){1,2}libjvm\.so$/.test(libjvm.slice(home.length + 1));
}

/** The thread that every HotSpot VM has from start to end. */
export const vmThreadName = 'VM Thread';
/** The thread that HotSpot's SIGQUIT handler wakes; the kernel keeps 15 bytes, and JDK 27 elides the middle. */
const dispatcherNames = ['Signal Dispatch', 'Signal ..atcher'];

type VmStatus = {
	/** Whether a VM runs; its library alone may be loaded. */
	readonly isRunning: boolean;
	/** Whether the VM has its thread for SIGQUIT; if so, it has also installed its handler. */
	readonly handlesSigquit: boolean;
	/** Start of the VM (or else of the process), clock ticks after boot. */
	readonly startTicks: number;
};

/** Looks for the VM's own threads. Early updates of JDK 8 do not name them; then the counters tell. */
function vmStatusOf(
	{pid, startTicks}: ProcessIdentity,
	counters: PerfCounters | undefined,
	flags: AttachFlags,
): VmStatus {
	const vmThread = namedTask(pid, [vmThreadName]);
	if (vmThread > 0) {
		return {
			isRunning: true,
			handlesSigquit: namedTask(pid, dispatcherNames) > 0,
			startTicks: parseStat(readProc(pid, `task/${vmThread}/stat`) ?? '')?.startTicks ?? startTicks,
		};
	}

	const isRunning = (numberCounter(counters, 'sun.rt.vmInitDoneTime') ?? 0) > 0;
	return {isRunning, handlesSigquit: isRunning && !flags.reducedSignals, startTicks};
}

/** Age up to which a JVM is starting up unless its counters say otherwise; a -javaagent may take many seconds. */
const maxStartUpMs = 60_000;
/** Age at which a JVM without counters counts as started. */
const startUpWithoutCountersMs = 3000;
/** JDK 8 and 11 set up signals and attaching some milliseconds after vmInitDoneTime, later on a loaded host. */
const afterDoneMs = 250;

/**
Whether a JVM that started at `startTicks` is still starting up. Between handling SIGQUIT and setting up its attach
mechanism, it deletes any attach file and socket that it finds (JDK 17 and 25), and a signal makes it print a thread
dump to its own output. It sets its counter vmInitDoneTime after that; JDK 8 and 11 set it just before.
*/
function isStartingUp(startTicks: number, counters: PerfCounters | undefined): boolean {
	const doneTime = numberCounter(counters, 'sun.rt.vmInitDoneTime');
	const ageMs = processAgeMs(startTicks);
	if (doneTime !== undefined && doneTime > 0) {
		// If the clock was set back, the difference may be negative for long: the age bounds that time.
		return ageMs < startUpWithoutCountersMs && Date.now() - doneTime < afterDoneMs;
	}

	return ageMs < (counters ? maxStartUpMs : startUpWithoutCountersMs);
}
