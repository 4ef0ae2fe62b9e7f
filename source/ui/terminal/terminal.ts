import {EventEmitter} from 'node:events';
import {writeSync} from 'node:fs';
import process from 'node:process';
import {setImmediate as turn} from 'node:timers/promises';
import type {ReadStream, WriteStream} from 'node:tty';
import {beforeStop} from '../../runtime/suspension.js';
import {KeyDecoder} from './key-decoder.js';
import {mouseOff, mouseOn, type MouseInput} from './mouse.js';

/** Alternate screen, cursor hidden, automatic wrapping off (xterm's "ctlseqs"); and back. */
const enterScreen = '\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[2J\u001B[H';
const leaveScreen = '\u001B[?2026l\u001B[0m\u001B[?7h\u001B[?25h\u001B[?1049l';
/** Empties the screen, for a frame that is drawn whole. */
export const clearScreen = '\u001B[0m\u001B[2J\u001B[H';

/** Begin and end of a synchronized update (mode 2026): the terminal shows a frame at once or ignores this. */
const beginFrame = '\u001B[?2026h';
const endFrame = '\u001B[?2026l';

/** What a terminal is that does not say how large it is (a pseudo-terminal may say 0). */
const defaultSize = {columns: 80, rows: 24};

/** Largest screen drawn: more than any monitor shows. It bounds a frame even if the terminal's size is absurd. */
const maxSize = {columns: 500, rows: 200};

/** How long an escape may wait for the rest of its sequence: a slow link splits sequences. */
const escapeWaitMs = 40;

export type Size = {readonly columns: number; readonly rows: number};

export type Events = {key: [key: string]; mouse: [input: MouseInput]; resize: []; repaint: []; gone: []};

/** What a stream of frames needs to know of the terminal behind it. */
type FrameSink = {
	readonly columns: number;
	/** Whether a frame written now would wait behind others. */
	readonly isBehind: boolean;
	write(frame: string): void;
};

/**
What Ink writes to; a frame is passed on as one synchronized update, from the top left. It is no terminal to Ink, which
would erase the scrollback. A frame that the terminal is not ready for is left out: `hasGaps`.
*/
// eslint-disable-next-line unicorn/prefer-event-target -- Ink listens to it as to a stream of Node.
export class FrameStream extends EventEmitter {
	/** While true nothing is passed on: the screen is being left or is not ours. */
	isMuted = false;
	hasGaps = false;
	#pieces = '';
	readonly #sink: FrameSink;

	constructor(sink: FrameSink) {
		super();
		this.#sink = sink;
	}

	get columns(): number {
		return this.#sink.columns;
	}

	write(piece: string | Uint8Array, ...rest: unknown[]): boolean {
		if (!this.isMuted) {
			if (this.#pieces === '') {
				queueMicrotask(() => {
					this.flush();
				});
			}

			const text = String(piece).replace(/^\u001B\[\d*A/, '\u001B[H').replace(/\n$/, '');
			// Nothing of what came before is left on a screen that is emptied.
			this.#pieces = text.startsWith(clearScreen) ? text : this.#pieces + text;
		}

		const done = rest.at(-1);
		if (typeof done === 'function') {
			queueMicrotask(done as () => void);
		}

		return true;
	}

	/** Passes on what was written, steps over unchanged lines taken together. */
	flush(): void {
		const frame = this.#pieces.replaceAll(/(?:\u001B\[E){2,}/g, steps => `\u001B[${steps.length / 3}E`);
		this.#pieces = '';
		if (frame === '' || this.isMuted) {
			return;
		}

		if (this.hasGaps || this.#sink.isBehind) {
			this.hasGaps = true;
		} else {
			this.#sink.write(beginFrame + frame + endFrame);
		}
	}
}

/**
The terminal while the screen is up: raw keys in, frames out. Emits `key` (a name of the key decoder), `mouse`,
`resize`, `repaint` (what is on the screen is not to be relied on), `gone` (nobody reads or types any more).
*/
// eslint-disable-next-line unicorn/prefer-event-target -- What it passes on are events of Node's streams and process.
export class Terminal extends EventEmitter<Events> {
	readonly frames: FrameStream;
	readonly #stdin: ReadStream;
	readonly #stdout: WriteStream;
	readonly #decoder = new KeyDecoder();
	#isUp = false;
	/** Another program has the terminal for a while. */
	#isLent = false;
	#isEntered = false;
	#escapeTimer: NodeJS.Timeout | undefined;
	#escapeCheck: NodeJS.Immediate | undefined;
	#endSuspending: (() => void) | undefined;

	readonly #hasMouse: boolean;

	/** `hasMouse`: whether the mouse is ours too; without it the terminal does with it what it usually does. */
	constructor(stdin: ReadStream, stdout: WriteStream, {hasMouse = false}: {readonly hasMouse?: boolean} = {}) {
		super();
		this.#hasMouse = hasMouse;
		this.#stdin = stdin;
		this.#stdout = stdout;
		this.frames = new FrameStream(this);
	}

	/** Size of the screen, at least 1 x 1. */
	get size(): Size {
		const {columns, rows} = this.#stdout;
		return {
			columns: Math.min(maxSize.columns, columns || defaultSize.columns),
			rows: Math.min(maxSize.rows, rows || defaultSize.rows),
		};
	}

