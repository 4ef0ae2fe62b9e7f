import process from 'node:process';
import {userInfo} from 'node:os';
import {getOrCreate} from '../../util/get-or-create.js';
import {type TargetInfo, featureRelease} from '../../model/snapshot.js';
import {printable, safe, type Printable} from '../../util/printable.js';
import {attachSocketOf} from '../attachability/attach-socket.js';
import {hasPtraceCapability, isForeign} from '../attachability/credentials.js';
import {readPerfData, numberCounter, type PerfCounters, stringCounter} from '../counters/hsperfdata.js';
import {obstacles, type Obstacle, platformProblem} from '../obstacles.js';
import {
	attempt,
	type ProcessStat,
	type ProcessStatus,
	readProc,
	readProcStrings,
	readStat,
	readStatus,
	startMs,
	processAgeMs,
	readText,
} from '../system/proc.js';
import {
	handlerObstacle, inspectVm, startingObstacle, vmObstacle, vmThreadName,
} from '../attachability/signal.js';
import {namedTask} from '../threads/native-ids.js';
import type {Target, Identified} from '../target.js';
import {
	isNamedJava, parseRecordedCommand, readJavaCommand, shortMain, withoutSourceLauncher,
} from '../identity/java-command.js';
import {jdkVersionOf, type Libraries, readLibraries, isNativeImage} from '../identity/libraries.js';

/**
Up to this age a launcher without a JVM counts as starting one; an older one is something else, such as a wrapper.
*/
const maxLauncherMs = 20_000;

const maxCommandLength = 1024;

type Inspection = {
	/** Whether it is a JVM of some kind, or very likely one that we may not inspect. */
	readonly isJvm: boolean;
	readonly target?: Target;
	readonly obstacle?: Obstacle;
};

/** Inspects a process: reads /proc and the JVM's counters, and sends it nothing. */
export function inspect(pid: number): Inspection {
	const status = readStatus(pid);
	const stat = readStat(pid);
	if (!status || !stat) {
		return {isJvm: false, obstacle: isHidden(pid) ? obstacles.hidden(pid) : obstacles.absent(pid)};
	}

	if (status.processId !== pid) {
		return {isJvm: false, obstacle: obstacles.thread(pid, status.processId)};
	}

	if (status.state === 'Z' || status.state === 'X') {
		return {isJvm: false, obstacle: obstacles.zombie(pid)};
	}

	const libraries = readLibraries(pid);
	const facts = {pid, status, stat};
	if ('code' in libraries) {
		return libraries.code === 'ENOENT' || libraries.code === 'ESRCH'
			? {isJvm: false, obstacle: obstacles.absent(pid)}
			: closedInspection(facts);
	}

	if (libraries.openJ9) {
		return {isJvm: true, target: targetOf(facts, libraries, undefined), obstacle: obstacles.openJ9(pid)};
	}

	if (!libraries.libjvm) {
		return withoutHotSpot(facts, libraries);
	}

	const counters = readPerfData({pid, nsPid: status.nsPid, uid: status.uid}, libraries.counterFiles);
	const target = targetOf(facts, libraries, counters);
	return {
		isJvm: true, target, obstacle: hotSpotObstacle(target, {status, counters, libjvm: libraries.libjvm}),
	};
}

type ProcessFacts = {readonly pid: number; readonly status: ProcessStatus; readonly stat: ProcessStat};

