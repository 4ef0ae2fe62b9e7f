import {existsSync, realpathSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {isSingleFile} from '../util/bundle.js';
import {printable, safe, type Printable} from '../util/printable.js';
import {attempt} from './system/proc.js';

/** Why a process cannot be profiled, by any engine or by one. */
export type Obstacle = {
	/** Printable lines: why, and what to do about it (may be empty). */
	readonly reason: Printable;
	readonly hint: Printable;
	/** Both in a few words, for a cell of a table; by default that is `reason`. */
	readonly brief?: Printable;
	/** Whether it will soon go away by itself. */
	readonly isPassing?: boolean;
	/** Found before an engine is chosen. Whether it rules out only the attach socket: an engine without it may work. */
	readonly isAttachOnly?: boolean;
	/** Said by an engine. Whether others may work; the caller adds their names to the hint. */
	readonly otherEnginesMayWork?: boolean;
};

const seeList = safe`tprof-top list shows the JVMs that can be profiled`;

/** Returns the command that runs us as another user, by number if the name is unusual. */
export function sudoCommand(pid: number, user: Printable, uid: number): Printable {
	return safe`sudo -u ${/^[a-z_][\w.-]*$/i.test(user) ? user : safe`'#${uid}'`} ${ourCommand()} ${pid}`;
}

/** The folders in which sudo finds commands, by the secure_path of most distributions. */
const sudoPath: readonly string[] = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Returns what starts us under sudo: `tprof-top` if sudo finds this installation by that name, or node and a path. */
export function ourCommand(script = ourScript(), node = process.execPath, folders = sudoPath): Printable {
	const isFound = (name: string, file: string) => {
		const first = folders.map(folder => path.join(folder, name)).find(candidate => existsSync(candidate));
		return first !== undefined && attempt(() => realpathSync(first) === realpathSync(file), false);
	};

	if (isFound('tprof-top', script) && (isSingleFile || isFound('node', node))) {
		return safe`tprof-top`;
	}

	return isSingleFile ? quoted(script) : safe`${quoted(node)} ${quoted(script)}`;
}

/** Returns the path of the program that was started; in a worker, whose argument is its own file, the one beside it. */
function ourScript(): string {
	if (isSingleFile) {
		return process.execPath;
	}

	const [, started = ''] = process.argv;
	const folder = path.dirname(started);
	return [folder, path.dirname(folder)].map(each => path.join(each, 'cli.js')).find(file => existsSync(file))
		?? started;
}

function quoted(word: string): Printable {
	return printable(/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll('\'', String.raw`'\''`)}'`, 4096);
}

export const obstacles = {
	badPid: (text: Printable): Obstacle => ({reason: safe`"${text}" is not a process id`, hint: seeList}),
	absent: (pid: number): Obstacle => ({reason: safe`there is no process ${pid}`, hint: seeList}),
	hidden: (pid: number): Obstacle => ({
		reason: safe`process ${pid} belongs to another user, and you cannot see it`,
		hint: safe`run tprof-top as that user, or as root`,
	}),
	thread: (tid: number, pid: number): Obstacle => ({
		reason: safe`${tid} is a thread of process ${pid}`,
		hint: safe`use the process: tprof-top ${pid}`,
	}),
	zombie: (pid: number): Obstacle => ({
		reason: safe`process ${pid} has ended (a zombie, not yet reaped by its parent)`,
		hint: seeList,
	}),
	otherUser: (pid: number, user: Printable, uid: number): Obstacle => ({
		reason: safe`process ${pid} belongs to user ${user}`,
		hint: safe`run as that user or as root: ${sudoCommand(pid, user, uid)}`,
		brief: safe`another user's: sudo ${ourCommand()} ${pid}`,
	}),
	closed: (pid: number): Obstacle => ({
		reason:
			safe`process ${pid} cannot be inspected: no permission (another group, extra capabilities, or not dumpable)`,
		hint: safe`run tprof-top as root, or with the same group as the JVM`,
	}),
	closedToRoot: (pid: number): Obstacle => ({
		reason:
			safe`process ${
				pid
			} cannot be inspected: it is closed even to root here ${
				'(it belongs to another user namespace, or a security module protects it)'
			}`,
		hint: safe`run tprof-top on the host, outside this container`,
	}),
	withoutCapability: (pid: number): Obstacle => ({
		reason: safe`process ${pid} cannot be inspected: root lacks CAP_SYS_PTRACE, as in most containers`,
		hint: safe`start the container with --cap-add SYS_PTRACE, or run tprof-top as the user of the JVM`,
	}),
	noJvm: (pid: number, name: Printable): Obstacle => ({
		reason: safe`process ${pid} (${name}) is not a JVM`,
		hint: seeList,
	}),
	noVm: (pid: number): Obstacle => ({
		reason: safe`process ${pid} has loaded libjvm.so, but no JVM is running in it`,
		hint: safe`the program may start its JVM later; try again then`,
	}),
	openJ9: (pid: number): Obstacle => ({
		reason: safe`process ${pid} runs OpenJ9; tprof-top supports only HotSpot`,
		hint: safe`OpenJ9 has a different attach protocol and answers signals with a javacore file`,
	}),
	nativeImage: (pid: number): Obstacle => ({
		reason: safe`process ${pid} is a GraalVM native image; there is no JVM in it`,
		hint: safe`use a native profiler such as perf`,
	}),
	starting: (pid: number): Obstacle => ({
		reason: safe`JVM ${pid} is still starting up`,
		hint: safe`try again in a moment`,
		isPassing: true,
	}),
	noHandler: (pid: number): Obstacle => ({
		reason: safe`JVM ${pid} does not handle SIGQUIT and has no attach socket`,
		hint: safe`a signal would kill it; if its socket in /tmp was removed, restart it to attach`,
		isAttachOnly: true,
	}),
	embedded: (pid: number): Obstacle => ({
		reason: safe`JVM ${pid} runs inside another program, which may handle SIGQUIT itself, and has no attach socket`,
		hint: safe`start its JVM with -XX:+StartAttachListener, which opens the socket without a signal`,
		isAttachOnly: true,
	}),
	reducedSignals: (pid: number): Obstacle => ({
		reason: safe`JVM ${pid} runs with -Xrs and its attach socket is gone from /tmp`,
		hint: safe`a signal would kill it; restart it without -Xrs, or keep its socket in /tmp`,
		isAttachOnly: true,
	}),
	attachDisabled: (pid: number): Obstacle => ({
		reason: safe`JVM ${pid} was started with -XX:+DisableAttachMechanism`,
		hint: safe`restart it without that flag`,
		isAttachOnly: true,
	}),
	outOfFiles: (pid: number, limit: number): Obstacle => ({
		reason: safe`JVM ${pid} has ${limit} files open, as many as it may: it cannot take a connection`,
		hint: safe`raise its limit: sudo prlimit --pid ${pid} --nofile=${2 * limit}`,
		otherEnginesMayWork: true,
	}),
	stopped: (pid: number): Obstacle => ({
		reason: safe`process ${pid} is stopped (SIGSTOP or Ctrl-Z)`,
		hint: safe`resume it with kill -CONT ${pid}`,
	}),
	frozen: (pid: number): Obstacle => ({
		reason: safe`process ${pid} is frozen by its cgroup`,
		hint: safe`thaw it: docker unpause, or write 0 to cgroup.freeze of the group`,
	}),
	traced: (pid: number): Obstacle => ({
		reason: safe`process ${pid} is stopped by a debugger`,
		hint: safe`continue it there, or detach the debugger`,
	}),
};

/** Returns the obstacle on other operating systems than Linux, whose /proc is needed. */
export function platformProblem(platform: NodeJS.Platform = process.platform): Obstacle | undefined {
	return platform === 'linux'
		? undefined
		: {
			reason: safe`tprof-top runs only on Linux, not on ${platform}`,
			hint:
				safe`run it on the host (or in the container) where the JVM runs; saved files open anywhere: tprof-top open FILE`,
		};
}
