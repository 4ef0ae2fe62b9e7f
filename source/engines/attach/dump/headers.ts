/*
The first line of a thread in a dump:
  8        "name" #id [daemon ]prio=5 os_prio=0 tid=0x… nid=0x1f waiting on condition [0x…]
  11, 17   … os_prio=0 cpu=1.23ms elapsed=4.56s [allocated=703K defined_classes=91 ]tid=0x… nid=0x1f runnable  [0x…]
  21…      "name" #id [31] daemon prio=5 … nid=31 runnable  [0x…]
  carrier  "name" #id [31] daemon prio=5 … tid=0x…  [0x…]                   (21 and later, while it carries a virtual thread)
  the JVM  "VM Thread" os_prio=0 cpu=1.23ms elapsed=4.56s tid=0x… nid=31 runnable
A name is printed as it is, with quotes, line feeds and complete false headers; so a header is recognized by what
follows the name, up to the end of its line.
*/

/** Most threads read from a dump: with more, each dump would stop the target for a large part of a second. */
export const maxThreads = 1 << 16;

/**
Longest header (a thread's name with all its line feeds) to look for where no list tells real headers from false ones: a
false one must not swallow the threads below it.
*/
const maxUnlistedHeaderLength = 1 << 16;

/**
Characters that all the failed searches of one dump may look through together. No JVM needs more, and without a limit
names full of quotes would cost the square of their length.
*/
const maxWastedLength = 1 << 24;

/**
Size of the buffer that HotSpot's outputStream::print formats into, terminating zero included (O_BUFLEN in its
ostream.hpp).
*/
const printBufferLength = 2000;

export const truncated = 'the dump is truncated';
export const tooManyThreads = `the thread dump has more than ${maxThreads.toLocaleString('en')} threads: too many to sample this way`;

const attributes = /((?:[a-z_]+=[\w.-]{1,32} )*?)tid=0x0*([\da-f]{1,17}) /.source;
const nativeId = /nid=(0x[\da-f]{1,17}|\d{1,15}) /.source;
const status = /([A-Za-z .()]*)/.source;
/** What follows the name's closing quote and a blank. */
const javaThread = new RegExp(String.raw`#(\d{1,15}) (?:\[(\d{1,15})\] )?(daemon )?(?=prio=)${attributes}(?:${nativeId})?${status}\[0x[\da-f]+\]$`, 'y');
const internalThread = new RegExp(`()()()${attributes}${nativeId}${status}(?:\\[0x[\\da-f]+\\])?$`, 'y');
const cpuMs = /(?:^| )cpu=([\d.]+)ms /;

/** A thread's header. */
export type Header = {
	/** Indices in the dump: the name's closing quote, and the header's line feed. */
	readonly nameEnd: number;
	readonly end: number;
	/** Java thread id, or -1 for a thread without one (the JVM's own). */
	readonly id: number;
	/** Linux id as the JVM knows it (inside its pid namespace); 0 when not printed. */
	readonly nativeId: number;
	readonly isDaemon: boolean;
	/** Address of the JVM's thread structure: hexadecimal, without leading zeros. */
	readonly tid: string;
	/** CPU nanoseconds as printed, -1 when not. */
	readonly cpuNs: number;
	/** "in Object.wait()": in state RUNNABLE this means waiting for a class to be initialized. */
	readonly isInObjectWait: boolean;
};

/**
Finds the headers of threads in a dump, from the top down. JDK 11 and later list the threads first, by the address of
their structures, above anything that the program can influence: a header is then the text with the next address in the
list, however long its name, and a missing one makes the dump unusable. In a dump without a list (JDK 8) anything that
looks like a header is one.
*/
export class Headers {
	/** Why the rest of the dump must not be read, in one line; set when that is so. */
	problem: string | undefined;

	readonly #dump: string;
	/** Addresses of the listed threads; undefined where no list is printed. */
	readonly #listed: readonly string[] | undefined;
	/** How many of them were found. */
	#found = 0;
	#wastedLength = 0;

