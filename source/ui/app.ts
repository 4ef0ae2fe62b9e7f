import process from 'node:process';
import type {ReadStream, WriteStream} from 'node:tty';
import type {Snapshot} from '../model/snapshot.js';
import {Controller, type ControllerOptions, type TerminalEffect} from './controller.js';
import type {InkPainter} from './ink-painter.js';
import {loadPainter} from './load-painter.js';
import {Terminal} from './terminal.js';
import {Theme, type ThemeOptions} from './theme.js';

export type AppOptions = Omit<ControllerOptions, 'onChange'> & {
	readonly theme: ThemeOptions;
	/** Terminals both. */
	readonly stdin: ReadStream;
	readonly stdout: WriteStream;
};

/** How the screen was left: by a key, by a signal (named), or because the terminal went away. */
export type AppResult = {
	readonly reason: 'quit' | 'signal' | 'gone';
	readonly signal?: NodeJS.Signals;
	/** What was shown last, for the summary. */
	readonly lastSnapshot?: Snapshot;
};

/** Signals that end the screen as q does; the terminal is given back first. */
const endSignals: readonly NodeJS.Signals[] = ['SIGTERM', 'SIGHUP', 'SIGINT', 'SIGQUIT'];

/**
Refreshes while the session is young, however long the delay: often in its first second, as CPU time, and with it the first share, takes two samples;
then each after as long as was sampled so far, until that is the delay.
*/
const earlyDelayMs = 100;
const earlyMs = 1000;

/** Shortest time between two drawings of the whole screen while the window is being resized. */
const resizeWaitMs = 50;

/**
Shows the screen until it is left, and gives the terminal back in every way of leaving; then resolves. The source is not closed.
Rejects with what was thrown, by a listener or a timer of anybody in the process too, when the terminal has been given back.
*/
export async function runApp(options: AppOptions): Promise<AppResult> {
	const theme = new Theme(options.theme);
	const terminal = new Terminal(options.stdin, options.stdout);
	const painter = await loadPainter(terminal);
	return new App(options, theme, terminal, painter).run();
}

class App {
	readonly #theme: Theme;
	readonly #terminal: Terminal;
	readonly #painter: InkPainter;
	readonly #options: AppOptions;
	readonly #controller: Controller;
	#refreshTimer: NodeJS.Timeout | undefined;
	#resizeTimer: NodeJS.Timeout | undefined;
	#end: ((result: AppResult | Error) => void) | undefined;

	constructor(options: AppOptions, theme: Theme, terminal: Terminal, painter: InkPainter) {
		this.#options = options;
		this.#theme = theme;
		this.#terminal = terminal;
		this.#painter = painter;
		this.#controller = new Controller({
			...options, onChange: () => {
				this.#draw();
			},
		});
	}

	async run(): Promise<AppResult> {
		const terminal = this.#terminal;
		const ended = new Promise<AppResult | Error>(resolve => {
			this.#end = resolve;
		});
		const onSignal = (signal: NodeJS.Signals) => {
			this.#leave({reason: 'signal', signal});
		};

		const onError = (error: unknown) => {
			this.#leave(error instanceof Error ? error : new Error(String(error)));
		};

		for (const signal of endSignals) {
			process.on(signal, onSignal);
		}

		process.on('uncaughtException', onError);
		process.on('unhandledRejection', onError);
		terminal.on('key', this.#pressed);
		terminal.on('resize', this.#resized);
		terminal.on('repaint', this.#repaint);
		terminal.on('drain', this.#draw);
		terminal.on('gone', () => {
			this.#leave({reason: 'gone'});
		});
		const unlisten = this.#options.source.onChange(this.#sourceChanged);
		try {
			terminal.enter();
			this.#draw();
			this.#refreshTimer = setTimeout(this.#refresh, 0);
			const result = await ended;
			if (result instanceof Error) {
				throw result;
			}

			return result;
		} finally {
			this.#stop();
			unlisten();
			terminal.removeAllListeners();
			for (const signal of endSignals) {
				process.off(signal, onSignal);
			}

			process.off('uncaughtException', onError);
			process.off('unhandledRejection', onError);
		}
	}

	/** Gives the terminal back at once, then ends the run. */
	#leave(result: Omit<AppResult, 'lastSnapshot'> | Error): void {
		this.#stop();
		this.#end?.(result instanceof Error ? result : {...result, lastSnapshot: this.#controller.snapshot});
	}

	#stop(): void {
		clearTimeout(this.#refreshTimer);
		clearTimeout(this.#resizeTimer);
		this.#painter.close();
		this.#terminal.leave();
	}

	readonly #pressed = (key: string): void => {
		const {delayMs} = this.#controller.state;
		const effect = this.#controller.press(key, this.#theme);
		if (effect) {
			this.#perform(effect);
			return;
		}

		if (delayMs !== this.#controller.state.delayMs) {
			this.#schedule();
		}

		this.#draw();
	};

	#perform(effect: TerminalEffect): void {
		if (effect === 'quit') {
			this.#leave({reason: 'quit'});
		} else if (effect === 'redraw') {
			this.#repaint();
		} else {
			this.#painter.close();
			this.#terminal.suspend();
		}
	}

	readonly #sourceChanged = (): void => {
		// The first numbers are shown as soon as they are there, and the end as soon as it is known.
		const {phase} = this.#options.source.status();
		if (this.#controller.snapshot === undefined || phase === 'ended' || phase === 'failed') {
			this.#controller.refresh();
			this.#schedule();
		}

		if (!this.#leftEmpty()) {
			this.#draw();
		}
	};

	/** Leaves when the session is over and there is nothing to look at: the reason is better read where the next command is typed. */
	#leftEmpty(): boolean {
		const {phase} = this.#options.source.status();
		const isEmpty = (phase === 'ended' || phase === 'failed') && (this.#controller.snapshot?.session.samples ?? 0) === 0;
		if (isEmpty) {
			this.#leave({reason: 'quit'});
		}

		return isEmpty;
	}

	readonly #refresh = (): void => {
		this.#controller.refresh();
		if (!this.#leftEmpty()) {
			this.#draw();
			this.#schedule();
		}
	};

	#schedule(): void {
		clearTimeout(this.#refreshTimer);
		const {snapshot, state: {delayMs}} = this.#controller;
		const {phase} = this.#options.source.status();
		const sampledMs = snapshot && (phase === 'starting' || phase === 'sampling') ? snapshot.session.durationMs : Infinity;
		this.#refreshTimer = setTimeout(this.#refresh, Math.min(delayMs, sampledMs < earlyMs ? earlyDelayMs : sampledMs));
	}

	/** Draws what there is, unless the terminal is behind: then the frame is left out and the next one drawn when it has caught up. */
	readonly #draw = (): void => {
		if (this.#terminal.isUp && !this.#terminal.isBehind) {
			this.#painter.draw(this.#controller.frame(this.#terminal.size, this.#theme));
		}
	};

	readonly #repaint = (): void => {
		this.#painter.forget();
		this.#draw();
	};

	readonly #resized = (): void => {
		this.#resizeTimer ??= setTimeout(() => {
			this.#resizeTimer = undefined;
			this.#repaint();
		}, resizeWaitMs);
	};
}
