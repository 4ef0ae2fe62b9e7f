import {closeSync, constants, fstatSync, openSync, readlinkSync, readSync} from 'node:fs';
import {printable, safe, type Printable} from '../../util/printable.js';

/** Longer than files such as status, stat, cmdline and environ. */
const maxProcFileBytes = 1024 * 1024;

/** Clock ticks a second in /proc (USER_HZ, time(7)): 100 on all of HotSpot's Linux architectures. */
export const ticksPerSecond = 100;

/** AT_PAGESZ in the auxiliary vector, pairs of words (getauxval(3)). */
const pageSizeEntry = 6;

let pageBytes = 0;

/** Returns the bytes of a page: 4096 on x86-64; 4, 16 or 64 KB on arm64, as the kernel was built. */
export function systemPageBytes(): number {
	pageBytes ||= readPageBytes();
	return pageBytes;
}

function readPageBytes(): number {
	const read = readBytes('/proc/self/auxv');
	const vector = 'bytes' in read ? read.bytes : Buffer.alloc(0);
	for (let at = 0; at + 16 <= vector.length; at += 16) {
		if (vector.readBigUInt64LE(at) === BigInt(pageSizeEntry)) {
			return Number(vector.readBigUInt64LE(at + 8));
		}
	}

	return 4096;
}

/** SIGQUIT is signal 3; bit 0 of a mask is signal 1. */
const quitBit = 2;

/** Fields of /proc/PID/status. Ids are those of our own namespaces. */
export type ProcessStatus = {
	/** The process; differs from PID if that is a thread's id. */
	readonly processId: number;
	/** One letter: R, S, D, T (stopped), t (traced), Z, X... */
	readonly state: string;
	/** Effective user and group. */
	readonly uid: number;
	readonly gid: number;
	/** The process's id in its innermost pid namespace. */
	readonly nsPid: number;
	/** The process has a handler for SIGQUIT, without which the signal would kill it. */
	readonly catchesQuit: boolean;
	readonly ignoresQuit: boolean;
};

/** Fields of /proc/PID/stat. Times in clock ticks, see `ticksPerSecond`. */
export type ProcessStat = {
	readonly state: string;
	readonly userTicks: number;
	readonly threads: number;
	readonly systemTicks: number;
	/** After boot. */
	readonly startTicks: number;
	/** Process group, and the foreground group of its terminal (0 or less without one). */
	readonly group: number;
	readonly foregroundGroup: number;
};

/**
Reads at most `maxBytes` of a file, without blocking on a pipe; returns the error's code if unreadable. Throws if no
more files can be opened.
*/
export function readBytes(path: string, maxBytes = maxProcFileBytes): {bytes: Buffer} | {code: string} {
	let fd: number;
	try {
		fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
	} catch (error) {
		throwIfOutOfFiles(error);
		return {code: errorCode(error)};
	}

	return readOpen(fd, maxBytes);
}

/** Shared by all reads, most of which get some hundred bytes. */
const scratch = Buffer.allocUnsafe(64 * 1024);

/** Reads at most `maxBytes` of an open file and closes it; returns the error's code if unreadable. */
export function readOpen(fd: number, maxBytes: number): {bytes: Buffer} | {code: string} {
	try {
		const parts: Buffer[] = [];
		let total = 0;
		while (total < maxBytes) {
			const count = readSync(fd, scratch, 0, Math.min(scratch.length, maxBytes - total), null);
			if (count === 0) {
				break;
			}

			parts.push(Buffer.from(scratch.subarray(0, count)));
			total += count;
		}

		return {bytes: parts.length === 1 ? parts[0] : Buffer.concat(parts)};
	} catch (error) {
		return {code: errorCode(error)};
	} finally {
		closeSync(fd);
	}
}

/** Reads `length` bytes of an open file from `position` on; fewer if it ends before. Throws the system's error. */
export function readAt(fd: number, position: number, length: number): Buffer {
	const bytes = Buffer.alloc(Math.max(0, Math.min(length, fstatSync(fd).size - position)));
	let total = 0;
	while (total < bytes.length) {
		const count = readSync(fd, bytes, total, bytes.length - total, position + total);
		if (count === 0) {
			break;
		}

		total += count;
	}

	return bytes.subarray(0, total);
}

/** Returns the result of `action`, or `otherwise` if it throws. */
export function attempt<T>(action: () => T, otherwise: T): T {
	try {
		return action();
	} catch {
		return otherwise;
	}
}

/** Returns the result of `action` on an open file, and closes the file, also if it throws. */
export function closing<T>(fd: number, action: (fd: number) => T): T {
	try {
		return action(fd);
	} finally {
		closeSync(fd);
	}
}

/** Returns where a symbolic link leads; empty if unreadable. */
export function linkOf(path: string): string {
	return attempt(() => readlinkSync(path), '');
}

/** Returns the `code` of a system error, such as ENOENT. */
export function errorCode(error: unknown): Printable {
	return printable((error as NodeJS.ErrnoException).code ?? 'UNKNOWN');
}

/** Reads at most `maxBytes` of a file as text; undefined if unreadable. Throws if no more files can be opened. */
export function readText(
	path: string,
	maxBytes = maxProcFileBytes,
	encoding: BufferEncoding = 'utf8',
): string | undefined {
	const read = readBytes(path, maxBytes);
	return 'bytes' in read ? read.bytes.toString(encoding) : undefined;
}