	/** The list of threads, if there is one, is in `dump[start..end)`. */
	constructor(dump: string, start: number, end: number) {
		this.#dump = dump;
		const top = dump.slice(start, end);
		if (/^_java_thread_list=/m.test(top)) {
			const elements = /elements={([^}]*)}/.exec(top);
			this.#listed = elements?.[1].match(/(?<=0x0*)[1-9a-f][\da-f]*/g) ?? [];
			this.problem = elements ? undefined : truncated;
			if (this.#listed.length > maxThreads) {
				this.problem = tooManyThreads;
			}
		}
	}

	/** The header that starts at this quote, over several lines if its name has line feeds; undefined when none does. */
	headerAt(start: number): Header | undefined {
		if (!this.#listed) {
			return this.#findUnlisted(start);
		}

		return this.#found < this.#listed.length ? this.#findListed(start, this.#listed) : this.#findInternal(start);
	}

	/** Call at the end of the dump: sets `problem` when threads are missing. */
	end(): void {
		const count = this.#listed?.length ?? 0;
		if (this.#found < count) {
			this.problem = `the dump announces ${count} threads but shows ${this.#found}`;
		}
	}

	/** The search needs no limit: successful searches cover different text, and the first that fails is the last. */
	#findListed(start: number, listed: readonly string[]): Header | undefined {
		const dump = this.#dump;
		for (let lineStart = start, end; (end = dump.indexOf('\n', lineStart)) >= 0; lineStart = end + 1) {
			const header = readHeader(dump, start, lineStart, end);
			if (header?.tid === listed[this.#found]) {
				this.#found++;
				return header;
			}
		}

		this.end();
		return undefined;
	}

	/** The JVM's own threads come last, and their names are the JVM's: one line each. */
	#findInternal(start: number): Header | undefined {
		const end = this.#dump.indexOf('\n', start);
		const header = end === -1 ? undefined : readHeader(this.#dump, start, start, end);
		return header && header.id < 0 ? header : undefined;
	}

	#findUnlisted(start: number): Header | undefined {
		const dump = this.#dump;
		const limit = Math.min(dump.length, start + maxUnlistedHeaderLength);
		for (let lineStart = start, end; (end = dump.indexOf('\n', lineStart)) >= 0 && end < limit; lineStart = end + 1) {
			const header = readHeader(dump, start, lineStart, end);
			if (header) {
				return header;
			}
		}

		this.#wastedLength += limit - start;
		if (this.#wastedLength > maxWastedLength) {
			this.problem = 'thread names in the dump cannot be told apart from threads';
		}

		return undefined;
	}
}

/**
The header between `start` (the opening quote) and `end` (the line feed), if that is one; `lineStart` is where its last
line starts.
*/
function readHeader(dump: string, start: number, lineStart: number, end: number): Header | undefined {
	const line = dump.slice(lineStart, end);
	// A name ends at the last quote that what follows a name follows; each attempt ends at the next quote.
	for (let quote = line.lastIndexOf('" '); quote >= (lineStart === start ? 1 : 0); quote = quote === 0 ? -1 : line.lastIndexOf('" ', quote - 1)) {
		const isJava = line[quote + 2] === '#';
		const header = readRest(isJava ? javaThread : internalThread, line, quote + 2, lineStart + quote, end);
		// Names of the JVM's own threads have no quotes.
		if (header ?? isJava) {
			return header;
		}
	}

	// JDK 8 prints a name through a buffer of 2000 bytes: the rest of a longer one, the closing quote and the blank are
	// lost.
	const nameEnd = start + printBufferLength - 1;
	return nameEnd >= lineStart && nameEnd < end && dump[nameEnd] === '#' ? readRest(javaThread, line, nameEnd - lineStart, nameEnd, end) : undefined;
}

/** What follows the name in its last line, from `at` on. */
function readRest(pattern: RegExp, line: string, at: number, nameEnd: number, end: number): Header | undefined {
	pattern.lastIndex = at;
	const match = pattern.exec(line);
	if (!match) {
		return undefined;
	}

	const [, id, inBrackets, daemon, pairs, tid, nid, words] = match;
	const cpu = cpuMs.exec(pairs);
	return {
		nameEnd, end, id: id ? Number(id) : -1, nativeId: Number((nid || inBrackets) ?? 0), isDaemon: Boolean(daemon), tid, cpuNs: cpu ? Math.round(Number(cpu[1]) * 1e6) : -1, isInObjectWait: words.startsWith('in Object.wait()'),
	};
}
