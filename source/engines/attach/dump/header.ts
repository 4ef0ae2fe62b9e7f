/*
The first line of a thread in a dump:
  8        "name" #id [daemon ]prio=5 os_prio=0 tid=0x… nid=0x1f waiting on condition [0x…]
  11, 17   … os_prio=0 cpu=1.23ms elapsed=4.56s [allocated=703K defined_classes=91 ]tid=0x… nid=0x1f runnable  [0x…]
  21…      "name" #id [31] daemon prio=5 … nid=31 runnable  [0x…]
  carrier  "name" #id [31] daemon prio=5 … tid=0x…  [0x…]                   (21 and later, while it carries a virtual thread)
  the JVM  "VM Thread" os_prio=0 cpu=1.23ms elapsed=4.56s tid=0x… nid=31 runnable
A name is printed as it is, with quotes, line feeds and complete false headers; so a header is recognised by what
follows the name, up to the end of its line.
*/

const newline = 10;
const blank = 32;
const quote = 34;
const hash = 35;
const dash = 45;
const dot = 46;
const zero = 48;
const nine = 57;
const equals = 61;
const openBracket = 91;
const closeBracket = 93;
const lowerX = 120;

/** Bytes of a known piece of text. */
export type Word = readonly number[];

/** The word's bytes; ASCII only. */
export function wordOf(text: string): Word {
	return [...Buffer.from(text, 'latin1')];
}

/** A value such as "elapsed=123456.78s" is short; so this bounds what a line can make us read. */
const maxValueLength = 32;
const maxDigits = 17;

/**
Size of the buffer that HotSpot's outputStream::print formats into, terminating zero included (O_BUFLEN in its
ostream.hpp).
*/
const printBufferBytes = 2000;

const daemonWord = wordOf('daemon ');
const tidWord = wordOf('tid=0x');
const nidWord = wordOf('nid=');
const priorityWord = wordOf('prio=');
const cpuWord = wordOf('cpu=');
const objectWaitWord = wordOf('in Object.wait()');

/** Reads headers, one at a time, into its own fields: without allocating. */
export class HeaderReader {
	/** End of the name: index of its closing quote. */
	nameEnd = 0;
	/** Java thread id, or -1 for a thread without one (the JVM's own). */
	id = -1;
	/** Linux id as the JVM knows it (inside its pid namespace); 0 when not printed. */
	nativeId = 0;
	daemon = false;
	/** Address of the JVM's thread structure, as two signed halves of 32 bits: larger numbers would be allocated. */
	tidHigh = 0;
	tidLow = 0;
	/** CPU nanoseconds as printed, -1 when not. */
	cpuNs = -1;
	/** "in Object.wait()": in state RUNNABLE this means waiting for a class to be initialised. */
	inObjectWait = false;
	/** The line ends with the thread's stack address in brackets: only Java threads have that. */
	hasStack = false;

	#at = 0;
	#end = 0;
	#number = 0;
	#high = 0;
	#low = 0;

	/**
	Whether what lies between `start` (the opening quote) and `end` (the line feed) ends as a header does; `lineStart`
	is where its last line starts. Sets the fields when it does.
	*/
	read(bytes: Uint8Array, start: number, lineStart: number, end: number): boolean {
		this.#end = end;
		for (let at = end - 2, first = Math.max(start + 1, lineStart); at >= first; at--) {
			if (bytes[at] === quote && bytes[at + 1] === blank) {
				// The name ends at the last quote that is followed by a number sign; the JVM's own threads have no
				// number and no quotes in their names.
				if (bytes[at + 2] === hash) {
					this.nameEnd = at;
					return this.#readJava(bytes, at + 3);
				}

				if (this.#readInternal(bytes, at + 2)) {
					this.nameEnd = at;
					return true;
				}
			}
		}

		// JDK 8 prints a name through a buffer of 2000 bytes: the rest of a longer one, the closing quote and the blank
		// are lost.
		const cut = start + printBufferBytes - 1;
		if (cut >= lineStart && cut < end && bytes[cut] === hash) {
			this.nameEnd = cut;
			return this.#readJava(bytes, cut + 1);
		}

		return false;
	}

	#readJava(bytes: Uint8Array, at: number): boolean {
		this.#at = at;
		this.nativeId = 0;
		if (!this.#readDecimal(bytes) || !this.#take(bytes, blank)) {
			return false;
		}

		this.id = this.#number;
		if (bytes[this.#at] === openBracket) {
			this.#at++;
			if (!this.#readDecimal(bytes) || !this.#take(bytes, closeBracket) || !this.#take(bytes, blank)) {
				return false;
			}

			this.nativeId = this.#number;
		}

		this.daemon = this.#takeWord(bytes, daemonWord);
		return bytes[this.#at] === priorityWord[0] && this.#readRest(bytes) && this.hasStack;
	}

	#readInternal(bytes: Uint8Array, at: number): boolean {
		this.#at = at;
		this.id = -1;
		this.nativeId = 0;
		this.daemon = false;
		return this.#readRest(bytes) && this.nativeId > 0;
	}

	/** From "prio=" or "os_prio=" to the line's end. */
	#readRest(bytes: Uint8Array): boolean {
		this.cpuNs = -1;
		while (!this.#takeWord(bytes, tidWord)) {
			if (!this.#readPair(bytes)) {
				return false;
			}
		}

		if (!this.#readHex(bytes)) {
			return false;
		}

		this.tidHigh = this.#high;
		this.tidLow = this.#low;
		if (!this.#take(bytes, blank)) {
			return false;
		}

