import {printable} from '../../model/text.js';
import {loadLibc} from '../system/koffi.js';
import {linkOf, readText} from '../system/proc.js';

export type Socket = {
	/** Its peer: `10.0.0.5:5432`, `clients of :8080`, `/run/x.sock`; of a listening socket, its own address. */
	readonly peer: string;
	/**
	The end of a connection whose port the kernel chose, which is the target's if it connected, otherwise the client's:
	IPv4 address times 65,536, plus port. The port alone for IPv6; 0 for other sockets.
	*/
	readonly end: number;
	readonly isListening: boolean;
	/** It has requested a connection that is not yet established. */
	readonly isConnecting: boolean;
};

const plainSocket = {end: 0, isListening: false, isConnecting: false};

/** Sockets beyond this are unknown. */
const maxTableBytes = 4 * 1024 * 1024;

/** Interval between reads of the tables, also as a multiple of the time that a read takes. */
const readEveryMs = 1000;
const readEveryTimes = 200;

/** Number of fields of a row up to the inode. */
const inetFields = 10;
const unixFields = 7;

/** States of TCP sockets, and the flag of Unix sockets that listen (Linux net/tcp_states.h, net.h). */
const synSent = '02';
const listening = '0A';
const acceptsConnections = 0x1_00_00;

/** By inode: decodes a socket when needed, as most never are. */
type SocketTable = Map<string, () => Socket>;

type Address = {readonly host: string; readonly ip4: number; readonly port: number};

/** Finds sockets by inode in the tables of a process's network namespace: /proc/PID/net/tcp and others (proc(5)). */
export class Sockets {
	readonly #pid: number;
	#sockets: SocketTable = new Map();
	#readAtMs = Number.NEGATIVE_INFINITY;

	constructor(pid: number) {
		this.#pid = pid;
	}

	/** Returns a socket; undefined if no table has it. Reads unknown and connecting ones again, within limits. */
	of(inode: string): Socket | undefined {
		const known = this.#sockets.get(inode)?.();
		if (known && !known.isConnecting) {
			return known;
		}

		this.#read();
		return this.#sockets.get(inode)?.();
	}

	#read(): void {
		const beganMs = performance.now();
		if (beganMs < this.#readAtMs) {
			return;
		}

		const sockets: SocketTable = new Map();
		const tcp = [...this.#rows('tcp', inetFields), ...this.#rows('tcp6', inetFields)].map(row => inetRow(row));
		const listeningPorts = new Set(tcp.filter(({state}) => state === listening).map(({port}) => port));
		for (const row of tcp) {
			sockets.set(row.inode, () => tcpSocket(row, listeningPorts.has(row.port)));
		}

		for (const row of [...this.#rows('udp', inetFields), ...this.#rows('udp6', inetFields)]) {
			const {inode, local, remote} = inetRow(row);
			sockets.set(inode, () => udpSocket(local, remote));
		}

		this.#readUnix(sockets);
		this.#sockets = sockets;
		const endedMs = performance.now();
		this.#readAtMs = endedMs + Math.max(readEveryMs, readEveryTimes * (endedMs - beganMs));
	}

	#readUnix(sockets: SocketTable): void {
		const isOurNetwork = isInOurNetwork(this.#pid);
		const rows = this.#rows('unix', unixFields);
		const listeningNames = new Set(rows.filter(row => isUnixListener(row)).map(row => row.slice(7).join(' ')));
		for (const row of rows) {
			const inode = row[6];
			const name = row.slice(7).join(' ');
			sockets.set(inode, () => {
				const isListening = isUnixListener(row);
				// A socket that accepted a connection has the listening one's name; its client has none.
				const isIncoming = !isListening && listeningNames.has(name);
				const peer = name === '' && isOurNetwork ? unixPeerName(Number(inode)) ?? '' : name;
				return {...plainSocket, peer: printable(peer === '' ? 'unix socket' : (isIncoming ? `clients of ${peer}` : peer)), isListening};
			});
		}
	}

	/** Returns the rows of a table as fields, without rows of fewer than `minFields`. */
	#rows(table: string, minFields: number): string[][] {
		const lines = readText(`/proc/${this.#pid}/net/${table}`, maxTableBytes)?.split('\n') ?? [];
		// The first line has headings, and the last is empty or truncated.
		return lines.slice(1, -1).map(line => line.trim().split(/\s+/)).filter(({length}) => length >= minFields);
	}
}

function isUnixListener(row: readonly string[]): boolean {
	return (Number.parseInt(row[3], 16) & acceptsConnections) !== 0;
}

/** A row of a TCP or UDP table, hexadecimal: addresses with ports, our port, and the state; and the inode. */
type InetRow = {readonly local: string; readonly port: string; readonly remote: string; readonly state: string; readonly inode: string};

function inetRow(row: readonly string[]): InetRow {
	const [, local, remote, state] = row;
	return {
		local, port: local.slice(local.indexOf(':') + 1), remote, state, inode: row[9],
	};
}

function isInOurNetwork(pid: number): boolean {
	const own = linkOf('/proc/self/ns/net');
	return own !== '' && linkOf(`/proc/${pid}/ns/net`) === own;
}

function tcpSocket({local, remote, state}: InetRow, isIncoming: boolean): Socket {
	const [here, there] = [addressOf(local), addressOf(remote)];
	if (state === listening) {
		return {...plainSocket, peer: nameOf(here), isListening: true};
	}

	return isIncoming
		? {...plainSocket, peer: `clients of :${here.port}`, end: endOf(there)}
		: {...plainSocket, peer: nameOf(there), end: endOf(here), isConnecting: state === synSent};
}

