import {printable} from '../../util/printable.js';
import {loadLibc} from '../system/koffi.js';
import {linkOf, readText} from '../system/proc.js';

export type Socket = {
	/** The peer: `10.0.0.5:5432`, `clients of :8080`, `/run/x.sock`; of a listening socket, its own address. */
	readonly peer: string;
	/**
	The ephemeral end of a TCP connection, by which the peer's side can find it: the target's if it connected, otherwise
	the client's. IPv4 address times 65,536 plus port; the port alone for IPv6; 0 for other sockets.
	*/
	readonly end: number;
	readonly isListening: boolean;
	/** Whether it has requested a connection that is not established yet. */
	readonly isConnecting: boolean;
};

const plainSocket = {end: 0, isListening: false, isConnecting: false};

/** Maximum bytes read of one table (some 28,000 sockets); later rows are ignored. */
const maxTableBytes = 4 * 1024 * 1024;

/** The tables are read again no sooner than after this time, nor after this multiple of the time that reading took. */
const minReadIntervalMs = 1000;
const minReadIntervalFactor = 200;

/** Indexes of a row's fields (proc(5)). */
const inetField = {local: 1, remote: 2, state: 3, inode: 9} as const;
const unixField = {flags: 3, inode: 6, name: 7} as const;

/** States of TCP sockets, and the flag of Unix sockets that listen (Linux net/tcp_states.h, net.h). */
const synSent = '02';
const listening = '0A';
const acceptsConnections = 0x1_00_00;

/** By inode: a function that decodes the socket, as most are never needed. */
type SocketTable = Map<string, () => Socket>;

type Address = {readonly host: string; readonly ip4: number; readonly port: number};

/**
Finds sockets by inode in the tables of a process's network namespace: /proc/PID/net/tcp and others (proc(5)). Unix
sockets, of whose peers the kernel is asked one by one, can be left out.
*/
export class Sockets {
	readonly #pid: number;
	readonly #withUnix: boolean;
	#sockets: SocketTable = new Map();
	#nextReadMs = Number.NEGATIVE_INFINITY;

	constructor(pid: number, {withUnix = true}: {readonly withUnix?: boolean} = {}) {
		this.#pid = pid;
		this.#withUnix = withUnix;
	}

	/**
	Returns a socket; undefined if no table has it. Reads the tables again, if due, for an unknown or connecting one.
	*/
	of(inode: string): Socket | undefined {
		const socket = this.#sockets.get(inode)?.();
		if (socket && !socket.isConnecting) {
			return socket;
		}

		this.#read();
		return this.#sockets.get(inode)?.();
	}

	#read(): void {
		const beganMs = performance.now();
		if (beganMs < this.#nextReadMs) {
			return;
		}

		const sockets: SocketTable = new Map();
		const tcp = [...this.#rows('tcp', inetField.inode), ...this.#rows('tcp6', inetField.inode)].map(row =>
			inetRow(row));
		const listeningPorts = new Set(tcp.filter(({state}) => state === listening).map(({port}) => port));
		for (const row of tcp) {
			sockets.set(row.inode, () => tcpSocket(row, listeningPorts.has(row.port)));
		}

		for (const row of [...this.#rows('udp', inetField.inode), ...this.#rows('udp6', inetField.inode)]) {
			const {inode, local, remote} = inetRow(row);
			sockets.set(inode, () => udpSocket(local, remote));
		}

		if (this.#withUnix) {
			this.#readUnix(sockets);
		}

		this.#sockets = sockets;
		const endedMs = performance.now();
		this.#nextReadMs = endedMs + Math.max(minReadIntervalMs, minReadIntervalFactor * (endedMs - beganMs));
	}

	#readUnix(sockets: SocketTable): void {
		const isOurNetwork = isInOurNetwork(this.#pid);
		const rows = this.#rows('unix', unixField.inode).map(row => unixRow(row));
		const listeningNames = new Set(rows.filter(({isListening}) => isListening).map(({name}) => name));
		for (const {inode, name, isListening} of rows) {
			sockets.set(inode, () => {
				// The server's end of a connection has the name of the listening socket; the client's end has none.
				const isIncoming = !isListening && listeningNames.has(name);
				const peer = name === '' && isOurNetwork ? unixPeerName(Number(inode)) ?? '' : name;
				return {
					...plainSocket,
					peer: printable(peer === '' ? 'unix socket' : (isIncoming ? `clients of ${peer}` : peer)),
					isListening,
				};
			});
		}
	}

	/** Returns the rows of a table as fields, without rows that lack an inode. */
	#rows(table: string, inodeField: number): string[][] {
		const lines = readText(`/proc/${this.#pid}/net/${table}`, maxTableBytes)?.split('\n') ?? [];
		// The first line has headings, and the last is empty or truncated.
		return lines.slice(1, -1).map(line => line.trim().split(/\s+/)).filter(({length}) => length > inodeField);
	}
}

function unixRow(row: readonly string[]): {
	readonly inode: string;
	readonly name: string;
	readonly isListening: boolean;
} {
	const isListening = (Number.parseInt(row[unixField.flags], 16) & acceptsConnections) !== 0;
	return {inode: row[unixField.inode], name: row.slice(unixField.name).join(' '), isListening};
}

