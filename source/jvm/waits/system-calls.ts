import process from 'node:process';
import {existsSync, openSync, readlinkSync, readSync} from 'node:fs';
import {bounded} from '../../util/get-or-create.js';
import {printable} from '../../util/printable.js';
import {attempt, closing, errorCode, readBytes, readText} from '../system/proc.js';
import type {Target} from '../target.js';
import {Sockets, type Socket} from './sockets.js';

type SystemCallWait = {
	/** What the thread waits to do: `read`, `accept`, `select`... */
	readonly kind: string;
	/** With whom or what, or why that cannot be read; empty if the call does not say. */
	readonly peer: string;
	/** As `Socket.end`; or the id of a child process; else 0. */
	readonly end: number;
};

const epollKind = 'select';

/** The numbers of system calls by what they wait for, on one architecture. */
type CallNumbers = {
	/** Calls that wait for the file in their first argument. */
	readonly ofFile: Readonly<Record<string, readonly number[]>>;
	/** Calls that wait for no file, or for several. */
	readonly other: Readonly<Record<string, readonly number[]>>;
	/** epoll_wait and its variants, whose first argument is the epoll. */
	readonly epoll: readonly number[];
	/** Its second argument is the child. */
	readonly waitid: number;
};

/** By `process.arch` (arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h). */
const callNumbersOf: Readonly<Record<string, CallNumbers>> = {
	x64: {
		ofFile: {
			read: [0, 17, 19, 45, 47, 295, 299, 327],
			write: [1, 18, 20, 40, 44, 46, 296, 307, 328],
			connect: [42],
			accept: [43, 288],
			'file lock': [72, 73],
			sync: [74, 75],
		},
		other: {
			[epollKind]: [23, 232, 270, 281, 426, 441],
			poll: [7, 271],
			child: [61, 247],
			sleep: [35, 230],
			'native lock': [202],
			open: [2, 257],
			signal: [34, 128],
		},
		epoll: [232, 281, 441],
		waitid: 247,
	},
	arm64: {
		ofFile: {
			read: [63, 67, 65, 207, 212, 69, 243, 286],
			write: [64, 68, 66, 71, 206, 211, 70, 269, 287],
			connect: [203],
			accept: [202, 242],
			'file lock': [25, 32],
			sync: [82, 83],
		},
		other: {
			[epollKind]: [72, 22, 426, 441],
			poll: [73],
			child: [260, 95],
			sleep: [101, 115],
			'native lock': [98],
			open: [56],
			signal: [133, 137],
		},
		epoll: [22, 441],
		waitid: 95,
	},
};

const callNumbers = callNumbersOf[process.arch];
const kindOfFileCall = byNumber(callNumbers?.ofFile ?? {});
const kindOfOtherCall = byNumber(callNumbers?.other ?? {});

/** Maximum number of a poll's files examined; bytes of a struct pollfd; and the event "may be written" (poll(2)). */
const maxPolled = 16;
const pollfdBytes = 8;
const pollOut = 4;

/** Kind and peer of a wait that cannot be read. */
const unknownCall = 'native call';
const needsRoot = 'not readable: needs root';

/**
Reads what threads of a process wait for in system calls. /proc/PID/task/TID/syscall has the call and its arguments,
which identify the files. Only those who may trace the process can read it.
*/
export class SystemCalls {
	readonly #pid: number;
	readonly #isOurNamespace: boolean;
	readonly #descriptors: Descriptors;
	/** Kernels without CONFIG_HAVE_ARCH_TRACEHOOK do not have the file. */
	readonly #isSupported = callNumbers !== undefined && existsSync('/proc/self/syscall');

	constructor({pid, nsPid}: Pick<Target, 'pid' | 'nsPid'>) {
		this.#pid = pid;
		this.#isOurNamespace = pid === nsPid;
		this.#descriptors = new Descriptors(pid);
	}

