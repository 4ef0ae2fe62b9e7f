/* eslint-disable react/react-in-jsx-scope -- TypeScript's automatic JSX runtime needs no React in scope. */
import process from 'node:process';
import {render, type Instance} from 'ink';
import {isSameFrame, type Frame} from './frame.js';
import {Screen} from './screen.js';
import type {Terminal} from './terminal.js';

/** Highest rate of drawing that Ink itself allows, frames a second: the app decides when to draw, Ink never waits with a frame. */
const maxFps = 1000;

/** Draws frames with Ink, which writes only the lines that changed. */
export class InkPainter {
	readonly #terminal: Terminal;
	#instance: Instance | undefined;
	#last: Frame | undefined;

	constructor(terminal: Terminal) {
		this.#terminal = terminal;
	}

	/** Draws a frame; nothing is written when it is the one on the screen. */
	draw(frame: Frame): void {
		if (this.#last && isSameFrame(this.#last, frame)) {
			return;
		}

		this.#last = frame;
		const {frames} = this.#terminal;
		const screen = <Screen frame={frames.marks.mark(frame)}/>;
		if (this.#instance) {
			this.#instance.rerender(screen);
			return;
		}

		this.#instance = render(screen, {
			stdout: frames as unknown as NodeJS.WriteStream, stdin: process.stdin, patchConsole: false, exitOnCtrlC: false, incrementalRendering: true, isScreenReaderEnabled: false, maxFps,
		});
	}

	/** Forgets what is on the screen, so that the next frame is drawn whole: after a new size, and when something else has drawn. */
	forget(): void {
		this.close();
		this.#terminal.clear();
	}

	/** Ends Ink; the screen stays as it is. */
	close(): void {
		const {frames} = this.#terminal;
		const wasMuted = frames.isMuted;
		frames.flush();
		frames.isMuted = true;
		this.#instance?.unmount();
		this.#instance = undefined;
		this.#last = undefined;
		frames.isMuted = wasMuted;
	}
}
