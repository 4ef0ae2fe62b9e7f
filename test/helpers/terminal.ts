import {existsSync} from 'node:fs';
import process from 'node:process';
import {setTimeout as sleep} from 'node:timers/promises';
import {type ReadStream} from 'node:tty';
import {spawn, type IPty} from '@lydell/node-pty';
import xterm from '@xterm/headless';
import {until, patienceMs} from './until.js';

const pollMs = 20;

/** How many looks in a row at the terminal of an ended program must find nothing to read before it is closed. */
const emptyLooks = 5;

export type TerminalOptions = {
	readonly columns?: number;
	readonly rows?: number;
	/** Added to the environment; undefined takes a variable out. */
	readonly env?: Readonly<Record<string, string | undefined>>;
};

/** A program in a real pseudo-terminal, and a terminal emulator that shows what a person would see. */
export class TerminalSession {
	readonly #pty: IPty;
	readonly #screen: xterm.Terminal;
	#raw = '';
	#written = Promise.resolve();
	#exit: {exitCode: number; signal?: number} | undefined;
	#isClosing = false;

	constructor(file: string, args: readonly string[], {columns = 80, rows = 24, env = {}}: TerminalOptions = {}) {
		const usual = {TERM: 'xterm-256color', LC_ALL: 'C.UTF-8', NO_COLOR: undefined, CI: undefined};
		const variables = Object.entries({...process.env, ...usual, ...env});
		const environment = Object
			.fromEntries(variables.filter((variable): variable is [string, string] => variable[1] !== undefined));
		this.#screen = new xterm.Terminal({
			cols: Math.max(1, columns),
			rows: Math.max(1, rows),
			allowProposedApi: true,
		});
		this.#pty = spawn(file, [...args], {cols: columns, rows, name: environment.TERM, env: environment});
		this.#pty.onData(data => {
			this.#raw += data;
			this.#written = new Promise(resolve => {
				this.#screen.write(data, resolve);
			});
		});
		this.#pty.onExit(exit => {
			this.#exit = exit;
		});
		this.#readToTheEnd();
	}

	get pid(): number {
		return this.#pty.pid;
	}

	/** All bytes written so far, as text. */
	get raw(): string {
		return this.#raw;
	}

	get isAlternate(): boolean {
		return this.#screen.buffer.active.type === 'alternate';
	}

	/** What the program has asked to be told of the mouse: none, vt200 (mode 1000: buttons and the wheel), any... */
	get mouse(): string {
		return this.#screen.modes.mouseTrackingMode;
	}

	/** Whether the program has asked for pastes to be marked (mode 2004). */
	get marksPastes(): boolean {
		return this.#screen.modes.bracketedPasteMode;
	}

	/** The lines on the screen. */
	lines(): string[] {
		const {active} = this.#screen.buffer;
		return Array.from(
			{length: this.#screen.rows},
			(_, row) => active.getLine(active.viewportY + row)?.translateToString(true) ?? '',
		);
	}

	/** The screen as text, without empty lines at its end. */
	text(): string {
		return this.lines().join('\n').trimEnd();
	}

	/** Everything a person could scroll back to, of the normal screen when that is shown. */
	scrollback(): string {
		const {active} = this.#screen.buffer;
		return Array.from({length: active.length}, (_, row) => active.getLine(row)?.translateToString(true) ?? '')
			.join('\n').trimEnd();
	}

	type(keys: string): void {
		this.#pty.write(keys);
	}

	resize(columns: number, rows: number): void {
		this.#screen.resize(columns, rows);
		this.#pty.resize(columns, rows);
	}

	signal(name: NodeJS.Signals): void {
		process.kill(this.#pty.pid, name);
	}

	/** Closes the terminal under the program, as a window that is closed. */
	closeWindow(): void {
		this.#isClosing = true;
		(this.#pty as unknown as {destroy(): void}).destroy();
	}

	/** Waits for the program's process to be gone, when there is no terminal left to tell. */
	async isGone(): Promise<boolean> {
		return until(() => !existsSync(`/proc/${this.#pty.pid}`));
	}

	/** Stops taking the program's output, and takes it again. */
	stopReading(): void {
		this.#pty.pause();
	}

	readAgain(): void {
		this.#pty.resume();
	}

	/** Waits until the screen is as wanted; fails with the screen. */
	async until(what: string | RegExp | ((screen: string) => boolean), title = String(what)): Promise<string> {
		const holds = typeof what === 'function'
			? what
			: (screen: string) => typeof what === 'string' ? screen.includes(what) : what.test(screen);
		const end = Date.now() + patienceMs;
		while (Date.now() < end) {
			await this.#written;
			if (holds(this.text())) {
				return this.text();
			}

			await sleep(pollMs);
		}

		throw new Error(`waited in vain for ${title}; ${
			this.#exit ? `it has ended with ${JSON.stringify(this.#exit)}; ` : ''
		}the screen is:\n${this.text()}`);
	}

	/** Types keys, and waits as `until` does. */
	async typeUntil(keys: string, ...wanted: Parameters<TerminalSession['until']>): Promise<string> {
		this.type(keys);
		return this.until(...wanted);
	}

	/** Waits until nothing was written for a while, and gives what was written since a length of `raw`. */
	async quiet(since = 0, quietMs = 150): Promise<string> {
		const end = Date.now() + patienceMs;
		let [length, changedAt] = [this.#raw.length, Date.now()];
		while (Date.now() - changedAt < quietMs && Date.now() < end) {
			await sleep(pollMs);
			if (this.#raw.length !== length) {
				[length, changedAt] = [this.#raw.length, Date.now()];
			}
		}

		await this.#written;
		return this.#raw.slice(since);
	}

	/** Waits for the program's end. */
	async ended(): Promise<{readonly exitCode: number; readonly signal?: number}> {
		await this.until(() => this.#exit !== undefined, 'its end');
		await this.#written;
		return this.#exit!;
	}

	/** Leaves the live view by its key; fails if it does not end well. */
	async quit(): Promise<void> {
		this.type('q');
		const {exitCode} = await this.ended();
		if (exitCode !== 0) {
			throw new Error(`it ended with ${exitCode}:\n${this.scrollback()}`);
		}
	}

	/** Ends the program if it still runs. */
	close(): void {
		if (!this.#exit) {
			this.#pty.kill('SIGKILL');
		}

		this.#screen.dispose();
	}

	/** node-pty closes the terminal 200 ms after its program's end: wait until nothing is left to read. */
	#readToTheEnd(): void {
		const {_socket: socket} = this.#pty as unknown as {readonly _socket: ReadStream};
		const destroy = socket.destroy.bind(socket);
		socket.destroy = error => {
			if (error) {
				return destroy(error);
			}

			void this.#destroyEmpty(destroy);
			return socket;
		};
	}

	async #destroyEmpty(destroy: () => void): Promise<void> {
		let {length} = this.#raw;
		for (let looks = 0; looks < emptyLooks && !this.#isClosing; looks++) {
			await sleep(pollMs);
			if (this.#raw.length !== length) {
				looks = 0;
				({length} = this.#raw);
			}
		}

		destroy();
	}
}
