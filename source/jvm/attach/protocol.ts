/* HotSpot's attach protocol (attachListener.cpp): one request per connection, then the reply up to the end. */

/** Number of arguments of a version 1 request: with fewer, HotSpot waits for the rest, and so do all other clients. */
const v1Arguments = 3;
/** Maximum length of an argument that HotSpot accepts in version 1. */
const maxArgumentBytes = 1024;
/** Maximum length of the result code that starts a reply: a decimal int and a line feed. */
const maxCodeBytes = 12;

/** How to request a dump that is not streamed: JDK 25 streams it while all threads are stopped. */
export type Dialect = {readonly version: 1 | 2; readonly dumpCommand: string};

const plain: Dialect = {version: 1, dumpCommand: 'threaddump'};

/** Returns a request's bytes. Version 2 (JDK 24 and later) includes its size; version 1 always has three arguments. */
export function encodeRequest(version: 1 | 2, command: string, args: readonly string[]): Buffer {
	if (
		args.length > v1Arguments
		|| [command, ...args].some(text => text.includes('\0') || Buffer.byteLength(text) > maxArgumentBytes)
	) {
		throw new RangeError('not an attach request');
	}

	if (version === 1) {
		const padded = Array.from({length: v1Arguments}, (_, index) => args[index] ?? '');
		return Buffer.from(`1\0${[command, ...padded].join('\0')}\0`);
	}

	const body = `${[command, ...args].join('\0')}\0`;
	return Buffer.from(`2\0${Buffer.byteLength(body)}\0${body}`);
}

/** Returns a reply's result code and where its payload starts; undefined if it does not begin with a number and LF. */
export function parseReply(bytes: Uint8Array): {readonly code: number; readonly start: number} | undefined {
	const [line, code] = /^(-?\d+)\n/.exec(Buffer.from(bytes.subarray(0, maxCodeBytes)).toString('latin1')) ?? [];
	return line === undefined ? undefined : {code: Number(code), start: line.length};
}

/**
Returns the dialect to use, given the reply to version 1's `getversion options`: "2 streaming" from JDK 25 on, "1
streaming" there with jdk.attach.compat. A JVM that does not know the operation (before JDK 24) or names no streaming
("2") gets the plain request. Undefined for any other reply: then request no dump.
*/
export function chooseDialect(code: number, text: string): Dialect | undefined {
	if (code !== 0) {
		return code === -1 && text.includes('not recognized') ? plain : undefined;
	}

	const [, version, options = ''] = /^(\d+)(?:\s+(.*))?\s*$/.exec(text.trim()) ?? [];
	if (version === undefined) {
		return undefined;
	}

	const isStreaming = options.split(/[\s,]+/).includes('streaming');
	return isStreaming ? {version: Number(version) >= 2 ? 2 : 1, dumpCommand: 'threaddump streaming=0'} : plain;
}

/** Whether a dump is complete: HotSpot prints the count of JNI references last, before deadlocks if there are any. */
export function isWholeDump(dump: Buffer): boolean {
	return dump.at(-1) === 10 && dump.includes('\nJNI global ref');
}
