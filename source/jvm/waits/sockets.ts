import {readlinkSync} from 'node:fs';
import {printable} from '../../model/text.js';
import {readBytes} from '../system/proc.js';
import {unixPeerName} from './unix-peer.js';

/** A socket of the target. */
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

/** Maximum bytes read of a table; sockets beyond them are unknown. */
const maxTableBytes = 4 * 1024 * 1024;

/** Minimum interval between reads of the tables: milliseconds, and as a multiple of the time that a read takes. */
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
				return {
					peer: printable(peer === '' ? 'unix socket' : (isIncoming ? `clients of ${peer}` : peer)), end: 0, isListening, isConnecting: false,
				};
			});
		}
	}

	/** Returns the rows of a table as fields, without rows of fewer than `minFields`. */
	#rows(table: string, minFields: number): string[][] {
		const read = readBytes(`/proc/${this.#pid}/net/${table}`, maxTableBytes);
		const lines = 'bytes' in read ? read.bytes.toString('utf8').split('\n') : [];
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
	try {
		return readlinkSync(`/proc/${pid}/ns/net`) === readlinkSync('/proc/self/ns/net');
	} catch {
		return false;
	}
}

function tcpSocket({local, remote, state}: InetRow, isIncoming: boolean): Socket {
	const [here, there] = [addressOf(local), addressOf(remote)];
	if (state === listening) {
		return {
			peer: nameOf(here), end: 0, isListening: true, isConnecting: false,
		};
	}

	return isIncoming
		? {
			peer: `clients of :${here.port}`, end: endOf(there), isListening: false, isConnecting: false,
		}
		: {
			peer: nameOf(there), end: endOf(here), isListening: false, isConnecting: state === synSent,
		};
}

function udpSocket(local: string, remote: string): Socket {
	const there = addressOf(remote);
	return {
		peer: `UDP ${nameOf(there.port === 0 ? addressOf(local) : there)}`, end: 0, isListening: false, isConnecting: false,
	};
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
