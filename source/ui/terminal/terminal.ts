import {EventEmitter} from 'node:events';
import {writeSync} from 'node:fs';
import process from 'node:process';
import {setImmediate as nextTurn} from 'node:timers/promises';
import type {ReadStream, WriteStream} from 'node:tty';
import {beforeStop} from '../../runtime/suspension.js';
import {KeyDecoder, type Input, type MouseInput} from './key-decoder.js';

/** Switches to the alternate screen, hides the cursor, turns automatic wrapping off (xterm's "ctlseqs"); and back. */
const enterScreen = '\u001B[?1049h\u001B[?25l\u001B[?7l\u001B[2J\u001B[H';
const leaveScreen = '\u001B[?2026l\u001B[0m\u001B[?7h\u001B[?25h\u001B[?1049l';
/** Mouse modes: 1000 reports buttons and the wheel, 1006 encodes the reports as text (SGR). */
const mouseOn = '\u001B[?1000h\u001B[?1006h';
const mouseOff = '\u001B[?1006l\u001B[?1000l';
/** Mode 2004: the terminal marks the beginning and end of pasted text. */
const pasteOn = '\u001B[?2004h';
const pasteOff = '\u001B[?2004l';
/** Clears the screen for a full redraw. */
export const clearScreen = '\u001B[0m\u001B[2J\u001B[H';

/** Begin and end of a synchronized update (mode 2026): the terminal shows the frame in one step, or ignores this. */
const beginFrame = '\u001B[?2026h';
const endFrame = '\u001B[?2026l';

/** The size of a terminal that does not report one (a pseudo-terminal may report 0). */
const defaultSize = {columns: 80, rows: 24};

/** Largest screen drawn, more than any monitor shows: bounds a frame even if the terminal reports an absurd size. */
const maxSize = {columns: 500, rows: 200};

/** How long to wait for the rest of an escape sequence, as a slow link may split it, before ESC is the Escape key. */
const escapeWaitMs = 40;

/** How long to wait for more of a paste before its end counts as lost, and keys are keys again. */
const pasteWaitMs = 2000;

/** Most inputs handled before the terminal is read again. */
const inputsPerTurn = 16;

/** Most inputs that wait to be handled. More come from no keyboard; what is beyond is dropped. */
const maxInputs = 1024;

/** The input that is handled before all others, and drops them. */
const interrupt = 'ctrl-c';

export type Size = {readonly columns: number; readonly rows: number};

export type Events = {
	key: [key: string];
	mouse: [input: MouseInput];
	paste: [text: string];
	resize: [];
	repaint: [];
	gone: [];
};

/**
The stream that Ink writes to; passes each frame on as one synchronized update, from the top left. It does not look like
a terminal to Ink, which would erase the scrollback. Drops frames that the terminal is not ready for and sets `hasGaps`.
*/
// eslint-disable-next-line unicorn/prefer-event-target -- Ink listens to it as to a stream of Node.
class FrameStream extends EventEmitter {
	/** While true nothing is passed on: the screen is closing, or another program has the terminal. */
	isMuted = false;
	/** Whether frames have been dropped since the last full redraw. */
	hasGaps = false;
	#pieces = '';
	readonly #terminal: Terminal;

	constructor(terminal: Terminal) {
		super();
		this.#terminal = terminal;
	}

	get columns(): number {
		return this.#terminal.size.columns;
	}

	/** The height. Without it Ink would start a program for each frame, to ask the terminal. */
	get rows(): number {
		return this.#terminal.size.rows;
	}

