import {normalClassName} from '../../../model/class-name.js';
import {otherFrame, type Interner} from '../../../model/frame.js';
import {decodeModifiedUtf8} from '../../../model/modified-utf8.js';
import {printable} from '../../../model/text.js';
import type {IdleList} from '../../../jvm/threads/idle.js';
import {readFrame} from './frame-text.js';
import {lineEndAfter} from './header.js';
import {IdleFrames} from './idle-frames.js';
import {LineCache} from './line-cache.js';

/** Distinct frame lines remembered; a large application server shows some ten thousand at a time. */
const maxLines = 1 << 16;

/**
Longest frame line, including any line feeds in its method's name: the class-file format limits each of its three names
to 65,535 bytes.
*/
const maxFrameBytes = 3 * 65_536;

const closeParenthesis = 41;
const initialiser = '<clinit>';

/** Frame ids of the lines below "\tat "; a line seen before allocates nothing. */
export class FrameLines {
	/** After `read`: the frame's id; 0 when the line is not a frame. */
	frame = 0;
	/** After `read`: where the line ends (its line feed, or the limit). */
	lineEnd = 0;
	/** After `read`: the string id of the class whose static initialiser this frame is; 0 for other frames. */
	initialises = 0;
	/** Which frames make a RUNNABLE thread IDLE. */
	readonly idle = new IdleFrames();

	readonly #interner: Interner;
	readonly #idleList: IdleList;
	readonly #cache = new LineCache(maxLines);
	/** Entry with which a row's stack began in the last dump: a guess for this one. */
	#firstEntry = new Int32Array(64).fill(-1);
	/** Entry of the line above in the same stack. */
	#entry = -1;
	#row = 0;

	constructor(interner: Interner, idleList: IdleList) {
		this.#interner = interner;
		this.#idleList = idleList;
	}

	/** The next frame is the top of this row's stack. */
	startStack(row: number): void {
		this.#row = row;
		this.#entry = -1;
		if (row >= this.#firstEntry.length) {
			const larger = new Int32Array(row * 2).fill(-1);
			larger.set(this.#firstEntry);
			this.#firstEntry = larger;
		}
	}

	/** Reads the frame that starts here. */
	read(bytes: Buffer, start: number, limit: number): void {
		const cache = this.#cache;
		const isTop = this.#entry < 0;
		let entry = isTop ? cache.guessLine(bytes, start, limit, this.#firstEntry[this.#row]) : -1;
		if (entry < 0) {
			entry = cache.findLine(bytes, start, limit, this.#entry);
		}

		if (entry < 0) {
			this.lineEnd = frameEnd(bytes, start, limit);
			entry = this.#learn(bytes, start, this.lineEnd);
		} else {
			this.lineEnd = cache.lineEnd;
			this.frame = cache.value[entry];
			this.initialises = cache.extra[entry];
		}

		if (isTop && entry >= 0) {
			this.#firstEntry[this.#row] = entry;
		}

		this.#entry = entry;
	}

	/** Reads and remembers a frame that was not seen before; returns its entry, or -1 when it cannot be kept. */
	#learn(bytes: Buffer, start: number, end: number): number {
		this.frame = 0;
		this.initialises = 0;
		const text = readFrame(decodeModifiedUtf8(bytes, start, end));
		if (!text) {
			return -1;
		}

		const interner = this.#interner;
		const className = normalClassName(text.className);
		const classId = interner.internString(printable(className));
		this.frame = interner.internFrame(classId, interner.internString(printable(text.method)), interner.internString(printable(text.file)), text.line);
		// In a full table one frame stands for many methods.
		if (this.frame !== otherFrame) {
			this.idle.set(this.frame, this.#idleList.kindOf(className, text.method));
		}

		this.initialises = text.method === initialiser ? classId : 0;
		if (lineEndAfter(bytes, start, end) < end) {
			return -1;
		}

		const {generation} = this.#cache;
		const entry = this.#cache.add(bytes, start, end, this.frame, this.initialises);
		if (this.#cache.generation !== generation) {
			this.#firstEntry.fill(-1);
		}

		return entry;
	}
}

/** End of a frame's line: a method's name may hold line feeds, but a frame ends with a parenthesis. */
function frameEnd(bytes: Buffer, start: number, end: number): number {
	const first = lineEndAfter(bytes, start, end);
	const limit = Math.min(end, start + maxFrameBytes);
	for (let lineEnd = first; lineEnd < limit; lineEnd = lineEndAfter(bytes, lineEnd + 1, limit)) {
		if (bytes[lineEnd - 1] === closeParenthesis) {
			return lineEnd;
		}
	}

	return first;
}