		if (this.#takeWord(bytes, nidWord)) {
			if (!this.#readNativeId(bytes)) {
				return false;
			}

			this.nativeId = this.#number;
		}

		this.inObjectWait = startsWith(bytes, this.#at, this.#end, objectWaitWord);
		return this.#readStatus(bytes);
	}

	/** A "key=value " of lower-case letters and a short value; "cpu=12.34ms" is kept. */
	#readPair(bytes: Uint8Array): boolean {
		const isCpu = startsWith(bytes, this.#at, this.#end, cpuWord);
		const start = this.#at;
		let at = start;
		while (at < this.#end && isKeyByte(bytes[at])) {
			at++;
		}

		if (at === start || at >= this.#end || bytes[at] !== equals) {
			return false;
		}

		const valueStart = at + 1;
		const limit = Math.min(this.#end, valueStart + maxValueLength);
		at = valueStart;
		while (at < limit && isValueByte(bytes[at])) {
			at++;
		}

		if (at === valueStart || at >= this.#end || bytes[at] !== blank) {
			return false;
		}

		if (isCpu) {
			this.cpuNs = millisecondsAsNs(bytes, valueStart, at);
		}

		this.#at = at + 1;
		return true;
	}

	/** "0x1f " or "31 ". */
	#readNativeId(bytes: Uint8Array): boolean {
		if (bytes[this.#at] === zero && bytes[this.#at + 1] === lowerX) {
			this.#at += 2;
			const isHex = this.#readHex(bytes) && this.#take(bytes, blank);
			this.#number = this.#low;
			return isHex;
		}

		return this.#readDecimal(bytes) && this.#take(bytes, blank);
	}

	/** Words of letters and punctuation, then the stack's address in brackets, or blanks, up to the line's end. */
	#readStatus(bytes: Uint8Array): boolean {
		let at = this.#at;
		while (at < this.#end && isStatusByte(bytes[at])) {
			at++;
		}

		if (at === this.#end) {
			this.hasStack = false;
			return true;
		}

		this.#at = at + 3;
		this.hasStack = bytes[at] === openBracket && bytes[at + 1] === zero && bytes[at + 2] === lowerX
			&& this.#readHex(bytes) && bytes[this.#at] === closeBracket && this.#at + 1 === this.#end;
		return this.hasStack;
	}

	#take(bytes: Uint8Array, byte: number): boolean {
		if (this.#at < this.#end && bytes[this.#at] === byte) {
			this.#at++;
			return true;
		}

		return false;
	}

	#takeWord(bytes: Uint8Array, word: Word): boolean {
		if (startsWith(bytes, this.#at, this.#end, word)) {
			this.#at += word.length;
			return true;
		}

		return false;
	}

	#readDecimal(bytes: Uint8Array): boolean {
		const start = this.#at;
		let at = start;
		let number = 0;
		while (at < this.#end && at - start < maxDigits && bytes[at] >= zero && bytes[at] <= nine) {
			number = (number * 10) + bytes[at++] - zero;
		}

		this.#at = at;
		this.#number = number;
		return at > start && Number.isSafeInteger(number);
	}

	#readHex(bytes: Uint8Array): boolean {
		const start = this.#at;
		let at = start;
		let high = 0;
		let low = 0;
		let digit = 0;
		while (at < this.#end && at - start < maxDigits && (digit = hexDigit(bytes[at])) >= 0) {
			high = (high << 4) | (low >>> 28);
			low = (low << 4) | digit;
			at++;
		}

		this.#at = at;
		this.#high = high;
		this.#low = low;
		return at > start;
	}
}

/** Whether the word stands at `at`, before `end`. */
export function startsWith(bytes: Uint8Array, at: number, end: number, word: Word): boolean {
	if (at + word.length > end) {
		return false;
	}

	let index = 0;
	while (index < word.length && bytes[at + index] === word[index]) {
		index++;
	}

	return index === word.length;
}

/** Value of a hexadecimal digit, -1 for another byte. */
export function hexDigit(byte: number): number {
	if (byte >= zero && byte <= nine) {
		return byte - zero;
	}

	return byte >= 97 && byte <= 102 ? byte - 87 : -1;
}

/** The line's end: index of the next line feed, or `limit`. */
export function lineEndAfter(bytes: Uint8Array, at: number, limit: number): number {
	while (at < limit && bytes[at] !== newline) {
		at++;
	}

	return at;
}

function isKeyByte(byte: number): boolean {
	return (byte >= 97 && byte <= 122) || byte === 95;
}

function isValueByte(byte: number): boolean {
	return (byte >= zero && byte <= nine) || (byte >= 65 && byte <= 90) || (byte >= 97 && byte <= 122) || byte === dot || byte === dash;
}

function isStatusByte(byte: number): boolean {
	return byte === blank || (byte >= 97 && byte <= 122) || (byte >= 65 && byte <= 90) || byte === dot || byte === 40 || byte === 41;
}

/** "12.34ms" as nanoseconds, -1 when it is something else. */
function millisecondsAsNs(bytes: Uint8Array, start: number, end: number): number {
	let number = 0;
	let scale = 0;
	let at = start;
	for (; at < end; at++) {
		const byte = bytes[at];
		if (byte === dot && scale === 0) {
			scale = 1;
		} else if (byte >= zero && byte <= nine) {
			number = (number * 10) + byte - zero;
			scale *= 10;
		} else {
			break;
		}
	}

	return end - at === 2 && bytes[at] === 109 && bytes[at + 1] === 115 ? Math.round(number * 1_000_000 / Math.max(scale, 1)) : -1;
}