/** Reads a small /proc file of a process as Latin-1 text; undefined if unreadable. */
export function readProc(pid: number | 'self', name: string): string | undefined {
	return readText(`/proc/${pid}/${name}`, maxProcFileBytes, 'latin1');
}

/** Reads the strings of a NUL-separated /proc file (cmdline, environ); empty if unreadable. Not yet printable. */
export function readProcStrings(pid: number, name: 'cmdline' | 'environ'): string[] {
	const strings = readText(`/proc/${pid}/${name}`)?.split('\0') ?? [];
	return strings.at(-1) === '' ? strings.slice(0, -1) : strings;
}

/** Parses /proc/PID/status (proc(5)); undefined if malformed. NSpid is absent before Linux 4.1. */
export function parseStatus(text: string): ProcessStatus | undefined {
	const field = (name: string) => new RegExp(`^${name}:[\\t ]*(.*)$`, 'm').exec(text)?.[1].trim().split(/\s+/) ?? [];
	const processId = Number(field('Tgid')[0]);
	const uid = Number(field('Uid')[1]);
	const gid = Number(field('Gid')[1]);
	if (!Number.isSafeInteger(processId) || !Number.isSafeInteger(uid) || !Number.isSafeInteger(gid)) {
		return undefined;
	}

	return {
		processId,
		state: field('State')[0] ?? '?',
		uid,
		gid,
		nsPid: Number(field('NSpid').at(-1)) || processId,
		catchesQuit: hasSigquit(field('SigCgt')[0]),
		ignoresQuit: hasSigquit(field('SigIgn')[0]),
	};
}

function hasSigquit(mask = ''): boolean {
	return /^[\da-f]+$/i.test(mask) && ((Number.parseInt(mask.slice(-1), 16) >> quitBit) & 1) === 1;
}

/** Parses /proc/PID/stat (proc(5)), whose command name may contain any characters; undefined if malformed. */
export function parseStat(text: string): ProcessStat | undefined {
	// The state, field 3 in proc(5), is the first after the name.
	const fields = text.slice(text.lastIndexOf(')') + 2).trim().split(' ', 20);
	const numbers = [2, 5, 11, 12, 17, 19].map(index => Number(fields[index]));
	const [group, foregroundGroup, userTicks, systemTicks, threads, startTicks] = numbers;
	if (!Number.isSafeInteger(startTicks) || fields.length < 20) {
		return undefined;
	}

	return {state: fields[0], userTicks, systemTicks, threads, startTicks, group, foregroundGroup};
}

/** Reads a process's status; undefined if there is no such process, or /proc hides it. */
export function readStatus(pid: number): ProcessStatus | undefined {
	const text = readProc(pid, 'status');
	return text === undefined ? undefined : parseStatus(text);
}

/** Reads a process's stat; undefined if there is no such process, or /proc hides it. */
export function readStat(pid: number): ProcessStat | undefined {
	const text = readProc(pid, 'stat');
	return text === undefined ? undefined : parseStat(text);
}

/** Whether the process still exists: same pid, same start, not a zombie. */
export function isAlive(target: {readonly pid: number; readonly startTicks: number}): boolean {
	const stat = readStat(target.pid);
	return stat?.startTicks === target.startTicks && stat.state !== 'Z' && stat.state !== 'X';
}

/**
Returns the kernel's name of a process (15 bytes, not yet printable); undefined if it is ending and has no memory.
*/
export function programOf(pid: number): string | undefined {
	return /^[1-9]/.test(readProc(pid, 'statm') ?? '') ? readProc(pid, 'comm')?.trimEnd() : undefined;
}

/** Returns the epoch milliseconds, accurate to a second, of clock ticks after boot; 0 if unknown. */
export function startMs(startTicks: number): number {
	const boot = /^btime (\d+)$/m.exec(readText('/proc/stat') ?? '');
	return boot ? (Number(boot[1]) * 1000) + (startTicks * 1000 / ticksPerSecond) : 0;
}

/** Returns the age of a process in milliseconds, accurate to a second. */
export function processAgeMs(startTicks: number): number {
	return Date.now() - startMs(startTicks);
}

/** An errno at the beginning of an error's code or message; in a worker's, behind what Node says of the worker. */
const limitOnFiles = /^(?:Worker initialization failure: )?(EMFILE|ENFILE)\b/;

/** Returns reason and hint for an error from a limit on open files, else undefined. */
export function outOfFiles(error: unknown): {readonly reason: Printable; readonly hint: Printable} | undefined {
	const {code = '', message = ''} = error as NodeJS.ErrnoException;
	const [, found] = limitOnFiles.exec(code) ?? limitOnFiles.exec(message) ?? [];
	if (found === undefined) {
		return undefined;
	}

	return found === 'EMFILE'
		? {reason: safe`too many open files (EMFILE)`, hint: safe`raise the limit of open files: ulimit -n 1024`}
		: {
			reason: safe`too many open files on this system (ENFILE)`,
			hint: safe`raise fs.file-max, or end the process that has most of them open`,
		};
}

/** Rethrows an error from a limit on open files, which says nothing about the file. */
export function throwIfOutOfFiles(error: unknown): void {
	if (outOfFiles(error)) {
		throw error;
	}
}
