import {PassThrough} from 'node:stream';
import type {ReadStream, WriteStream} from 'node:tty';
import type {DOMElement} from 'ink';
import type {ReactElement} from 'react';
import instances from '../../node_modules/ink/build/instances.js';
import {showScreen} from '../../source/ui/show-screen.js';
import {clearScreen, Terminal, type Size} from '../../source/ui/terminal/terminal.js';

/** What a terminal is besides its size: it takes all that is written. */
const fakeStdout = {
	writable: true,
	destroyed: false,
	writableNeedDrain: false,
	writableLength: 0,
	on() {/* Nothing happens to it. */},
	off() {/* As little. */},
	write: () => true,
};

/** A screen's components on a terminal that is only an object, with bytes for keys; Ink writes every frame whole. */
export class ComponentScreen {
	readonly terminal: Terminal;
	/** How often the screen was emptied to be drawn whole. */
	repaints = 0;
	readonly #size: Size;
	#shown = '';
	readonly #stdin = Object.assign(new PassThrough(), {setRawMode() {/* There are no modes. */}});
	readonly #unmount: () => void;
	#error: unknown;

	constructor(screen: ReactElement, {columns = 80, rows = 24}: Partial<Size> = {}) {
		this.#size = {columns, rows};
		this.terminal = new Terminal(
			this.#stdin as unknown as ReadStream,
			Object.assign(this.#size, fakeStdout) as unknown as WriteStream,
			{hasMouse: true},
		);
		this.terminal.frames.write = piece => {
			if (String(piece).startsWith(clearScreen)) {
				this.repaints++;
			} else {
				this.#shown = String(piece);
			}

			return true;
		};

		this.terminal.enter();
		this.#unmount = showScreen(screen, this.terminal, error => {
			this.#error = error;
		}, true);
	}

	/** The root of what Ink draws. */
	get root(): DOMElement {
		const {rootNode} = instances.get(this.terminal.frames as unknown as NodeJS.WriteStream) as unknown as {
			readonly rootNode: DOMElement;
		};
		return rootNode;
	}

	/** The lines on the screen after some keys, with their attributes. */
	async lines(...keys: readonly string[]): Promise<string[]> {
		await this.press(...keys);
		await turns();
		if (this.#error) {
			throw this.#error as Error;
		}

		return this.#shown === '' ? [] : this.#shown.split('\n');
	}

	/** The same in one text. */
	async text(...keys: readonly string[]): Promise<string> {
		const lines = await this.lines(...keys);
		return lines.join('\n');
	}

	/** The lines after the terminal was given another size. */
	async at(columns: number, rows: number): Promise<string[]> {
		if (this.#size.columns !== columns || this.#size.rows !== rows) {
			Object.assign(this.#size, {columns, rows});
			this.terminal.emit('repaint');
		}

		return this.lines();
	}

	/** Types bytes, as a terminal sends them. The rest of a sequence comes at once, however busy the machine is. */
	async type(...keys: readonly string[]): Promise<void> {
		for (const key of keys) {
			this.#stdin.write(key);
			if (!/\u001B\[?$/.test(key) || key === keys.at(-1)) {
				await turns();
			}
		}
	}

	/** Presses keys by their names, after what they would be decoded from. */
	async press(...keys: readonly string[]): Promise<void> {
		for (const key of keys) {
			this.terminal.emit('key', key);
			await turns();
		}
	}

	close(): void {
		this.#unmount();
		this.terminal.leave();
		this.terminal.removeAllListeners();
	}
}

/** Lets everything that is due be done: a key's reducer, its effects, and the frame they lead to. */
async function turns(): Promise<void> {
	for (let turn = 0; turn < 4; turn++) {
		await new Promise(resolve => {
			setImmediate(resolve);
		});
	}
}