	/** Returns what a thread waits for; undefined if it is in none of the calls above, or has ended. Never throws. */
	of(thread: number): SystemCallWait | undefined {
		// Too many open files: the next reading may succeed.
		return attempt(() => this.#read(thread), undefined);
	}

	/** Returns the wait for an open file; for an epoll, with its members. Never throws. */
	ofFile(kind: 'read' | 'write', fd: number): SystemCallWait {
		const wait = this.#fileWait(kind, fd);
		return wait.kind === epollKind ? waitFor(wait.kind, this.#descriptors.membersOf(fd)) : wait;
	}

	#read(thread: number): SystemCallWait | undefined {
		if (!this.#isSupported) {
			return waitFor(unknownCall, 'not readable on this host');
		}

		const read = readBytes(`/proc/${this.#pid}/task/${thread}/syscall`);
		if (!('bytes' in read)) {
			return isForbidden(read.code) ? waitFor(unknownCall, needsRoot) : undefined;
		}

		// The number and six arguments; or "running", or -1 outside a call.
		const [number, ...args] = read.bytes.toString('latin1').split(' ');
		return /^\d+$/.test(number) && args.length >= 6 ? this.#waitOf(Number(number), args) : undefined;
	}

	#waitOf(call: number, args: readonly string[]): SystemCallWait | undefined {
		const fileKind = kindOfFileCall.get(call);
		if (fileKind !== undefined) {
			return this.#fileWait(fileKind, intOf(args[0]));
		}

		const kind = kindOfOtherCall.get(call);
		if (kind === 'poll') {
			return this.#poll(Number(args[0]), intOf(args[1]));
		}

		if (kind === 'child') {
			return this.#child(intOf(args[call === callNumbers.waitid ? 1 : 0]));
		}

		return kind === undefined
			? undefined
			: waitFor(kind, callNumbers.epoll.includes(call) ? this.#descriptors.membersOf(intOf(args[0])) : '');
	}

	#fileWait(kind: string, fd: number): SystemCallWait {
		const file = this.#descriptors.of(fd);
		return 'type' in file
			? waitFor(kindFor(kind, file), file.peer, file.end)
			: waitFor(kind, isForbidden(file.code) ? needsRoot : '');
	}

	/** Reads the array of struct pollfd at `address`: each has a file (32 bits) and events to wait for (16 bits). */
	#poll(address: number, count: number): SystemCallWait {
		if (count <= 0) {
			return waitFor('sleep', '');
		}

		const bytes = this.#memory(address, pollfdBytes * Math.min(count, maxPolled));
		const offsets = Array.from(
			{length: Math.floor(bytes.length / pollfdBytes)},
			(_, index) => pollfdBytes * index,
		);
		// poll(2) ignores negative descriptors.
		const all = offsets.map(at => ({fd: bytes.readInt32LE(at), events: bytes.readInt16LE(at + 4)}));
		const files = all.filter(({fd}) => fd >= 0);
		return files.length === 1
			? this.#fileWait(files[0].events === pollOut ? 'write' : 'read', files[0].fd)
			: waitFor('poll', this.#descriptors.peersOf(files.map(({fd}) => fd)));
	}

	#child(id: number): SystemCallWait {
		const name = id > 0 && this.#isOurNamespace ? readText(`/proc/${id}/comm`)?.trimEnd() ?? '' : '';
		return waitFor('child', printable(name), Math.max(0, id));
	}

	#memory(address: number, length: number): Buffer {
		const bytes = Buffer.alloc(length);
		const count = attempt(
			() => closing(openSync(`/proc/${this.#pid}/mem`, 'r'), fd => readSync(fd, bytes, 0, length, address)),
			0,
		);
		return bytes.subarray(0, count);
	}
}

/** Returns the kind of a wait for reading or writing, which depends on the file too: it may be for a connection. */
function kindFor(kind: string, {type, isListening, isConnecting}: Descriptor): string {
	if (type === 'timer' || type === 'epoll') {
		return type === 'timer' ? type : epollKind;
	}

	const socketKind = isConnecting ? 'connect' : kind;
	return isListening ? 'accept' : socketKind;
}

function waitFor(kind: string, peer: string, end = 0): SystemCallWait {
	return {kind, peer, end};
}

function isForbidden(code: string): boolean {
	return code === 'EACCES' || code === 'EPERM';
}

