import {readdirSync, existsSync} from 'node:fs';
import process from 'node:process';
import {userInfo} from 'node:os';
import type {TargetInfo} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import {attachSocketOf} from '../attachability/attach-socket.js';
import {hasPtraceCapability} from '../attachability/credentials.js';
import {
	readPerfData, numberCounter, type PerfCounters, stringCounter,
} from '../counters/hsperfdata.js';
import {obstacles, type Obstacle, platformProblem} from '../obstacles.js';
import {
	type ProcessStat, type ProcessStatus, readProc, readProcStrings, readStat, readStatus, startMs, readBytes,
} from '../system/proc.js';
import {
	handlerObstacle, lookAtVm, startingObstacle, vmObstacle,
} from '../attachability/signal.js';
import {featureRelease} from '../../model/feature-release.js';
import type {Target, Identified} from '../target.js';
import {parseRecordedCommand, shortMain, readJavaCommand} from '../identity/java-command.js';
import {
	versionAround, type Libraries, readLibraries, isNativeImage,
} from '../identity/libraries.js';
import {processAgeMs} from '../attachability/running-vm.js';

/** A java launcher that has not loaded its JVM by this age is something else (a shell of that name, a launcher that waits). */
const launcherMs = 20_000;
/** Longest command shown, UTF-16 units. */
const maxCommandLength = 1024;

/** What we found out about a process without touching it. */
type Inspection = {
	/** Whether it is some kind of JVM, or very likely one that we may not look into. */
	readonly isJvm: boolean;
	/** Undefined if there is no such process. */
	readonly target?: Target;
	/** Why it cannot be profiled; undefined if it can. */
	readonly obstacle?: Obstacle;
	/** What the JVM writes down about itself, where we may read it. */
	readonly counters?: PerfCounters;
};

/** Looks at a process: reads /proc and the JVM's counters, and sends it nothing. */
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
	const seen = {
		pid, status, stat, users,
	};
	if ('code' in libraries) {
		return libraries.code === 'ENOENT' || libraries.code === 'ESRCH' ? {isJvm: false, obstacle: obstacles.absent(pid)} : closed(seen);
	}

	if (libraries.openJ9) {
		return {isJvm: true, target: targetOf(seen, libraries, undefined), obstacle: obstacles.openJ9(pid)};
	}

	if (!libraries.libjvm) {
		return withoutHotSpot(seen, libraries);
	}

	const counters = readPerfData({pid, nsPid: status.nsPid, uid: status.uid});
	const target = targetOf(seen, libraries, counters);
	return {
		isJvm: true, target, obstacle: hotSpotObstacle(target, {status, counters, libjvm: libraries.libjvm}), counters,
	};
}

type Seen = {readonly pid: number; readonly status: ProcessStatus; readonly stat: ProcessStat; readonly users: UserNames};

/** /proc hides the process (mount option hidepid) when signal 0, which reaches nobody, is not permitted. */
function isHidden(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return false;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

function closed(seen: Seen): Inspection {
	const {pid, status, users} = seen;
	const isJvm = /(?:^|\/)java$/.test(readProcStrings(pid, 'cmdline')[0] ?? '') || hasCounterFile(status.nsPid);
	return {
		isJvm,
		target: isJvm ? targetOf(seen, undefined, undefined) : undefined,
		obstacle: closedObstacle(pid, status.uid, users.nameOf(status.uid)),
	};
}

function closedObstacle(pid: number, uid: number, user: string): Obstacle {
	if (process.geteuid?.() === 0) {
		return hasPtraceCapability() ? obstacles.closedToRoot(pid) : obstacles.withoutCapability(pid);
	}

	return process.geteuid?.() === uid ? obstacles.closed(pid) : obstacles.otherUser(pid, user, uid);
}

/** In our own /tmp everyone can see the file's name, but not its content. */
function hasCounterFile(nsPid: number): boolean {
	try {
		return readdirSync('/tmp').some(name => name.startsWith('hsperfdata_') && existsSync(`/tmp/${name}/${nsPid}`));
	} catch {
		return false;
	}
}

function withoutHotSpot(seen: Seen, libraries: Libraries): Inspection {
	const {pid, stat} = seen;
	const isLauncher = libraries.launcher || /(?:^|\/)java$/.test(readProcStrings(pid, 'cmdline')[0] ?? '');
	if (isLauncher && processAgeMs(stat.startTicks) < launcherMs) {
		return {isJvm: true, target: targetOf(seen, libraries, undefined), obstacle: obstacles.starting(pid)};
	}

	if (isNativeImage(pid)) {
		return {isJvm: true, target: targetOf(seen, libraries, undefined), obstacle: obstacles.nativeImage(pid)};
	}

	return {isJvm: false, obstacle: obstacles.noJvm(pid, printable(/\((.*)\)/s.exec(readProc(pid, 'stat') ?? '')?.[1] ?? '?'))};
}

function hotSpotObstacle(target: Target, found: {readonly status: ProcessStatus; readonly counters: PerfCounters | undefined; readonly libjvm: string}): Obstacle | undefined {
	const looked = lookAtVm(target, found);
	const obstacle = vmObstacle(looked);
	if (obstacle) {
		return obstacle;
	}

	const socket = attachSocketOf(target).state;
	if (socket === 'denied') {
		return closedObstacle(target.pid, target.uid, target.facts.user);
	}

	return socket === 'present' ? undefined : startingObstacle(looked) ?? handlerObstacle(looked);
}

function targetOf({pid, status, stat, users}: Seen, libraries: Libraries | undefined, counters: PerfCounters | undefined): Target {
	const recorded = stringCounter(counters, 'sun.rt.javaCommand');
	const line = readJavaCommand(pid);
	// The words of the command line are exact; HotSpot's own record also knows what a launcher of another kind started.
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

/** The largest process id on 64-bit Linux (PID_MAX_LIMIT). */
const maxPid = 4_194_304;

/** A HotSpot JVM that may be profiled, or what is in the way. Reads only; sends nothing to the process. */
export function identify(pid: number): Identified {
	const platform = platformProblem();
	if (platform) {
		return {ok: false, ...platform};
	}

	if (!Number.isSafeInteger(pid) || pid < 1 || pid > maxPid) {
		return {ok: false, ...obstacles.badPid(String(pid))};
	}

	const {target, obstacle} = inspect(pid);
	// What rules out only one engine is for that engine to say.
	return target && (!obstacle || obstacle.isAttachOnly) ? {ok: true, target} : {ok: false, ...(obstacle ?? obstacles.absent(pid))};
}

const passwdPath = '/etc/passwd';
/** Enough for some ten thousand users; larger directories are not kept in that file. */
const maxPasswdBytes = 1024 * 1024;

/** Names of users by id, read once for a listing. */
export class UserNames {
	#names: Map<number, string> | undefined;

	/** The user's name, or its number if the name is not known here (another container's user, a directory service). */
	nameOf(uid: number): string {
		if (uid === process.geteuid?.()) {
			try {
				return printable(userInfo().username);
			} catch {
				// A user without a name, as containers have them.
			}
		}

		this.#names ??= readNames();
		return this.#names.get(uid) ?? String(uid);
	}
}

function readNames(): Map<number, string> {
	const read = readBytes(passwdPath, maxPasswdBytes);
	const lines = 'bytes' in read ? read.bytes.toString('utf8').split('\n') : [];
	return new Map(lines.map(line => line.split(':')).filter(fields => fields.length > 2).map(fields => [Number(fields[2]), printable(fields[0])]));
}
