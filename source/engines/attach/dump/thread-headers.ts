/*
The first line of a thread in a dump, by JDK release and kind of thread:
  8        "name" #id [daemon ]prio=5 os_prio=0 tid=0x… nid=0x1f waiting on condition [0x…]
  11, 17   … os_prio=0 cpu=1.23ms elapsed=4.56s [allocated=703K defined_classes=91 ]tid=0x… nid=0x1f runnable  [0x…]
  21…      "name" #id [31] daemon prio=5 … nid=31 runnable  [0x…]
  carrier  "name" #id [31] daemon prio=5 … tid=0x…  [0x…]              (21 and later, while it carries a virtual thread)
  the JVM  "VM Thread" os_prio=0 cpu=1.23ms elapsed=4.56s tid=0x… nid=31 runnable
Names are printed unescaped: they may contain quotes, line feeds and complete false headers. So a header is recognized
by what follows the name, up to the end of its line.
*/

import {printable, safe, type Printable} from '../../../util/printable.js';

/** With more threads, each dump would stop the target for a large part of a second. */
export const maxDumpThreads = 1 << 16;

/**
Bytes of the buffer in which JDK 8 formats a quoted name and a blank (O_BUFLEN), the last one a zero: a longer name
loses its end, the closing quote and the blank.
*/
const printBufferLength = 2000;

export const truncated = safe`the dump is truncated`;
export const tooManyThreads = safe`the thread dump has more than ${
	printable(maxDumpThreads.toLocaleString('en'))
} threads: too many to sample this way`;

const javaStart = /#(\d{1,15}) (?:\[(\d{1,15})] )?(daemon )?(?=prio=)/.source;
const rest
	= /((?:[a-z_]+=[\w.-]{1,32} )*?)tid=(0x[\da-f]{1,17}) (?:nid=(0x[\da-f]{1,17}|\d{1,15}) )?([A-Za-z .()]*)(\[0x[\da-f]+])?\n/
		.source;
/** A header from the name's closing quote on. The rest contains no quote, so at most one quote of a line matches. */
const ending = new RegExp(`" (?:${javaStart})?${rest}`, 'g');
/** The same after a truncated name, without the quote and the blank. */
const truncatedEnding = new RegExp(javaStart + rest, 'y');
const cpuMs = /(?:^| )cpu=([\d.]+)ms /;

export type Header = {
	/** Indices in the dump: the end of the name, and the start of the next line. */
	readonly nameEnd: number;
	readonly end: number;
	/** -1 for a thread without a Java thread id (the JVM's own). */
	readonly id: number;
	/** Linux id in the JVM's pid namespace; 0 if not printed. */
	readonly nativeId: number;
	readonly isDaemon: boolean;
	/** Since the thread's start; -1 if not printed. */
	readonly cpuNs: number;
	/** "in Object.wait()": in state RUNNABLE this means waiting for a class to be initialized. */
	readonly isInObjectWait: boolean;
};

type FoundHeader = Header & {/** Address of the JVM's thread structure. */ readonly tid: number};

/**
Finds the headers of threads in a dump, from the top down. JDK 11 and later first list the addresses of the thread
structures, above anything that the program can influence: there only a header with the next listed address counts,
however long its name, and a missing header makes the dump unusable. Without a list (JDK 8), anything that looks like a
header counts.
*/
export class Headers {
	/** Why the rest of the dump must not be read, in one line; undefined if it may be read. */
	problem: Printable | undefined;

	readonly #dump: string;
	/** Addresses of the listed threads; undefined if no list is printed. */
	readonly #listedAddresses: readonly number[] | undefined;
	#foundCount = 0;
	/**
	The header that was found last, also if it is after the one that was looked for; whether there may be another.
	*/
	#last: FoundHeader | undefined;
	#hasMore = true;

	/** Reads the list of threads, if any, between the title and the first thread. */
	constructor(dump: string, titleEnd: number) {
		this.#dump = dump;
		const firstThread = dump.indexOf('\n"', titleEnd - 1);
		const top = dump.slice(titleEnd, Math.max(titleEnd, firstThread));
		if (/^_java_thread_list=/m.test(top)) {
			const elements = /elements={([^}]*)}/.exec(top);
			this.#listedAddresses = (elements?.[1].match(/0x[\da-f]+/g) ?? []).map(Number).filter(address =>
				address > 0);
			this.problem = elements
				? (this.#listedAddresses.length > maxDumpThreads ? tooManyThreads : undefined)
				: truncated;
		}
	}

	/** Returns the header that starts at this quote, if any; it has several lines if its name contains line feeds. */
	headerAt(start: number): Header | undefined {
		let header = this.#endingFrom(start + 1);
		if (!this.#listedAddresses) {
			return header && header.nameEnd < start + printBufferLength ? header : this.#truncatedHeader(start);
		}

		if (this.#foundCount === this.#listedAddresses.length) {
			// The JVM's own threads come last, and their names are the JVM's: one line each.
			return header && header.id < 0 && header.end === this.#dump.indexOf('\n', start) + 1 ? header : undefined;
		}

		while (header && (header.id < 0 || header.tid !== this.#listedAddresses[this.#foundCount])) {
			header = this.#endingFrom(header.end);
		}

		if (header) {
			this.#foundCount++;
		} else {
			this.checkComplete();
		}

		return header;
	}

	/** Sets `problem` if listed threads are missing; call at the end of the dump. */
	checkComplete(): void {
		const count = this.#listedAddresses?.length ?? 0;
		if (this.#foundCount < count) {
			this.problem = safe`the dump announces ${count} threads but shows ${this.#foundCount}`;
		}
	}

	/** Returns the first ending from `from` on. Searches each part of the dump once, so hostile names cost no more. */
	#endingFrom(from: number): FoundHeader | undefined {
		ending.lastIndex = from;
		while (this.#hasMore && !(this.#last && this.#last.nameEnd >= from)) {
			const match = ending.exec(this.#dump);
			this.#hasMore = match !== null;
			this.#last = match ? readHeader(match, ending.lastIndex) : undefined;
		}

		return this.#last;
	}

	/** JDK 8 truncates long names. */
	#truncatedHeader(start: number): FoundHeader | undefined {
		truncatedEnding.lastIndex = start + printBufferLength - 1;
		const match = truncatedEnding.exec(this.#dump);
		return match ? readHeader(match, truncatedEnding.lastIndex) : undefined;
	}
}

/** Returns undefined if the stack address of a Java thread, or the Linux id of another thread, is missing. */
function readHeader(match: RegExpExecArray, end: number): FoundHeader | undefined {
	const [, id, inBrackets, daemon, pairs, tid, nativeId, status, stack] = match;
	if (id ? !stack : !nativeId) {
		return undefined;
	}

	const cpu = cpuMs.exec(pairs);
	return {
		nameEnd: match.index,
		end,
		id: id ? Number(id) : -1,
		nativeId: Number((nativeId ?? inBrackets) ?? 0),
		isDaemon: daemon !== undefined,
		tid: Number(tid),
		cpuNs: cpu ? Math.round(Number(cpu[1]) * 1e6) : -1,
		isInObjectWait: status.startsWith('in Object.wait()'),
	};
}