	write(piece: string | Uint8Array, ...rest: unknown[]): boolean {
		if (!this.isMuted) {
			if (this.#pieces === '') {
				queueMicrotask(() => {
					this.flush();
				});
			}

			// Ink moves up from its last line to its first, and ends each frame with a new line, which would scroll the
			// screen.
			const text = String(piece).replace(/^\u001B\[\d*A/, '\u001B[H').replace(/\n$/, '');
			// What was written before the screen is cleared need not be passed on.
			this.#pieces = text.startsWith(clearScreen) ? text : this.#pieces + text;
		}

		const done = rest.at(-1);
		if (typeof done === 'function') {
			queueMicrotask(done as () => void);
		}

		return true;
	}

	/**
	Passes on the pieces written so far as one frame. Ink's steps to the next line (CNL), which mosh does not know,
	become a carriage return and one step down; its steps to a column (CHA), a carriage return and steps to the right.
	*/
	flush(): void {
		const frame = this.#pieces.replaceAll(/(?:\u001B\[E)+/g, steps => `\r\u001B[${steps.length / 3}B`)
			.replaceAll(/\u001B\[(\d+)G/g, (_, column) => column === '1' ? '\r' : `\r\u001B[${Number(column) - 1}C`);
		this.#pieces = '';
		if (frame === '' || this.isMuted) {
			return;
		}

		if (this.hasGaps || this.#terminal.isBehind) {
			this.hasGaps = true;
		} else {
			this.#terminal.write(beginFrame + frame + endFrame);
		}
	}
}

/**
The terminal while the screen is up: raw keys in, frames out. Emits `key` (a name of the key decoder), `mouse`,
`paste`, `resize`, `repaint` (the screen may no longer show what was drawn) and `gone` (the terminal is closed).
*/
// eslint-disable-next-line unicorn/prefer-event-target -- It passes on events of Node's streams and process.
export class Terminal extends EventEmitter<Events> {
	readonly frames: FrameStream;
	/** Whether another program, such as the editor, has the terminal. */
	isLent = false;
	readonly #stdin: ReadStream;
	readonly #stdout: WriteStream;
	readonly #decoder = new KeyDecoder();
	/** Whether the screen is up now: not while the job is suspended or the terminal is lent. */
	#isUp = false;
	/** Whether the screen is to be up: between `enter` and `leave`. */
	#isEntered = false;
	#escapeTimer: NodeJS.Timeout | undefined;
	#escapeCheck: NodeJS.Immediate | undefined;
	/** The inputs that have been read and not handled. */
	#inputs: Input[] = [];
	#removeStopHook: (() => void) | undefined;
	readonly #hasMouse: boolean;

	/** `hasMouse`: whether to ask for mouse events, with which the terminal itself no longer selects text. */
	constructor(stdin: ReadStream, stdout: WriteStream, {hasMouse = false}: {readonly hasMouse?: boolean} = {}) {
		super();
		this.#hasMouse = hasMouse;
		this.#stdin = stdin;
		this.#stdout = stdout;
		this.frames = new FrameStream(this);
	}

	get size(): Size {
		const {columns, rows} = this.#stdout;
		return {
			columns: Math.min(maxSize.columns, columns || defaultSize.columns),
			rows: Math.min(maxSize.rows, rows || defaultSize.rows),
		};
	}

	/** Whether earlier output is still waiting, so that a frame written now would wait too. */
	get isBehind(): boolean {
		return this.#stdout.writableNeedDrain || this.#stdout.writableLength > 0;
	}

	/** Takes over the terminal until `leave`, which is called at the latest when the process exits. */
	enter(): void {
		this.#setBlocking(false);
		process.on('exit', this.leave);
		this.#removeStopHook = beforeStop({
			suspend: () => {
				this.#down();
				return true;
			}, resume: this.#onContinue, usesTerminal: true,
		});
		this.#stdout.on('resize', this.#onResize);
		this.#stdout.on('error', this.#onGone);
		this.#stdin.on('error', this.#onGone);
		this.#stdin.on('end', this.#onGone);
		this.#stdin.on('data', this.#onData);
		this.#isEntered = true;
		this.#up();
	}

	/** Gives the terminal back at once; may be called again. Keeps error listeners: a late EIO must not crash us. */
	readonly leave = (): void => {
		this.#waitForRest(undefined);
		this.#inputs = [];
		this.#isEntered = false;
		process.off('exit', this.leave);
		this.#removeStopHook?.();
		this.#stdout.off('resize', this.#onResize);
		this.#stdin.off('end', this.#onGone);
		this.#stdin.off('data', this.#onData);
		this.#down();
		this.#setBlocking(true);
		this.#stdin.pause();
	};

	/** Gives the terminal back and suspends the job, as Ctrl-Z does. */
	suspend(): void {
		this.#down();
		// The whole process group, as the terminal does: the shell takes over only if a wrapper such as npm stops too.
		process.kill(0, 'SIGTSTP');
	}

	/** Lends the terminal, with its keys and signals, to another program until `work` is done. */
	async lend(work: () => Promise<void>): Promise<void> {
		this.isLent = true;
		this.#down();
		this.#stdin.pause();
		try {
			await work();
		} finally {
			// Ctrl-C in the other program signals us too, maybe handled after SIGCHLD: it must still find `isLent`.
			await nextTurn();
			this.isLent = false;
			if (this.#isEntered) {
				this.#up();
				this.emit('repaint');
			}
		}
	}

	/** Asks the terminal to copy text to the clipboard (OSC 52 of xterm's "ctlseqs"); some terminals ignore this. */
	copy(text: string): void {
		this.write(`\u001B]52;c;${Buffer.from(text).toString('base64')}\u0007`);
	}