/** Turns the numbers of system calls by kind into kinds by number. */
function byNumber(calls: Readonly<Record<string, readonly number[]>>): ReadonlyMap<number, string> {
	return new Map(Object.entries(calls).flatMap(([kind, numbers]) => numbers.map(number => [number, kind] as const)));
}

/** Returns an argument of type int: the lower 32 bits of a hexadecimal number, signed. */
function intOf(argument: string): number {
	return Int32Array.of(Number.parseInt(argument.slice(2).slice(-8), 16))[0];
}

type Descriptor = Partial<Socket> & {
	readonly type: 'socket' | 'pipe' | 'timer' | 'event' | 'epoll' | 'file';
	/** A socket's peer, a file's path, or the type of a file without a name. */
	readonly peer: string;
};

/** Maximum number of an epoll's members examined, and of bytes read of its list. */
const maxMembers = 64;
const maxListBytes = 64 * 1024;

const maxNamedPeers = 3;

/** How often an epoll's members are read: the kernel keeps it locked while it writes the list. */
const epollEveryMs = 10_000;

const maxCachedEpolls = 256;

/** The open files of a process. */
class Descriptors {
	readonly #pid: number;
	readonly #sockets: Sockets;
	readonly #epolls = new Map<number, {readonly peer: string; readonly readAtMs: number}>();

	constructor(pid: number) {
		this.#pid = pid;
		this.#sockets = new Sockets(pid);
	}

	/** Returns what an open file is; the error's code if unreadable. */
	of(fd: number): Descriptor | {readonly code: string} {
		try {
			return this.#described(fd, readlinkSync(`/proc/${this.#pid}/fd/${fd}`));
		} catch (error) {
			return {code: errorCode(error)};
		}
	}

	/** Returns the peers of files that a thread waits for together, at most three; empty if none has a name. */
	peersOf(fds: Iterable<number>): string {
		const peers = new Set<string>();
		for (const fd of fds) {
			const found = this.of(fd);
			// Events, timers and pipes only wake the waiting thread.
			if ('type' in found && (found.type === 'socket' || found.type === 'file')) {
				peers.add(found.isListening ? `connections to ${found.peer}` : found.peer);
			}
		}

		const named = [...peers].sort();
		return [...named.slice(0, maxNamedPeers), ...(named.length > maxNamedPeers ? ['others'] : [])].join(', ');
	}

	/** Returns the peers of an epoll's members, at most ten seconds old. */
	membersOf(epoll: number): string {
		const nowMs = performance.now();
		const last = this.#epolls.get(epoll);
		if (last && nowMs - last.readAtMs < epollEveryMs) {
			return last.peer;
		}

		const list = readText(`/proc/${this.#pid}/fdinfo/${epoll}`, maxListBytes) ?? '';
		const fds = Array.from(list.matchAll(/^tfd:\s*(\d+) /gm), ([, fd]) => Number(fd));
		const peer = this.peersOf(fds.slice(0, maxMembers));
		bounded(this.#epolls, maxCachedEpolls).set(epoll, {peer, readAtMs: nowMs});
		return peer;
	}

	#described(fd: number, link: string): Descriptor {
		const [, type, inode] = /^(socket|pipe):\[(\d+)]$/.exec(link) ?? [];
		if (type === 'socket') {
			const socket = this.#sockets.of(inode);
			return {type, ...socket, peer: socket ? namedAs(fd, socket.peer) : 'socket'};
		}

		if (type === 'pipe') {
			return {type, peer: namedAs(fd, 'pipe')};
		}

		const [, kind] = /^anon_inode:\[?([^\]]*)/.exec(link) ?? [];
		const types: Readonly<Record<string, Descriptor['type']>> = {
			eventpoll: 'epoll',
			eventfd: 'event',
			timerfd: 'timer',
		};
		return kind === undefined
			? {type: 'file', peer: printable(link)}
			: {type: types[kind] ?? 'file', peer: printable(kind)};
	}
}

function namedAs(fd: number, name: string): string {
	return fd === 0 ? `${name} (standard input)` : name;
}