	get columns(): number {
		return this.size.columns;
	}

	/** Whether a frame written now would wait behind others. */
	get isBehind(): boolean {
		return this.#stdout.writableNeedDrain || this.#stdout.writableLength > 0;
	}

	/** Takes the terminal over. Undone by `leave`, at the latest when the process exits. */
	enter(): void {
		this.#blocking(false);
		process.on('exit', this.leave);
		this.#endSuspending = beforeStop({
			suspend: () => {
				this.#down();
				return true;
			}, resume: this.#continued, usesTerminal: true,
		});
		this.#stdout.on('resize', this.#resized);
		this.#stdout.on('error', this.#gone);
		this.#stdin.on('error', this.#gone);
		this.#stdin.on('end', this.#gone);
		this.#stdin.on('data', this.#read);
		this.#isEntered = true;
		this.#up();
	}

	/** Gives the terminal back at once. May be called more than once. */
	readonly leave = (): void => {
		this.#awaitRest(false);
		this.#isEntered = false;
		process.off('exit', this.leave);
		this.#endSuspending?.();
		this.#stdout.off('resize', this.#resized);
		this.#stdin.off('end', this.#gone);
		this.#stdin.off('data', this.#read);
		this.#down();
		this.#blocking(true);
		this.#stdin.pause();
	};

	/** Does what Ctrl-Z stands for, with the terminal given back until the process is continued. */
	suspend(): void {
		this.#down();
		// The whole job, as the terminal itself would: a wrapper such as npm stops too, and the shell takes over.
		process.kill(0, 'SIGTSTP');
	}

	/** Gives the terminal to another program until `work` is done; its keys and signals are that program's. */
	async lend(work: () => Promise<void>): Promise<void> {
		this.#isLent = true;
		this.#down();
		this.#stdin.pause();
		try {
			await work();
		} finally {
			// Another thread may have taken the signal of its end, and told it before that of a key pressed earlier.
			await turn();
			this.#isLent = false;
			if (this.#isEntered) {
				this.#up();
				this.emit('repaint');
			}
		}
	}

	get isLent(): boolean {
		return this.#isLent;
	}

	/** Has the terminal put a text into the clipboard (OSC 52 of xterm's "ctlseqs"); those that cannot ignore it. */
	copy(text: string): void {
		this.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
	}

	write(text: string): void {
		if (!this.#stdout.destroyed && this.#stdout.writable) {
			this.#stdout.write(text, this.#written);
		}
	}

	#up(): void {
		this.#isUp = true;
		this.frames.isMuted = false;
		this.#raw(true);
		this.#stdin.resume();
		this.write(enterScreen + (this.#hasMouse ? mouseOn : ''));
	}

	#down(): void {
		if (!this.#isUp) {
			return;
		}

		this.#isUp = false;
		this.frames.isMuted = true;
		this.#raw(false);
		const ending = (this.#hasMouse ? mouseOff : '') + leaveScreen;
		if (this.isBehind) {
			this.write(ending);
			return;
		}

		try {
			writeSync((this.#stdout as unknown as {fd: number}).fd, ending);
		} catch {
			// Nobody is there to see it.
		}
	}

	/** A terminal's writes block by default: one that has stopped reading would stop the whole process. */
	#blocking(isBlocking: boolean): void {
		(this.#stdout as unknown as {_handle?: {setBlocking?: (isBlocking: boolean) => void}})._handle?.setBlocking?.(isBlocking);
	}

	#raw(isRaw: boolean): void {
		try {
			this.#stdin.setRawMode(isRaw);
		} catch {
			// The terminal is gone; its end is reported by the stream.
		}
	}

	readonly #continued = (): void => {
		if (this.#isLent) {
			return;
		}

		// The shell has used the terminal meanwhile: its modes and what it shows are not ours any more.
		this.#raw(false);
		this.#up();
		this.emit('repaint');
	};

	readonly #resized = (): void => {
		this.emit('resize');
	};

	/** Makes up for frames that were left out, once the terminal has taken what it was given. */
	readonly #written = (): void => {
		if (this.frames.hasGaps && this.#isUp && !this.isBehind) {
			this.frames.hasGaps = false;
			this.emit('repaint');
		}
	};

	readonly #gone = (): void => {
		this.emit('gone');
	};

	readonly #read = (bytes: Uint8Array): void => {
		this.#awaitRest(false);
		for (const input of this.#decoder.push(bytes)) {
			if (typeof input === 'string') {
				this.emit('key', input);
			} else if (this.#hasMouse) {
				// Else it is of a program before us, which has left the mouse on.
				this.emit('mouse', input);
			}
		}

		this.#awaitRest(this.#decoder.isUnfinished);
	};

	/** Gives up an unfinished sequence after a while, if its rest has not come by then. */
	#awaitRest(isUnfinished: boolean): void {
		clearTimeout(this.#escapeTimer);
		clearImmediate(this.#escapeCheck);
		if (isUnfinished) {
			this.#escapeTimer = setTimeout(() => {
				// Timers come before what has arrived: where we had no CPU, the rest may be there and not yet read.
				this.#escapeCheck = setImmediate(() => {
					for (const key of this.#decoder.flush()) {
						this.emit('key', key);
					}
				});
			}, escapeWaitMs);
		}
	}
}
