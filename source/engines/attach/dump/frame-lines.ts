import {normalClassName} from '../../../model/class-name.js';
import {nativeLine, otherFrame, unknownLine, type Interner} from '../../../model/frame.js';
import {bounded} from '../../../util/get-or-create.js';
import {decodeModifiedUtf8} from '../../../util/printable.js';
import {type IdleList, idleKind} from '../../../jvm/threads/idle.js';
import {type Sample, threadFlag} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';

/** A large application server shows some ten thousand at a time. */
const maxLines = 1 << 16;

/** A method's name may have line feeds; the class-file format limits each of a line's three names to 65,535 bytes. */
const maxFrameLength = 3 * 65_536;

/** Enough for class, method and file names of a hundred characters each. */
const maxCachedLength = 1024;

export const frameStart = '\tat ';
const initializer = '<clinit>';

export type DumpFrame = {
	readonly id: number;
	/** String id of the class whose static initializer this is; 0 for other frames. */
	readonly initializedClass: number;
	/** From the tab to the line feed. */
	readonly line: string;
	/** The caller's frame in the last stack with this frame: likely to follow again. */
	next?: DumpFrame;
};

/** Parses and caches the frame lines of thread dumps. */
export class FrameLines {
	readonly #interner: Interner;
	readonly #idleList: IdleList;
	readonly #byLine = new Map<string, DumpFrame>();
	/** By id of the top frame: the `idleKind` of frames in which a RUNNABLE thread may be IDLE. */
	readonly #idleKindByFrame = new Map<number, number>();

	constructor(interner: Interner, idleList: IdleList) {
		this.#interner = interner;
		this.#idleList = idleList;
	}

	/** Returns the frame whose line ("\tat ...") starts at `start`, if any. `above`: the stack's previous frame. */
	frameAt(dump: string, start: number, above: DumpFrame | undefined): DumpFrame | undefined {
		const guess = above?.next;
		const guessed = guess?.line ?? '';
		// Comparing a slice is faster than `startsWith`.
		if (guessed !== '' && dump.slice(start, start + guessed.length) === guessed) {
			return guess;
		}

		if (!dump.startsWith(frameStart, start)) {
			return undefined;
		}

		const lineEnd = dump.indexOf('\n', start) + 1;
		const frame = this.#byLine.get(dump.slice(start, lineEnd))
			?? this.#parse(dump.slice(start, frameEnd(dump, start, lineEnd)));
		if (above) {
			above.next = frame;
		}

		return frame;
	}

	/**
	Changes RUNNABLE threads to IDLE if they are in a call known to wait, or have no Java frames and used no CPU since
	the previous sample. Requires `cpuNs` of all rows. If a row's CPU time is unknown (`hasCpuTime` 0), a thread in a
	call that may work or wait counts as working, and a thread without frames as waiting, as most of them do.
	`listener`: native id of the Attach Listener, which works only for us.
	*/
	markIdle(sample: Sample, hasCpuTime: Uint8Array, listener: number): void {
		const {state, cpuNs, nativeId, stackStart, stackLength, frames, flags} = sample;
		for (let row = 0; row < sample.count; row++) {
			if (state[row] !== stateCode.RUNNABLE || (flags[row] & threadFlag.carrier) !== 0) {
				continue;
			}

			const hasFrames = stackLength[row] > 0;
			const kind = hasFrames
				? (this.#idleKindByFrame.get(frames[stackStart[row]]) ?? idleKind.none)
				: idleKind.ifNoCpu;
			const usedCpu = cpuNs[row] > 0 || (hasFrames && hasCpuTime[row] === 0);
			if (
				kind === idleKind.always || (!hasFrames && listener !== 0 && nativeId[row] === listener)
				|| (kind === idleKind.ifNoCpu && !usedCpu)
			) {
				state[row] = stateCode.IDLE;
			}
		}
	}

	#parse(dumpLine: string): DumpFrame | undefined {
		const bytes = Buffer.from(dumpLine, 'latin1');
		const text = readFrame(decodeModifiedUtf8(bytes.subarray(frameStart.length, -1)));
		if (!text) {
			return undefined;
		}

		const interner = this.#interner;
		const className = normalClassName(text.className);
		const classId = interner.internString(className);
		const id = interner.internFrame(
			classId,
			interner.internString(text.method),
			interner.internString(text.file),
			text.line,
		);
		const kind = this.#idleList.kindOf(className, text.method);
		// When the interner is full, `otherFrame` represents many methods.
		if (id !== otherFrame && kind !== idleKind.none) {
			this.#idleKindByFrame.set(id, kind);
		}

		// A copy: a slice of the dump would keep the whole dump in memory.
		const line = bytes.toString('latin1');
		const frame = {id, initializedClass: text.method === initializer ? classId : 0, line};
		if (line.length <= maxCachedLength) {
			bounded(this.#byLine, maxLines).set(line, frame);
		}

		return frame;
	}
}

/** Returns the end of a frame's line: a method's name may contain line feeds, but a frame ends with a parenthesis. */
function frameEnd(dump: string, start: number, lineEnd: number): number {
	for (let end = lineEnd; end > 0 && end < start + maxFrameLength; end = dump.indexOf('\n', end) + 1) {
		if (dump[end - 2] === ')') {
			return end;
		}
	}

	return lineEnd;
}

/** Names are unescaped, not yet safe to print. */
type FrameText = {
	className: string;
	method: string;
	/** Empty if unknown. */
	file: string;
	/** >= 0, `unknownLine` or `nativeLine`. */
	line: number;
};

/** Module before the file, as in "java.base@17.0.15/Thread.java:840" (JDK 9 and later); the version may be missing. */
const modulePrefix = /^[\w.$]+(?:@[^/]*)?\//;

const fileAndLine = /^(.*):(\d{1,9})$/s;

/**
Parses the text after "\tat ": "pack.Class.method(File.java:12)", or with "(Native Method)", "(Unknown Source)",
"(Redefined)" or a file without a line, each with or without a module. Returns undefined if it is not a frame. The
class-file format permits blanks, parentheses, colons and line feeds in names, so hostile names are always ambiguous; a
method's name never contains a dot (Java Virtual Machine Specification, 4.2.2).
*/
function readFrame(text: string): FrameText | undefined {
	const open = locationStart(text);
	const dot = open > 0 ? text.lastIndexOf('.', open - 1) : -1;
	if (dot <= 0) {
		return undefined;
	}

	const frame: FrameText = {
		className: text.slice(0, dot),
		method: text.slice(dot + 1, open),
		file: '',
		line: unknownLine,
	};
	const location = text.slice(open + 1, -1).replace(modulePrefix, '');
	if (location === 'Native Method') {
		frame.line = nativeLine;
	} else if (location !== 'Unknown Source' && location !== 'Redefined') {
		const match = fileAndLine.exec(location);
		frame.file = match ? match[1] : location;
		frame.line = match ? Number(match[2]) : unknownLine;
	}

	return frame;
}

/** Returns the index of the parenthesis that matches the last one, or of the last opening one; -1 if there is none. */
function locationStart(text: string): number {
	if (!text.endsWith(')')) {
		return -1;
	}

	let depth = 0;
	for (let at = text.length - 1; at >= 0; at--) {
		if (text[at] === ')') {
			depth++;
		} else if (text[at] === '(' && --depth === 0) {
			return at;
		}
	}

	return text.lastIndexOf('(');
}
