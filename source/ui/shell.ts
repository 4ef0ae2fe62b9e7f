import process from 'node:process';
import type {ReadStream, WriteStream} from 'node:tty';
import type {ReactElement} from 'react';
import {endSignals} from '../process/end-signals.js';
import type * as ShowScreen from './show-screen.js';
import {Terminal} from './terminal/terminal.js';

/** How a screen was left: by what it decided itself, by a signal (named), or because the terminal went away. */
export type Leaving<Result> = {readonly reason: 'quit'; readonly result: Result} | {readonly reason: 'signal'; readonly signal: NodeJS.Signals} | {readonly reason: 'gone'};

export type ShellOptions = {
	/** Terminals both. */
	readonly stdin: ReadStream;
	readonly stdout: WriteStream;
	/** Whether the mouse is used. */
	readonly hasMouse?: boolean;
};

/** Signals that end a screen as its own key does; the terminal is given back first. */
const screenSignals: readonly NodeJS.Signals[] = [...endSignals, 'SIGQUIT'];

/** Those that a terminal sends for keys. */
const keySignals: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/** A screen, once Ink is loaded: `leave` ends it with a result. */
export type ScreenOf<Result> = (leave: (result: Result) => void) => Promise<ReactElement>;

/**
Shows a screen until it is left, and gives the terminal back in every way of leaving; then resolves. Rejects with what
was thrown, by a component, a listener or a timer of anybody in the process too, when the terminal has been given back.
*/
export async function runShell<Result>({stdin, stdout, hasMouse}: ShellOptions, screenOf: ScreenOf<Result>): Promise<Leaving<Result>> {
	const terminal = new Terminal(stdin, stdout, {hasMouse});
	const {showScreen} = await loadInk();
	let end!: {readonly leave: (leaving: Leaving<Result>) => void; readonly fail: (error: unknown) => void};
	const ended = new Promise<Leaving<Result>>((resolve, reject) => {
		end = {leave: resolve, fail: reject};
	});
	let unmount: (() => void) | undefined;
	const stop = () => {
		unmount?.();
		unmount = undefined;
		terminal.leave();
	};

	const leave = (leaving: Leaving<Result>) => {
		stop();
		end.leave(leaving);
	};

	const onSignal = (signal: NodeJS.Signals) => {
		// Keys that send these go to the program that has the terminal.
		if (terminal.isLent && keySignals.has(signal)) {
			return;
		}

		leave({reason: 'signal', signal});
	};

	const onError = (error: unknown) => {
		stop();
		end.fail(error instanceof Error ? error : new Error(String(error)));
	};

	for (const signal of screenSignals) {
		process.on(signal, onSignal);
	}

	process.on('uncaughtException', onError);
	process.on('unhandledRejection', onError);
	terminal.on('gone', () => {
		leave({reason: 'gone'});
	});
	try {
		const screen = await screenOf(result => {
			leave({reason: 'quit', result});
		});
		terminal.enter();
		unmount = showScreen(screen, terminal, onError);
		return await ended;
	} finally {
		stop();
		terminal.removeAllListeners();
		for (const signal of screenSignals) {
			process.off(signal, onSignal);
		}

		process.off('uncaughtException', onError);
		process.off('unhandledRejection', onError);
	}
}

/** Loads Ink, which takes a few hundred milliseconds and is wanted nowhere but on a screen. */
async function loadInk(): Promise<typeof ShowScreen> {
	// Ink draws nothing before it exits where CI is set; a pseudo-terminal in a CI job is a terminal all the same. It
	// looks only while it is being loaded (is-in-ci).
	const names = ['CI', 'CONTINUOUS_INTEGRATION'];
	const before = names.map(name => process.env[name]);
	for (const name of names) {
		process.env[name] = 'false';
	}

	try {
		return await import('./show-screen.js');
	} finally {
		for (const [index, name] of names.entries()) {
			if (before[index] === undefined) {
				Reflect.deleteProperty(process.env, name);
			} else {
				process.env[name] = before[index];
			}
		}
	}
}
