import {hexDigit, lineEndAfter, startsWith, wordOf} from './header.js';

const listWord = wordOf('_java_thread_list=');
const elementsWord = wordOf('elements={');
const closeBrace = 125;
const zero = 48;
const lowerX = 120;

/**
Most threads read from a dump. The table tells 16,384 of them apart; with many more each dump would stop the target for
a large part of a second.
*/
export const maxThreads = 1 << 16;

/**
The list of Java threads that JDK 11 and later print at the top of a dump, before anything that the program can
influence: addresses of the JVM's thread structures, which are the `tid` of the headers in the same order. What looks
like a header and is not next in the list is part of a name.
*/
export class SmrList {
	count = 0;
	/** Whether the dump has such a list. */
	present = false;
	/** It names more threads than we read. */
	isTooLong = false;
	/** Addresses, as two signed halves of 32 bits. */
	high = new Int32Array(256);
	low = new Int32Array(256);

	/** Whether this address (its two halves) is at this place in the list. */
	isAt(index: number, high: number, low: number): boolean {
		return index < this.count && this.low[index] === low && this.high[index] === high;
	}

	/**
	Reads the list if it is in `bytes[start..end)`, the part above the first header. False when a list begins there but
	does not end, or is too long.
	*/
	read(bytes: Uint8Array, start: number, end: number): boolean {
		this.count = 0;
		this.present = false;
		this.isTooLong = false;
		for (let at = start; at < end;) {
			const lineEnd = lineEndAfter(bytes, at, end);
			if (startsWith(bytes, at, lineEnd, listWord)) {
				this.present = true;
				return this.#readElements(bytes, at, end);
			}

			at = lineEnd + 1;
		}

		return true;
	}

	#readElements(bytes: Uint8Array, start: number, end: number): boolean {
		let at = start;
		const lineEnd = lineEndAfter(bytes, start, end);
		while (at < lineEnd && !startsWith(bytes, at, lineEnd, elementsWord)) {
			at++;
		}

		at += elementsWord.length;
		while (at < end && bytes[at] !== closeBrace) {
			if (bytes[at] !== zero || bytes[at + 1] !== lowerX) {
				at++;
				continue;
			}

			at += 2;
			let high = 0;
			let low = 0;
			for (let digit = 0; at < end && (digit = hexDigit(bytes[at])) >= 0; at++) {
				high = (high << 4) | (low >>> 28);
				low = (low << 4) | digit;
			}

			if (this.count === maxThreads) {
				this.isTooLong = true;
				return false;
			}

			this.#push(high, low);
		}

		return at < end;
	}

	#push(high: number, low: number): void {
		if (this.count === this.high.length) {
			this.high = doubled(this.high);
			this.low = doubled(this.low);
		}

		this.high[this.count] = high;
		this.low[this.count++] = low;
	}
}

function doubled(array: Int32Array): Int32Array<ArrayBuffer> {
	const larger = new Int32Array(array.length * 2);
	larger.set(array);
	return larger;
}
