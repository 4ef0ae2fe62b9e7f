import {HeaderReader, lineEndAfter} from './header.js';
import {maxThreads, SmrList} from './smr-list.js';

/**
Longest header (a thread's name with all its line feeds) to look for where no list tells real headers from false ones: a
false one must not swallow the threads below it.
*/
const maxUnlistedHeaderBytes = 1 << 16;

/**
Bytes that all the failed searches of one dump may look through together. No JVM needs more, and without a limit names
full of quotes would cost the square of their length.
*/
const maxWastedBytes = 1 << 24;

export const cutShort = 'the dump is truncated';
export const tooManyThreads = `the thread dump has more than ${maxThreads.toLocaleString('en')} threads: too many to sample this way`;

/**
Finds the headers of threads in a dump, from the top down. JDK 11 and later list the threads first: a header is then
whatever has the next address in the list, however long its name, and a missing one makes the dump unusable. In a dump
without a list (JDK 8) anything that looks like a header is one.
*/
export class HeaderFinder {
	/** The header found last. */
	readonly header = new HeaderReader();
	/** Why the rest of the dump must not be read, in one line; set when that is so. */
	problem: string | undefined;

	readonly #smr = new SmrList();
	/** Threads of the list that were found. */
	#listed = 0;
	#wastedBytes = 0;

	/**
	Starts on a new dump; its list of threads, if it has one, is in `bytes[start..end)`. False, with a `problem`, when
	the list has no end or is longer than we read.
	*/
	begin(bytes: Buffer, start: number, end: number): boolean {
		this.problem = undefined;
		this.#listed = 0;
		this.#wastedBytes = 0;
		if (this.#smr.read(bytes, start, end)) {
			return true;
		}

		this.problem = this.#smr.isTooLong ? tooManyThreads : cutShort;
		return false;
	}

	/**
	Reads the header that starts at the quote, over several lines if its name has line feeds. Returns the index of its
	line's end, or -1 when it is not a header.
	*/
	findHeader(bytes: Buffer, start: number): number {
		if (this.#listed < this.#smr.count) {
			return this.#findListed(bytes, start);
		}

		return this.#smr.present ? this.#readInternal(bytes, start) : this.#findUnlisted(bytes, start);
	}

	/** Call at the end of the dump: sets `problem` when threads are missing. */
	end(): void {
		const {count} = this.#smr;
		if (this.#listed < count) {
			this.problem = `the dump announces ${count} threads but shows ${this.#listed}`;
		}
	}

	/** The search needs no limit: successful searches cover different bytes, and the first that fails is the last. */
	#findListed(bytes: Buffer, start: number): number {
		const {header} = this;
		const limit = bytes.length;
		for (let lineStart = start, lineEnd; (lineEnd = lineEndAfter(bytes, lineStart, limit)) < limit; lineStart = lineEnd + 1) {
			if (header.read(bytes, start, lineStart, lineEnd) && this.#smr.isAt(this.#listed, header.tidHigh, header.tidLow)) {
				this.#listed++;
				return lineEnd;
			}
		}

		this.end();
		return -1;
	}

	/** The JVM's own threads come last, and their names are the JVM's: one line each. */
	#readInternal(bytes: Buffer, start: number): number {
		const lineEnd = lineEndAfter(bytes, start, bytes.length);
		return lineEnd < bytes.length && this.header.read(bytes, start, start, lineEnd) && this.header.id < 0 ? lineEnd : -1;
	}

	#findUnlisted(bytes: Buffer, start: number): number {
		const limit = Math.min(bytes.length, start + maxUnlistedHeaderBytes);
		for (let lineStart = start, lineEnd; (lineEnd = lineEndAfter(bytes, lineStart, limit)) < limit; lineStart = lineEnd + 1) {
			if (this.header.read(bytes, start, lineStart, lineEnd)) {
				return lineEnd;
			}
		}

		this.#wastedBytes += limit - start;
		if (this.#wastedBytes > maxWastedBytes) {
			this.problem = 'thread names in the dump cannot be told apart from threads';
		}

		return -1;
	}
}
