import {hexDigit, startsWith, wordOf} from './header.js';

/** What a line below a frame says about locks. */
export const lockLineKind = Object.freeze({
	/** Nothing useful: an eliminated lock, "None". */
	other: 0,
	/** "locked <…>". */
	holds: 1,
	/** "<…> (a X)" below "Locked ownable synchronizers:". */
	ownsSynchronizer: 2,
	/** "waiting to lock <…>". */
	entersMonitor: 3,
	/** "waiting on <…>", "waiting to re-lock in wait() <…>" (JDK 11). */
	waits: 4,
	/** "parking to wait for  <…>". */
	parks: 5,
	/** "waiting on the Class initialization monitor for X" (JDK 17 and later). */
	initialisesClass: 6,
});

const lockedWord = wordOf('locked <0x');
const synchronizerWord = wordOf('<0x');
const enterWord = wordOf('waiting to lock <');
const initWord = wordOf('waiting on the Class initialization monitor for ');
const waitWord = wordOf('waiting on <');
const relockWord = wordOf('waiting to re-lock in wait() <');
const parkWord = wordOf('parking to wait for  <');
const eliminatedWord = wordOf('eliminated <owner is scalar replaced>');
const addressWord = wordOf('0x');
const classWord = wordOf('> (a ');
const glue = wordOf(')\tat ');
const closeParenthesis = 41;

/** Reads such lines, one at a time, into its own fields, without allocating. */
export class LockLine {
	/** Code of `lockLineKind`. */
	kind = 0;
	/**
	Address of the object as two signed halves of 32 bits (larger numbers would be allocated); 0 when it is not printed
	("no object reference available").
	*/
	addressHigh = 0;
	addressLow = 0;
	/** Where the name of the object's class starts and ends; equal when it is not printed. */
	classStart = 0;
	classEnd = 0;
	/** Where a frame on the same line starts; 0 when there is none. */
	gluedFrame = 0;

	/** Reads what stands after "\t- ". */
	read(bytes: Uint8Array, start: number, end: number): void {
		this.kind = lockLineKind.other;
		this.addressHigh = 0;
		this.addressLow = 0;
		this.classStart = 0;
		this.classEnd = 0;
		this.gluedFrame = 0;
		if (startsWith(bytes, start, end, lockedWord)) {
			this.kind = lockLineKind.holds;
			this.#readAddress(bytes, start + lockedWord.length, end);
		} else if (startsWith(bytes, start, end, enterWord)) {
			this.#readObject(bytes, start + enterWord.length, end, lockLineKind.entersMonitor);
		} else if (startsWith(bytes, start, end, parkWord)) {
			this.#readObject(bytes, start + parkWord.length, end, lockLineKind.parks);
		} else if (startsWith(bytes, start, end, waitWord)) {
			this.#readObject(bytes, start + waitWord.length, end, lockLineKind.waits);
		} else if (startsWith(bytes, start, end, relockWord)) {
			this.#readObject(bytes, start + relockWord.length, end, lockLineKind.waits);
		} else if (startsWith(bytes, start, end, initWord)) {
			this.kind = lockLineKind.initialisesClass;
			this.classStart = start + initWord.length;
			this.classEnd = end;
		} else if (startsWith(bytes, start, end, synchronizerWord)) {
			this.kind = lockLineKind.ownsSynchronizer;
			this.#readAddress(bytes, start + synchronizerWord.length, end);
		} else if (startsWith(bytes, start, end, eliminatedWord)) {
			this.#findGlue(bytes, start + eliminatedWord.length, end);
		}
	}

	/** "0x…> (a X)", or words in place of the address. */
	#readObject(bytes: Uint8Array, start: number, end: number, kind: number): void {
		this.kind = kind;
		if (!startsWith(bytes, start, end, addressWord)) {
			return;
		}

		const after = this.#readAddress(bytes, start + addressWord.length, end);
		if (startsWith(bytes, after, end, classWord) && bytes[end - 1] === closeParenthesis) {
			this.classStart = after + classWord.length;
			this.classEnd = end - 1;
		}
	}

	#readAddress(bytes: Uint8Array, start: number, end: number): number {
		let at = start;
		let high = 0;
		let low = 0;
		for (let digit = 0; at < end && (digit = hexDigit(bytes[at])) >= 0; at++) {
			high = (high << 4) | (low >>> 28);
			low = (low << 4) | digit;
		}

		this.addressHigh = high;
		this.addressLow = low;
		return at;
	}

	#findGlue(bytes: Uint8Array, start: number, end: number): void {
		for (let at = start; at + glue.length < end; at++) {
			if (bytes[at] === closeParenthesis && startsWith(bytes, at, end, glue)) {
				this.gluedFrame = at + glue.length;
				return;
			}
		}
	}
}
