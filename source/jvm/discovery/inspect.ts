import {readdirSync, existsSync} from 'node:fs';
import process from 'node:process';
import {userInfo} from 'node:os';
import {type TargetInfo, featureRelease} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import {attachSocketOf} from '../attachability/attach-socket.js';
import {hasPtraceCapability} from '../attachability/credentials.js';
import {readPerfData, numberCounter, type PerfCounters, stringCounter} from '../counters/hsperfdata.js';
import {obstacles, type Obstacle, platformProblem} from '../obstacles.js';
import {
	attempt, type ProcessStat, type ProcessStatus, readProc, readProcStrings, readStat, readStatus, startMs, processAgeMs, readText,
} from '../system/proc.js';
import {handlerObstacle, inspectVm, startingObstacle, vmObstacle} from '../attachability/signal.js';
import type {Target, Identified} from '../target.js';
import {parseRecordedCommand, shortMain, readJavaCommand} from '../identity/java-command.js';
import {versionAround, type Libraries, readLibraries, isNativeImage} from '../identity/libraries.js';

/** A java launcher may load its JVM up to this age; an older one is something else, such as a wrapper. */
const maxLauncherMs = 20_000;

const maxCommandLength = 1024;

type Inspection = {
	/** A JVM of some kind, or very likely one that we may not inspect. */
	readonly isJvm: boolean;
	readonly target?: Target;
	readonly obstacle?: Obstacle;
	readonly counters?: PerfCounters;
};

/** Inspects a process: reads /proc and the JVM's counters, and sends it nothing. */
export function inspect(pid: number, users = new UserNames()): Inspection {
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
	const facts = {pid, status, stat, users};
	if ('code' in libraries) {
		return libraries.code === 'ENOENT' || libraries.code === 'ESRCH' ? {isJvm: false, obstacle: obstacles.absent(pid)} : closedInspection(facts);
	}

	if (libraries.openJ9) {
		return {isJvm: true, target: targetOf(facts, libraries, undefined), obstacle: obstacles.openJ9(pid)};
	}

	if (!libraries.libjvm) {
		return withoutHotSpot(facts, libraries);
	}

	const counters = readPerfData({pid, nsPid: status.nsPid, uid: status.uid});
	const target = targetOf(facts, libraries, counters);
	return {
		isJvm: true, target, obstacle: hotSpotObstacle(target, {status, counters, libjvm: libraries.libjvm}), counters,
	};
}

type ProcessFacts = {readonly pid: number; readonly status: ProcessStatus; readonly stat: ProcessStat; readonly users: UserNames};

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
	const {pid, status, users} = facts;
	const isJvm = isNamedJava(pid) || hasCounterFile(facts);
	return {
		isJvm,
		target: isJvm ? targetOf(facts, undefined, undefined) : undefined,
		obstacle: closedObstacle(pid, status.uid, users.nameOf(status.uid)),
	};
}

function closedObstacle(pid: number, uid: number, user: string): Obstacle {
	if (process.geteuid?.() === 0) {
		return hasPtraceCapability() ? obstacles.closedToRoot(pid) : obstacles.withoutCapability(pid);
	}

	return process.geteuid?.() === uid ? obstacles.closed(pid) : obstacles.otherUser(pid, user, uid);
}

function isNamedJava(pid: number): boolean {
	return /(?:^|\/)java$/.test(readProcStrings(pid, 'cmdline')[0] ?? '');
}

/**
Whether our own /tmp has a counter file of the process: everyone can see its name, though not its content. A process of a
container has another id there and a /tmp of its own: the file with its id is another process's.
*/
function hasCounterFile({pid, status}: ProcessFacts): boolean {
	return attempt(() => status.nsPid === pid && readdirSync('/tmp').some(name => name.startsWith('hsperfdata_') && existsSync(`/tmp/${name}/${pid}`)), false);
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

	return {isJvm: false, obstacle: obstacles.noJvm(pid, printable(/\((.*)\)/s.exec(readProc(pid, 'stat') ?? '')?.[1] ?? '?'))};
}

function hotSpotObstacle(target: Target, found: {readonly status: ProcessStatus; readonly counters: PerfCounters | undefined; readonly libjvm: string}): Obstacle | undefined {
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

function targetOf({pid, status, stat, users}: ProcessFacts, libraries: Libraries | undefined, counters: PerfCounters | undefined): Target {
	const recorded = stringCounter(counters, 'sun.rt.javaCommand');
	const line = readJavaCommand(pid);
	// The command line's words are exact; HotSpot's record also has the main class if another kind of launcher started it.
	const known = recorded && !(line.main && recorded.startsWith(line.main)) ? parseRecordedCommand(recorded) : line;
	const program = readProcStrings(pid, 'cmdline')[0] ?? '?';
	const name = shortMain(known.main === '' ? program.slice(program.lastIndexOf('/') + 1) : known.main);
	const version = stringCounter(counters, 'java.property.java.version') || (libraries?.libjvm ? versionAround(libraries.libjvm, pid) : '');
	const facts: TargetInfo = {
		pid,
		mainClass: printable(name),
		command: printable([name, ...known.args].join(' '), maxCommandLength),
		jvmVersion: printable(version),
		vm: printable(stringCounter(counters, 'java.property.java.vm.name')),
		user: users.nameOf(status.uid),
		startedAtMs: numberCounter(counters, 'sun.rt.createVmBeginTime') ?? startMs(stat.startTicks),
	};
	return {
		pid, nsPid: status.nsPid, uid: status.uid, gid: status.gid, startTicks: stat.startTicks, jdk: featureRelease(version), facts,
	};
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
		return {ok: false, ...obstacles.badPid(String(pid))};
	}

	const {target, obstacle} = inspect(pid);
	// An obstacle for one engine only is reported by that engine.
	return target && (!obstacle || obstacle.isAttachOnly) ? {ok: true, target} : {ok: false, ...(obstacle ?? obstacles.absent(pid))};
}

const passwdPath = '/etc/passwd';
/** Enough for some ten thousand users; larger sites use a directory service. */
const maxPasswdBytes = 1024 * 1024;

export class UserNames {
	#names: Map<number, string> | undefined;

	/** Returns the user's name, or its number if the name is unknown here (another container, a directory service). */
	nameOf(uid: number): string {
		if (uid === process.geteuid?.()) {
			try {
				return printable(userInfo().username);
			} catch {
				// A user without a name, as in containers.
			}
		}

		this.#names ??= readNames();
		return this.#names.get(uid) ?? String(uid);
	}
}

function readNames(): Map<number, string> {
	const lines = readText(passwdPath, maxPasswdBytes)?.split('\n') ?? [];
	return new Map(lines.map(line => line.split(':')).filter(fields => fields.length > 2).map(fields => [Number(fields[2]), printable(fields[0])]));
}
