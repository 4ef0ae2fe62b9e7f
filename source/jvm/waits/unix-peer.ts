import {loadLibc} from '../system/koffi.js';

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
export function unixPeerName(inode: number): string | undefined {
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