function udpSocket(local: string, remote: string): Socket {
	const there = addressOf(remote);
	return {...plainSocket, peer: `UDP ${nameOf(there.port === 0 ? addressOf(local) : there)}`};
}

/** Parses an address in a table: hexadecimal words of 32 bits in the machine's byte order, and the port. */
function addressOf(text: string): Address {
	const [words, port] = text.split(':');
	const bytes = Buffer.concat((words.match(/.{8}/g) ?? []).map(word => Buffer.from(word, 'hex').reverse()));
	const isMapped = bytes.length === 16 && bytes.subarray(0, 10).every(byte => byte === 0) && bytes.readUInt16BE(10) === 0xff_ff;
	const ip4 = isMapped ? bytes.subarray(12) : bytes;
	return {
		host: ip4.length === 4 ? ip4.join('.') : ip6Host(bytes), ip4: ip4.length === 4 ? ip4.readUInt32BE() : 0, port: Number.parseInt(port, 16),
	};
}

/** Returns an IPv6 address as in URLs (RFC 5952), such as `[::1]`; empty if it has another length. */
function ip6Host(bytes: Buffer): string {
	const groups = Array.from({length: bytes.length / 2}, (_, index) => bytes.readUInt16BE(2 * index).toString(16));
	return groups.length === 8 ? new URL(`http://[${groups.join(':')}]`).hostname : '';
}

/** Returns an address as text: `10.0.0.5:5432`, `[::1]:80`, or `:8080` for the unspecified address. */
function nameOf({host, port}: Address): string {
	return `${/^(?:0\.0\.0\.0|\[::])$/.test(host) ? '' : host}:${port}`;
}

function endOf({ip4, port}: Address): number {
	return (ip4 * 65_536) + port;
}

/*
AF_NETLINK; SOCK_RAW, SOCK_CLOEXEC; NETLINK_SOCK_DIAG; MSG_DONTWAIT; SOCK_DIAG_BY_FAMILY; AF_UNIX; UDIAG_SHOW_NAME, _PEER;
UNIX_DIAG_NAME, _PEER (Linux asm-generic/socket.h, netlink.h, sock_diag.h, unix_diag.h).
*/
const netlink = 16;
const rawCloseOnExec = 3 | 0o200_0000;
const sockDiag = 4;
const dontWait = 0x40;
const byFamily = 20;
const unixFamily = 1;
const show = {name: 1, peer: 4};
const attribute = {name: 0, peer: 2};

/** Bytes of struct nlmsghdr, unix_diag_req and unix_diag_msg, and maximum bytes of an answer. */
const headerBytes = 16;
const requestBytes = 24;
const answerBytes = 16;
const maxAnswerBytes = 8192;

/**
Returns the name of the peer of a connected Unix socket in our own network namespace, `@name` if abstract; undefined if
it has none or the kernel does not say. Asks by netlink (sock_diag(7)), as /proc/net/unix does not show peers.
*/
function unixPeerName(inode: number): string | undefined {
	const libc = loadLibc();
	const socket = libc?.func('socket', 'int', ['int', 'int', 'int'])(netlink, rawCloseOnExec, sockDiag) ?? -1;
	if (!libc || socket < 0) {
		return undefined;
	}

	try {
		const [send, receive] = ['send', 'recv'].map(name => libc.func(name, 'int64_t', ['int', 'uint8_t *', 'size_t', 'int']));
		const ask = (of: number, shown: number, wanted: number): Buffer | undefined => {
			const request = requestFor(of, shown);
			const answer = Buffer.alloc(maxAnswerBytes);
			const length = Number(send(socket, request, request.length, dontWait)) === request.length ? Number(receive(socket, answer, answer.length, dontWait)) : -1;
			return length > 0 ? attributeOf(answer.subarray(0, length), wanted) : undefined;
		};

		const peer = ask(inode, show.peer, attribute.peer);
		const name = peer?.length === 4 ? ask(peer.readUInt32LE(), show.name, attribute.name) : undefined;
		return name && name.length > 0 ? name.toString('utf8').replace(/^\0/, '@').replace(/\0+$/, '') : undefined;
	} finally {
		libc.func('close', 'int', ['int'])(socket);
	}
}

/** Returns a request (nlmsghdr, unix_diag_req) for one socket. `shown`: bits of `show`. */
function requestFor(inode: number, shown: number): Buffer {
	const request = Buffer.alloc(headerBytes + requestBytes);
	request.writeUInt32LE(request.length, 0);
	request.writeUInt16LE(byFamily, 4);
	// NLM_F_REQUEST.
	request.writeUInt16LE(1, 6);
	request.writeUInt8(unixFamily, headerBytes);
	// Sockets in any state.
	request.fill(0xff, headerBytes + 4, headerBytes + 8);
	request.writeUInt32LE(inode, headerBytes + 8);
	request.writeUInt32LE(shown, headerBytes + 12);
	// Whatever its cookie.
	request.fill(0xff, headerBytes + 16);
	return request;
}

/** Returns the value of an attribute in an answer; undefined if absent, or if the answer is an error. */
function attributeOf(answer: Buffer, wanted: number): Buffer | undefined {
	if (answer.length < headerBytes + answerBytes || answer.readUInt16LE(4) !== byFamily) {
		return undefined;
	}

	for (let at = headerBytes + answerBytes; at + 4 <= answer.length;) {
		const length = answer.readUInt16LE(at);
		if (length < 4) {
			return undefined;
		}

		if (answer.readUInt16LE(at + 2) === wanted) {
			return answer.subarray(at + 4, at + length);
		}

		at += Math.ceil(length / 4) * 4;
	}

	return undefined;
}
