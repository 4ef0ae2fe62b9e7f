import {
	closeSync, fstatSync, readSync, writeSync,
} from 'node:fs';
import {printable} from '../model/text.js';

/*
The two files by which tool and agent speak; agent/src/main/java/tprof/agent/Channel.java says what is where. Only
descriptors of files that we made ourselves are used, and nothing that the target wrote is believed.
*/

const headerBytes = 36;
const progressAt = 2048;
const mostReportBytes = 16 * 1024 * 1024;
const mostLastWordBytes = 1000;
/** The agent may write a report while we read another; two in that time, never so often in turn. */
const tries = 10;

/** What is known from the agent. */
type Heard =
	/** Or its header names a new report that is not there. */
	| {readonly state: 'silent'}
	| {readonly state: 'report'; readonly number: bigint; readonly bytes: Buffer}
	/** There will be no more reports; one printable line. */
	| {readonly state: 'over'; readonly lastWord: string};

/** Something that changes while the agent works at a command; -1 as long as it has written nothing. */
export function progressOf(fd: number): bigint {
	const word = bytesAt(fd, progressAt, 8);
	return word.length < 8 ? -1n : word.readBigInt64BE();
}

/** Our side: raises the heartbeat, gives commands. */
export class ControlFile {
	readonly #fd: number;
	#heartbeat = 0n;
	#command = 0n;

	constructor(fd: number) {
		this.#fd = fd;
		const words = Buffer.alloc(20);
		writeSync(fd, words, 0, words.length, 0);
	}

	/** Where the file cannot be written the agent goes by itself, as without us. Never throws. */
	beat(): void {
		const word = Buffer.alloc(8);
		word.writeBigInt64BE(++this.#heartbeat);
		try {
			writeSync(this.#fd, word, 0, word.length, 0);
		} catch {}
	}

	/** Gives a command and returns its number. Throws the system's error. */
	command(text: string): number {
		const bytes = Buffer.from(text);
		writeSync(this.#fd, bytes, 0, bytes.length, 20);
		const words = Buffer.alloc(12);
		words.writeBigInt64BE(++this.#command);
		words.writeInt32BE(bytes.length, 8);
		writeSync(this.#fd, words, 0, words.length, 8);
		return Number(this.#command);
	}

	close(): void {
		closeSync(this.#fd);
	}
}

/** The agent's side. `newerThan`: the number of a report that is known already. */
export function hear(fd: number, newerThan: bigint): Heard {
	for (let tried = 0; tried < tries; tried++) {
		const header = bytesAt(fd, 0, headerBytes + mostLastWordBytes);
		const failure = /^TPERR(.*)$/s.exec(header.toString('utf8'))?.[1];
		if (failure !== undefined) {
			return {state: 'over', lastWord: printable(failure.replace(/\0.*$/s, ''))};
		}

		if (header.length < headerBytes || header.toString('latin1', 0, 4) !== 'TPRF') {
			return {state: 'silent'};
		}

		const lastWordBytes = header.readInt32BE(32);
		if (lastWordBytes > 0) {
			return {state: 'over', lastWord: printable(header.toString('utf8', headerBytes, headerBytes + Math.min(lastWordBytes, mostLastWordBytes)))};
		}

		const number = header.readBigInt64BE(8);
		const [at, length] = [Number(header.readBigInt64BE(16)), Number(header.readBigInt64BE(24))];
		if (number <= newerThan) {
			return {state: 'silent'};
		}

		if (!(at >= headerBytes && at <= 2 * mostReportBytes && length > 0 && length <= mostReportBytes)) {
			return {state: 'silent'};
		}

		const report = bytesAt(fd, at, length + 8);
		const again = bytesAt(fd, 0, headerBytes);
		// The next report goes to the other place; the one after it would have come into this one.
		if (report.length === length + 8 && report.readBigInt64BE(length) === number && again.length === headerBytes && again.readBigInt64BE(8) <= number) {
			return {state: 'report', number, bytes: report.subarray(0, length)};
		}
	}

	return {state: 'silent'};
}

/** Fewer where the file ends. */
function bytesAt(fd: number, position: number, length: number): Buffer {
	const there = Math.max(0, Math.min(length, fstatSync(fd).size - position));
	const bytes = Buffer.alloc(there);
	let read = 0;
	while (read < there) {
		const count = readSync(fd, bytes, read, there - read, position + read);
		if (count === 0) {
			break;
		}

		read += count;
	}

	return bytes.subarray(0, read);
}
