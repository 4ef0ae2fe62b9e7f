import {normalClassName} from '../../../model/class-name.js';
import {
	nativeLine, otherFrame, unknownLine, type Interner,
} from '../../../model/frame.js';
import {decodeModifiedUtf8} from '../../../model/modified-utf8.js';
import {printable} from '../../../model/text.js';
import {type IdleList, idleKind} from '../../../jvm/threads/idle.js';
import {type Sample, threadFlag} from '../../../model/sample.js';
import {stateCode} from '../../../model/thread-state.js';

/** Distinct frame lines remembered; a large application server shows some ten thousand at a time. */
const maxLines = 1 << 16;

/**
Longest frame line, including any line feeds in its method's name: the class-file format limits each of its three names
to 65,535 bytes.
*/
const maxFrameLength = 3 * 65_536;

const initializer = '<clinit>';

/** A frame of a dump. */
export type DumpFrame = {
	/** The interned frame. */
	readonly id: number;
	/** The string id of the class whose static initializer this frame is; 0 for other frames. */
	readonly initializes: number;
	/** Its line. */
	readonly text: string;
	/** The frame below it, last time. */
	next?: DumpFrame;
};

/** Frames by the text behind "\tat ". */
export class FrameLines {
	/** Which frames make a RUNNABLE thread IDLE. */
	readonly idle = new IdleFrames();

	readonly #interner: Interner;
	readonly #idleList: IdleList;
	readonly #known = new TextCache<DumpFrame>(maxLines);

	constructor(interner: Interner, idleList: IdleList) {
		this.#interner = interner;
		this.#idleList = idleList;
	}

	/**
	The frame whose line starts at `start` and ends before `lineEnd`; undefined when it is not in the cache. `above`: the
	frame above it in the stack, from which it is guessed.
	*/
	known(dump: string, start: number, lineEnd: number, above?: DumpFrame): DumpFrame | undefined {
		const line = dump.slice(start, lineEnd);
		const guess = above?.next;
		if (guess?.text === line) {
			return guess;
		}

		const frame = this.#known.get(line);
		if (above) {
			above.next = frame;
		}

		return frame;
	}

	/** Reads and remembers a frame's line; undefined when it is not a frame. */
	learn(line: string): DumpFrame | undefined {
		const text = readFrame(decodeModifiedUtf8(Buffer.from(line, 'latin1')));
		if (!text) {
			return undefined;
		}

		const interner = this.#interner;
		const className = normalClassName(text.className);
		const classId = interner.internString(printable(className));
		const id = interner.internFrame(classId, interner.internString(printable(text.method)), interner.internString(printable(text.file)), text.line);
		// In a full table one frame represents many methods.
		if (id !== otherFrame) {
			this.idle.set(id, this.#idleList.kindOf(className, text.method));
		}

		const own = copied(line);
		const frame = {id, initializes: text.method === initializer ? classId : 0, text: own};
		this.#known.set(own, frame);
		return frame;
	}
}

/** End of a frame's line: a method's name may hold line feeds, but a frame ends with a parenthesis. */
export function frameEnd(dump: string, start: number, lineEnd: number): number {
	for (let end = lineEnd; end >= 0 && end < start + maxFrameLength; end = dump.indexOf('\n', end + 1)) {
		if (dump[end - 1] === ')') {
			return end;
		}
	}

	return lineEnd;
}

/** A frame as a dump's line names it; names as printed, not yet printable. */
type FrameText = {
	className: string;
	method: string;
	/** Empty when not known. */
	file: string;
	/** >= 0, `unknownLine` or `nativeLine`. */
	line: number;
};

/** Named modules stand before the file, "java.base@17.0.15/Thread.java:840" (JDK 9 and later); the version may be missing. */
const module = /^[\w.$]+(?:@[^/]*)?\//;

const fileAndLine = /^(.*):(\d{1,9})$/s;

/**
Reads what stands after "\tat ": "pack.Class.method(File.java:12)", with "(Native Method)", "(Unknown Source)",
"(Redefined)" or a file without a line, each with or without a module in front. Class-file rules let names hold blanks,
parentheses, colons and line feeds, so hostile names can always be read in more than one way; a method's name never
holds a dot (Java Virtual Machine Specification, 4.2.2). Undefined when it is not a frame.
*/
function readFrame(text: string): FrameText | undefined {
	const open = locationStart(text);
	const dot = open > 0 ? text.lastIndexOf('.', open - 1) : -1;
	if (dot <= 0) {
		return undefined;
	}

	const frame: FrameText = {className: text.slice(0, dot), method: text.slice(dot + 1, open), file: '', line: unknownLine};
	const location = text.slice(open + 1, -1).replace(module, '');
	if (location === 'Native Method') {
		frame.line = nativeLine;
	} else if (location !== 'Unknown Source' && location !== 'Redefined') {
		const match = fileAndLine.exec(location);
		frame.file = match ? match[1] : location;
		frame.line = match ? Number(match[2]) : unknownLine;
	}

	return frame;
}

/**
Index of the parenthesis that opens the location: the partner of the one at the end where parentheses are balanced, else
the last one; -1 when there is none.
*/
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

/**
Longest text kept as a key: a line with a class, a method and a file name of a hundred characters each fits. Longer
ones are read again each time.
*/
const maxLength = 1024;

/** What pieces of a dump mean, so that a piece is parsed only once. */
export class TextCache<Value> {
	readonly #values = new Map<string, Value>();
	readonly #maxEntries: number;