/** Whether /proc hides the process (mount option hidepid): then signal 0, which only checks permission, gives EPERM. */
function isHidden(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return false;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

/** Returns the inspection of a process whose memory map we may not read. */
function closedInspection(facts: ProcessFacts): Inspection {
	const {pid, status} = facts;
	const isJvm = isNamedJava(pid) || namedTask(pid, [vmThreadName]) > 0;
	const obstacle = closedObstacle(pid, status.uid, userName(status.uid));
	if (!isJvm || isForeign(status)) {
		return {isJvm, target: isJvm ? targetOf(facts, undefined, undefined) : undefined, obstacle};
	}

	// With more capabilities than ours, for example, or not dumpable (prctl(2)): its socket in /tmp still answers us.
	const counters = readPerfData({pid, nsPid: status.nsPid, uid: status.uid});
	const target = targetOf(facts, undefined, counters);
	const isKnown = counters !== undefined || attachSocketOf(target).state === 'present';
	return {
		isJvm, target, obstacle: isKnown ? hotSpotObstacle(target, {status, counters}) : obstacle,
	};
}

function closedObstacle(pid: number, uid: number, user: Printable): Obstacle {
	if (process.geteuid?.() === 0) {
		return hasPtraceCapability() ? obstacles.closedToRoot(pid) : obstacles.withoutCapability(pid);
	}

	return process.geteuid?.() === uid ? obstacles.closed(pid) : obstacles.otherUser(pid, user, uid);
}

/** Returns the inspection of a process without libjvm.so: a starting JVM, a native image, or no JVM. */
function withoutHotSpot(facts: ProcessFacts, libraries: Libraries): Inspection {
	const {pid, stat} = facts;
	const isLauncher = libraries.launcher || isNamedJava(pid);
	if (isLauncher && processAgeMs(stat.startTicks) < maxLauncherMs) {
		return {isJvm: true, target: targetOf(facts, libraries, undefined), obstacle: obstacles.starting(pid)};
	}

	if (isNativeImage(pid)) {
		return {isJvm: true, target: targetOf(facts, libraries, undefined), obstacle: obstacles.nativeImage(pid)};
	}

	const name = readProc(pid, 'comm')?.trimEnd() ?? '?';
	return {isJvm: false, obstacle: obstacles.noJvm(pid, printable(name))};
}

function hotSpotObstacle(target: Target, found: Parameters<typeof inspectVm>[1]): Obstacle | undefined {
	const vm = inspectVm(target, found);
	const obstacle = vmObstacle(vm);
	if (obstacle) {
		return obstacle;
	}

	const socket = attachSocketOf(target).state;
	if (socket === 'denied') {
		return closedObstacle(target.pid, target.uid, target.facts.user);
	}

	return socket === 'present' ? undefined : startingObstacle(vm) ?? handlerObstacle(vm);
}

function targetOf(
	{pid, status, stat}: ProcessFacts,
	libraries: Libraries | undefined,
	counters: PerfCounters | undefined,
): Target {
	const recorded = withoutSourceLauncher(stringCounter(counters, 'sun.rt.javaCommand'));
	const typed = readJavaCommand(pid);
	// The command line has the exact words. With another launcher than `java`, only HotSpot's own counters have the
	// main class.
	const isExact = recorded === '' || (typed.main !== '' && recorded.startsWith(typed.main));
	const {main, args} = isExact ? typed : parseRecordedCommand(recorded);
	const program = readProcStrings(pid, 'cmdline')[0] ?? '?';
	const name = shortMain(main === '' ? program.slice(program.lastIndexOf('/') + 1) : main);
	const version = stringCounter(counters, 'java.property.java.version')
		|| (libraries?.libjvm ? jdkVersionOf(libraries.libjvm, pid) : '');
	const facts: TargetInfo = {
		pid,
		mainClass: printable(name),
		command: printable([name, ...args].join(' '), maxCommandLength),
		jvmVersion: printable(version),
		vm: printable(stringCounter(counters, 'java.property.java.vm.name')),
		user: userName(status.uid),
		startedAtMs: numberCounter(counters, 'sun.rt.createVmBeginTime') ?? startMs(stat.startTicks),
	};
	const {nsPid, uid, gid} = status;
	return {pid, nsPid, uid, gid, startTicks: stat.startTicks, jdk: featureRelease(version), facts};
}

/** PID_MAX_LIMIT of 64-bit Linux. */
const maxPid = 4_194_304;

/** Returns a HotSpot JVM that may be profiled, or the obstacle. Sends nothing to the process. */
export function identify(pid: number): Identified {
	const platform = platformProblem();
	if (platform) {
		return {ok: false, ...platform};
	}

	if (!Number.isSafeInteger(pid) || pid < 1 || pid > maxPid) {
		return {ok: false, ...obstacles.badPid(safe`${pid}`)};
	}

	const {target, obstacle} = inspect(pid);
	// An obstacle for one engine only is reported by that engine.
	return target && (!obstacle || obstacle.isAttachOnly)
		? {ok: true, target}
		: {ok: false, ...(obstacle ?? obstacles.absent(pid))};
}

/** Enough for some ten thousand users; larger sites use a directory service. */
const maxPasswdBytes = 1024 * 1024;

const userNames = new Map<number, Printable>();

/** Returns a user's name, or its number if the name is unknown here (another container, a directory service). */
function userName(uid: number): Printable {
	return getOrCreate(userNames, uid, () => {
		// A user may have no name, as in containers.
		const ownName = uid === process.geteuid?.() ? attempt(() => userInfo().username, '') : '';
		const lines = readText('/etc/passwd', maxPasswdBytes)?.split('\n') ?? [];
		const [name] = lines.map(line => line.split(':')).find(fields => fields[2] === String(uid)) ?? [];
		return printable(ownName || (name ?? String(uid)));
	});
}