/** A row of a TCP or UDP table: addresses with ports, the local port, and the state, all hexadecimal; and the inode. */
type InetRow = {
	readonly local: string;
	readonly port: string;
	readonly remote: string;
	readonly state: string;
	readonly inode: string;
};

function inetRow(row: readonly string[]): InetRow {
	const local = row[inetField.local];
	const port = local.slice(local.indexOf(':') + 1);
	return {local, port, remote: row[inetField.remote], state: row[inetField.state], inode: row[inetField.inode]};
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
	const isMappedIp4 = bytes.length === 16 && bytes.subarray(0, 10).every(byte => byte === 0)
		&& bytes.readUInt16BE(10) === 0xff_ff;
	const ip4 = isMappedIp4 ? bytes.subarray(12) : bytes;
	const isIp4 = ip4.length === 4;
	return {
		host: isIp4 ? ip4.join('.') : ip6Host(bytes),
		ip4: isIp4 ? ip4.readUInt32BE() : 0,
		port: Number.parseInt(port, 16),
	};
}

/** Returns an IPv6 address as in URLs (RFC 5952), such as `[::1]`; empty for another length than 16 bytes. */
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

/** Linux asm-generic/socket.h, netlink.h, sock_diag.h, unix_diag.h. */
const linux = {
	AF_UNIX: 1,
	AF_NETLINK: 16,
	SOCK_RAW: 3,
	SOCK_CLOEXEC: 0o200_0000,
	NETLINK_SOCK_DIAG: 4,
	MSG_DONTWAIT: 0x40,
	NLM_F_REQUEST: 1,
	SOCK_DIAG_BY_FAMILY: 20,
	UDIAG_SHOW_NAME: 1,
	UDIAG_SHOW_PEER: 4,
	UNIX_DIAG_NAME: 0,
	UNIX_DIAG_PEER: 2,
} as const;

/** Sizes of Linux's structures nlmsghdr, unix_diag_req and unix_diag_msg. */
const nlmsghdrBytes = 16;
const unixDiagReqBytes = 24;
const unixDiagMsgBytes = 16;

const maxAnswerBytes = 8192;

/**
Returns the name of the peer of a connected Unix socket in our own network namespace, `@name` if abstract; undefined if
it has none or the kernel does not say. Asks by netlink (sock_diag(7)), as /proc/net/unix does not show peers.
*/
function unixPeerName(inode: number): string | undefined {
	const libc = loadLibc();
	const socket
		= libc?.func('socket', 'int', ['int', 'int', 'int'])(
			linux.AF_NETLINK,
			linux.SOCK_RAW | linux.SOCK_CLOEXEC,
			linux.NETLINK_SOCK_DIAG,
		) ?? -1;
	if (!libc || socket < 0) {
		return undefined;
	}

	try {
		const [send, receive] = ['send', 'recv'].map(name =>
			libc.func(name, 'int64_t', ['int', 'uint8_t *', 'size_t', 'int']));
		const ask = (of: number, show: number, attribute: number): Buffer | undefined => {
			const request = requestFor(of, show);
			const answer = Buffer.alloc(maxAnswerBytes);
			const isSent = Number(send(socket, request, request.length, linux.MSG_DONTWAIT)) === request.length;
			const length = isSent ? Number(receive(socket, answer, answer.length, linux.MSG_DONTWAIT)) : -1;
			return length > 0 ? attributeOf(answer.subarray(0, length), attribute) : undefined;
		};

		const peer = ask(inode, linux.UDIAG_SHOW_PEER, linux.UNIX_DIAG_PEER);
		const name = peer?.length === 4
			? ask(peer.readUInt32LE(), linux.UDIAG_SHOW_NAME, linux.UNIX_DIAG_NAME)
			: undefined;
		return name && name.length > 0 ? name.toString('utf8').replace(/^\0/, '@').replace(/\0+$/, '') : undefined;
	} finally {
		libc.func('close', 'int', ['int'])(socket);
	}
}

/** Returns a request (nlmsghdr, unix_diag_req) for a socket in any state, with any cookie. `show`: UDIAG_SHOW bits. */
function requestFor(inode: number, show: number): Buffer {
	const request = Buffer.alloc(nlmsghdrBytes + unixDiagReqBytes);
	request.writeUInt32LE(request.length, 0);
	request.writeUInt16LE(linux.SOCK_DIAG_BY_FAMILY, 4);
	request.writeUInt16LE(linux.NLM_F_REQUEST, 6);
	request.writeUInt8(linux.AF_UNIX, nlmsghdrBytes);
	request.fill(0xff, nlmsghdrBytes + 4, nlmsghdrBytes + 8);
	request.writeUInt32LE(inode, nlmsghdrBytes + 8);
	request.writeUInt32LE(show, nlmsghdrBytes + 12);
	request.fill(0xff, nlmsghdrBytes + 16);
	return request;
}

/** Returns the value of an attribute in an answer; undefined if absent, or if the answer is an error. */
function attributeOf(answer: Buffer, wanted: number): Buffer | undefined {
	if (answer.length < nlmsghdrBytes + unixDiagMsgBytes || answer.readUInt16LE(4) !== linux.SOCK_DIAG_BY_FAMILY) {
		return undefined;
	}

	for (let at = nlmsghdrBytes + unixDiagMsgBytes; at + 4 <= answer.length;) {
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
