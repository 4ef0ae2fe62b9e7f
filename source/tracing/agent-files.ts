import {closeSync, writeSync} from 'node:fs';
import {readAt} from '../jvm/system/proc.js';
import {printable, type Printable} from '../util/printable.js';

/*
The two files between tprof-top and the agent; agent/src/main/java/tprof/agent/Channel.java describes their layout. We
use only descriptors of files that we created, and trust nothing that the target writes.
*/

const headerBytes = 36;
const progressOffset = 2048;
const maxReportBytes = 16 * 1024 * 1024;
const maxReasonBytes = 1000;
/** The agent may overwrite a report while we read it, but not this often in a row. */
const maxTries = 10;

type AgentMessage =
	/** There is no new report, or the header of the file refers to one that is not there. */
	| {readonly state: 'silent'}
	| {readonly state: 'report'; readonly number: bigint; readonly bytes: Buffer}
	/** The agent has ended; the reason is one printable line. */
	| {readonly state: 'ended'; readonly reason: Printable};

/** Returns a number that changes while the agent executes a command; -1 before it has written any. */
export function progressOf(fd: number): bigint {
	const word = readAt(fd, progressOffset, 8);
	return word.length < 8 ? -1n : word.readBigInt64BE();
}

/**
The file that we write: at 0 the heartbeat, at 8 the number of the last command, at 16 its length, at 20 its text. The
number is written last.
*/
export class ControlFile {
	readonly #fd: number;
	#heartbeats = 0n;
	#commands = 0n;

	constructor(fd: number) {
		this.#fd = fd;
		const zeros = Buffer.alloc(20);
		writeSync(fd, zeros, 0, zeros.length, 0);
	}

	/** Increments the heartbeat; without it the agent detaches itself. Never throws. */
	beat(): void {
		const word = Buffer.alloc(8);
		word.writeBigInt64BE(++this.#heartbeats);
		try {
			writeSync(this.#fd, word, 0, word.length, 0);
		} catch {}
	}

	/** Writes a command and returns its number. Throws the system's error. */
	command(text: string): number {
		const bytes = Buffer.from(text);
		writeSync(this.#fd, bytes, 0, bytes.length, 20);
		const words = Buffer.alloc(12);
		words.writeBigInt64BE(++this.#commands);
		words.writeInt32BE(bytes.length, 8);
		writeSync(this.#fd, words, 0, words.length, 8);
		return Number(this.#commands);
	}

	close(): void {
		closeSync(this.#fd);
	}
}

/** Reads a report from its place; undefined if the agent has begun to overwrite it. */
function readReport(fd: number, {at, length, number}: {
	readonly at: number;
	readonly length: number;
	readonly number: bigint;
}): Buffer | undefined {
	const report = readAt(fd, at, length + 8);
	const again = readAt(fd, 0, headerBytes);
	const isWhole = report.length === length + 8 && report.readBigInt64BE(length) === number;
	// Reports alternate between two places: only the one after the next would overwrite this one.
	return isWhole && again.length === headerBytes && again.readBigInt64BE(8) <= number
		? report.subarray(0, length)
		: undefined;
}

/** Reads the agent's file. `newerThan`: the number of the last report read. */
export function readAgent(fd: number, newerThan: bigint): AgentMessage {
	for (let tried = 0; tried < maxTries; tried++) {
		const header = readAt(fd, 0, headerBytes + maxReasonBytes);
		const failure = /^TPERR(.*)$/s.exec(header.toString('utf8'))?.[1];
		if (failure !== undefined) {
			return {state: 'ended', reason: printable(failure.replace(/\0.*$/s, ''))};
		}

		if (header.length < headerBytes || header.toString('latin1', 0, 4) !== 'TPRF') {
			return {state: 'silent'};
		}

		const reasonBytes = header.readInt32BE(32);
		if (reasonBytes > 0) {
			return {
				state: 'ended',
				reason:
					printable(header.toString(
						'utf8',
						headerBytes,
						headerBytes + Math.min(reasonBytes, maxReasonBytes),
					)),
			};
		}

		const number = header.readBigInt64BE(8);
		const [at, length] = [Number(header.readBigInt64BE(16)), Number(header.readBigInt64BE(24))];
		// The target may write anything here.
		const isPlausible = at >= headerBytes && at <= 2 * maxReportBytes && length > 0 && length <= maxReportBytes;
		if (number <= newerThan || !isPlausible) {
			return {state: 'silent'};
		}

		const bytes = readReport(fd, {at, length, number});
		if (bytes) {
			return {state: 'report', number, bytes};
		}
	}

	return {state: 'silent'};
}