	/** `maxEntries`: when there are more, all are forgotten and read again. */
	constructor(maxEntries: number) {
		this.#maxEntries = maxEntries;
	}

	get(text: string): Value | undefined {
		return this.#values.get(text);
	}

	/** `text` is not a slice of a dump, see `copied`. */
	set(text: string, value: Value): void {
		if (text.length > maxLength) {
			return;
		}

		if (this.#values.size >= this.#maxEntries) {
			this.#values.clear();
		}

		this.#values.set(text, value);
	}
}

/** The text (characters up to U+00FF) in memory of its own: a slice of a dump keeps the whole dump. */
export function copied(text: string): string {
	return Buffer.from(text, 'latin1').toString('latin1');
}

/** The frames that make a thread IDLE when on top of its stack: codes of `idleKind` by frame id. */
export class IdleFrames {
	#kind = new Uint8Array(1024);

	set(frame: number, kind: number): void {
		if (frame >= this.#kind.length) {
			const larger = new Uint8Array(Math.max(frame + 1, this.#kind.length * 2));
			larger.set(this.#kind);
			this.#kind = larger;
		}

		this.#kind[frame] = kind;
	}

	/**
	Turns RUNNABLE threads into IDLE ones if they are in a call known to wait, or have no Java frames and used no CPU
	since their previous sample (a thread without frames that did use CPU is at work inside the JVM). Call it once
	`cpuNs` is set for all rows; `cpuKnown` is 0 for rows where it says nothing. There a call that may work or wait
	counts as work, and a thread without frames still counts as waiting, as nearly all of the JVM's own threads do.
	`listener`: native id of the Attach Listener, which works only for us and is not part of the target's load.
	*/
	applyTo(sample: Sample, cpuKnown: Uint8Array, listener: number): void {
		const {state, cpuNs, nativeId, stackStart, stackLength, frames, flags} = sample;
		for (let row = 0; row < sample.count; row++) {
			if (state[row] !== stateCode.RUNNABLE || (flags[row] & threadFlag.carrier) !== 0) {
				continue;
			}

			const hasFrames = stackLength[row] > 0;
			const kind = hasFrames ? this.#kindOf(frames[stackStart[row]]) : idleKind.withoutCpu;
			const usedCpu = cpuNs[row] > 0 || (hasFrames && cpuKnown[row] === 0);
			if (kind === idleKind.always || (!hasFrames && listener !== 0 && nativeId[row] === listener) || (kind === idleKind.withoutCpu && !usedCpu)) {
				state[row] = stateCode.IDLE;
			}
		}
	}

	#kindOf(frame: number): number {
		return frame < this.#kind.length ? this.#kind[frame] : idleKind.none;
	}
}