	write(text: string): void {
		if (!this.#stdout.destroyed && this.#stdout.writable) {
			this.#stdout.write(text, this.#onWritten);
		}
	}

	/** Puts the screen up: raw mode, alternate screen. */
	#up(): void {
		this.#isUp = true;
		this.frames.isMuted = false;
		this.#setRaw(true);
		this.#stdin.resume();
		this.write(enterScreen + pasteOn + (this.#hasMouse ? mouseOn : ''));
	}

	/** Takes the screen down: what `#up` did, undone. */
	#down(): void {
		if (!this.#isUp) {
			return;
		}

		this.#isUp = false;
		this.frames.isMuted = true;
		this.#setRaw(false);
		const ending = (this.#hasMouse ? mouseOff : '') + pasteOff + leaveScreen;
		if (this.isBehind) {
			// Earlier output is still waiting and must come first.
			this.write(ending);
			return;
		}

		try {
			writeSync((this.#stdout as unknown as {fd: number}).fd, ending);
		} catch {
			// The terminal is gone.
		}
	}

	/** Sets whether writes block, as they do by default: a terminal that stops reading would stop the whole process. */
	#setBlocking(isBlocking: boolean): void {
		(this.#stdout as unknown as {_handle?: {setBlocking?: (isBlocking: boolean) => void}})._handle
			?.setBlocking?.(isBlocking);
	}

	#setRaw(isRaw: boolean): void {
		try {
			this.#stdin.setRawMode(isRaw);
		} catch {
			// The terminal is gone; the stream reports it.
		}
	}

	readonly #onContinue = (): void => {
		if (this.isLent) {
			return;
		}

		// The shell has changed modes and screen. libuv skips a mode that it set last, so raw mode is first turned off.
		this.#setRaw(false);
		this.#up();
		this.emit('repaint');
	};

	readonly #onResize = (): void => {
		this.emit('resize');
	};

	/** Asks for a full redraw after frames were dropped, once the terminal has read all output. */
	readonly #onWritten = (): void => {
		if (this.frames.hasGaps && this.#isUp && !this.isBehind) {
			this.frames.hasGaps = false;
			this.emit('repaint');
		}
	};

	readonly #onGone = (): void => {
		this.emit('gone');
	};

	readonly #onData = (bytes: Uint8Array): void => {
		this.#take(this.#decoder.push(bytes));
		// Ctrl-C pressed again and again in a paste without an end does not prolong it.
		if (!this.#decoder.isPasting || !isInterrupt(bytes)) {
			this.#waitForRest(this.#decoder.isPasting
				? pasteWaitMs
				: (this.#decoder.isUnfinished ? escapeWaitMs : undefined));
		}
	};

	/** Queues inputs, or with Ctrl-C among them only that, and handles the first ones at once. */
	#take(inputs: readonly Input[]): void {
		const isWaiting = this.#inputs.length > 0;
		if (inputs.includes(interrupt)) {
			this.#inputs = [];
			this.emit('key', interrupt);
			return;
		}

		this.#inputs.push(...inputs.slice(0, maxInputs - this.#inputs.length));
		if (!isWaiting) {
			this.#handleInputs();
		}
	}

	/** Handles some inputs, and the others after the terminal was read again: Ctrl-C may be behind them. */
	readonly #handleInputs = (): void => {
		for (const input of this.#inputs.splice(0, inputsPerTurn)) {
			if (typeof input === 'string') {
				this.emit('key', input);
			} else if ('paste' in input) {
				this.emit('paste', input.paste);
			} else if (this.#hasMouse) {
				// Without `hasMouse`, reports come if an earlier program left them on.
				this.emit('mouse', input);
			}
		}

		if (this.#inputs.length > 0) {
			setImmediate(this.#handleInputs);
		}
	};

	/** Flushes the decoder if nothing more has come for so long; cancels an earlier wait. */
	#waitForRest(waitMs: number | undefined): void {
		clearTimeout(this.#escapeTimer);
		clearImmediate(this.#escapeCheck);
		if (waitMs !== undefined) {
			this.#escapeTimer = setTimeout(() => {
				// Timers run before input is read: if this process had no CPU, the rest may be waiting to be read.
				this.#escapeCheck = setImmediate(() => {
					this.#take(this.#decoder.flush());
				});
			}, waitMs);
		}
	}
}

/** Whether a read has nothing but Ctrl-C. */
function isInterrupt(bytes: Uint8Array): boolean {
	return bytes.every(byte => byte === 3);
}
