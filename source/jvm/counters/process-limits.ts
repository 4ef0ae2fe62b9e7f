import {readdirSync, statSync} from 'node:fs';
import {totalmem} from 'node:os';
import path from 'node:path';
import type {TargetVitals} from '../../model/snapshot.js';
import {groupFiles, groupFolders, readGroupFile, readGroupNumber, valueIn} from '../system/cgroups.js';
import {Sockets, type Socket} from '../waits/sockets.js';
import {printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import {attempt, linkOf, readProc} from '../system/proc.js';

type Figures = Pick<
	TargetVitals,
	| 'allowedCpus'
	| 'memoryBytes'
	| 'memoryMaxBytes'
	| 'openFiles'
	| 'openFilesMax'
	| 'openMostly'
	| 'openMostlyCount'
	| 'openPaths'
	| 'openPipes'
	| 'openSockets'
	| 'rssAnonBytes'
	| 'rssBytes'
	| 'rssSharedBytes'
	| 'tasks'
	| 'tasksMax'
>;

/** Reads what a process uses of the limits that the kernel sets it: open files, and memory and tasks of its cgroups. */
export class ProcessLimits {
	readonly #pid: number;
	/** The files of limits of its groups. */
	readonly #memory: readonly string[];
	readonly #tasks: readonly string[];
	readonly #openFiles: OpenFiles;

	constructor(pid: number) {
		this.#pid = pid;
		const folders = groupFolders(pid, 'memory');
		this.#memory = ['memory.max', 'memory.limit_in_bytes'].flatMap(name => groupFiles(folders, name));
		this.#tasks = groupFiles(groupFolders(pid, 'pids'), 'pids.max');
		this.#openFiles = new OpenFiles(pid);
	}

	/** Returns the figures; undefined if unreadable, or if there is no limit. */
	read(): Figures {
		const status = readProc(this.#pid, 'status') ?? '';
		const kilobytes = (name: string) => {
			const [, count] = new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status) ?? [];
			return count === undefined ? undefined : 1024 * Number(count);
		};

		const memory = nearest(this.#memory.map(file => memoryOf(file)));
		const tasks = nearest(this.#tasks.map(file => usageOf(file, 'pids.current')));
		const [, openFilesMax] = /^Max open files +(\d+)/m.exec(readProc(this.#pid, 'limits') ?? '') ?? [];
		const [, allowedCpus = ''] = /^Cpus_allowed_list:\s+(\S+)$/m.exec(status) ?? [];
		return {
			allowedCpus: cpusIn(allowedCpus),
			rssBytes: kilobytes('VmRSS'),
			rssAnonBytes: kilobytes('RssAnon'),
			rssSharedBytes: kilobytes('RssShmem'),
			memoryBytes: memory?.used,
			memoryMaxBytes: memory?.max,
			...this.#openFiles.read(),
			openFilesMax: openFilesMax === undefined ? undefined : Number(openFilesMax),
			tasks: tasks?.used,
			tasksMax: tasks?.max,
		};
	}
}

/** Returns how many CPUs a list such as "0-3,7" names (cpuset(7)); undefined for an empty one. */
function cpusIn(list: string): number | undefined {
	const counts = list.split(',').map(range => {
		const [first, last = first] = range.split('-').map(Number);
		return last - first + 1;
	});
	const count = sumOf(counts, each => each);
	return list !== '' && count > 0 ? count : undefined;
}

type Usage = {readonly used: number; readonly max: number};

/** Returns the one of the usages of which most is used up; undefined if there is none. */
function nearest(usages: ReadonlyArray<Usage | undefined>): Usage | undefined {
	const limited = usages.filter(usage => usage !== undefined);
	return limited.sort((a, b) => (b.used / b.max) - (a.used / a.max)).at(0);
}

/** Returns what a group uses of a limit, which is in a file beside that of `name`; undefined if it has no limit. */
function usageOf(limit: string, name: string, highest = Infinity): Usage | undefined {
	const max = readGroupNumber(limit);
	const used = max && max <= highest ? readGroupNumber(path.join(path.dirname(limit), name)) : undefined;
	return max && used !== undefined ? {used, max} : undefined;
}

/**
Returns the memory of a group that the kernel cannot reclaim, which is all but cached files, and the group's limit.
Above it the kernel ends a process of the group.
*/
function memoryOf(limit: string): Usage | undefined {
	const isVersion2 = path.basename(limit) === 'memory.max';
	// Version 1 has a huge number for no limit.
	const usage = usageOf(limit, isVersion2 ? 'memory.current' : 'memory.usage_in_bytes', totalmem());
	if (!usage) {
		return undefined;
	}

	const stat = readGroupFile(path.join(path.dirname(limit), 'memory.stat'));
	const prefix = isVersion2 ? '' : 'total_';
	const cached = valueIn(stat, `${prefix}inactive_file`) + valueIn(stat, `${prefix}active_file`);
	return {...usage, used: Math.max(0, usage.used - cached)};
}

/** Files are listed again after this time, or after this multiple of what the last list took, at most a minute. */
const listEveryMs = 5000;
const listPause = 1000;
const maxListPauseMs = 60_000;

/** Most files of which the kinds are read. */
const maxListed = 10_000;

/** Kinds of open files by what their links begin with (proc_pid_fd(5)). */
const kinds = [
	{figure: 'openSockets', start: 'socket:'}, {figure: 'openPipes', start: 'pipe:'}, {figure: 'openPaths', start: '/'},
] as const;

type OfFiles = Pick<Figures, 'openMostly' | 'openMostlyCount' | (typeof kinds)[number]['figure']>;

/** Counts open files: since Linux 6.2 the size of /proc/PID/fd; before, the length of the list. */
class OpenFiles {
	readonly #folder: string;
	readonly #sockets: Sockets;
	#listed: {readonly count?: number; readonly ofFiles: OfFiles} = {ofFiles: {}};
	#againAtMs = -Infinity;

	constructor(pid: number) {
		this.#folder = `/proc/${pid}/fd`;
		this.#sockets = new Sockets(pid, {withUnix: false});
	}

	/** Returns the number of open files, and what they were when they were last listed. */
	read(): OfFiles & Pick<Figures, 'openFiles'> {
		const startMs = performance.now();
		if (startMs >= this.#againAtMs) {
			this.#listed = this.#list();
			const pauseMs = listPause * (performance.now() - startMs);
			this.#againAtMs = startMs + Math.max(listEveryMs, Math.min(maxListPauseMs, pauseMs));
		}

		const size = attempt(() => statSync(this.#folder).size, 0);
		return {openFiles: size > 0 ? size : this.#listed.count, ...this.#listed.ofFiles};
	}

	#list(): {readonly count?: number; readonly ofFiles: OfFiles} {
		const names = attempt(() => readdirSync(this.#folder), undefined);
		const shown = names && names.length <= maxListed ? names : [];
		const links = shown.map(name => linkOf(path.join(this.#folder, name)));
		const areReadable = links.some(link => link !== '');
		return {
			count: names?.length,
			ofFiles: areReadable
				? {
					...Object.fromEntries(kinds.map(({figure, start}) =>
						[figure, links.filter(link => link.startsWith(start)).length])),
					...this.#mostOf(links),
				}
				: {},
		};
	}

	/** Returns what most of the files are, by their links. */
	#mostOf(links: readonly string[]): Pick<OfFiles, 'openMostly' | 'openMostlyCount'> {
		const counts = new Map<string, number>();
		for (const link of links) {
			const [, inode] = /^socket:\[(\d+)]$/.exec(link) ?? [];
			const what = inode === undefined ? fileOf(link) : socketOf(this.#sockets.of(inode));
			counts.set(what, 1 + (counts.get(what) ?? 0));
		}

		const [what, count] = [...counts].sort(([, a], [, b]) => b - a)[0];
		return {openMostly: printable(what), openMostlyCount: count};
	}
}

/** Returns what a file that is no socket is, for several of its kind: `files in /tmp`, `pipes`. */
function fileOf(link: string): string {
	if (link.startsWith('/')) {
		return link.endsWith(' (deleted)') ? `deleted files in ${path.dirname(link)}` : `files in ${path.dirname(link)}`;
	}

	return link.startsWith('pipe:') ? 'pipes' : 'other files';
}

/** Returns what a socket is, for several of its kind. */
function socketOf(socket: Socket | undefined): string {
	if (!socket) {
		return 'sockets';
	}

	const {peer, isListening} = socket;
	if (isListening) {
		return 'listening sockets';
	}

	return peer.startsWith('clients of') ? `sockets of ${peer}` : `sockets to ${peer}`;
}
