import {readlinkSync} from 'node:fs';
import {bounded} from '../../model/get-or-create.js';
import {printable} from '../../model/text.js';
import {errorCode, readText} from '../system/proc.js';
import {Sockets, type Socket} from './sockets.js';

export type Descriptor = Partial<Socket> & {
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

export class Descriptors {
	readonly #pid: number;
	readonly #sockets: Sockets;
	readonly #epolls = new Map<number, {readonly peer: string; readonly readMs: number}>();

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
			// Events, timers and pipes are there to wake the waiting thread.
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
		const known = this.#epolls.get(epoll);
		if (known && nowMs - known.readMs < epollEveryMs) {
			return known.peer;
		}

		const list = readText(`/proc/${this.#pid}/fdinfo/${epoll}`, maxListBytes) ?? '';
		const fds = Array.from(list.matchAll(/^tfd:\s*(\d+) /gm), ([, fd]) => Number(fd));
		const peer = this.peersOf(fds.slice(0, maxMembers));
		bounded(this.#epolls, maxCachedEpolls).set(epoll, {peer, readMs: nowMs});
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
		const types: Readonly<Record<string, Descriptor['type']>> = {eventpoll: 'epoll', eventfd: 'event', timerfd: 'timer'};
		return kind === undefined ? {type: 'file', peer: printable(link)} : {type: types[kind] ?? 'file', peer: printable(kind)};
	}
}

function namedAs(fd: number, name: string): string {
	return fd === 0 ? `${name} (standard input)` : name;
}
