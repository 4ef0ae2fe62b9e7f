import process from 'node:process';
import type {ReadStream, WriteStream} from 'node:tty';
import type {ReactElement} from 'react';
import {endSignals} from '../runtime/errors.js';
import {Terminal} from './terminal/terminal.js';

/** Why a screen ended: it called `leave`, a signal arrived, or the terminal went away. */
type Leaving<Result> = {readonly reason: 'quit'; readonly result: Result} | {
	readonly reason: 'signal';
	readonly signal: NodeJS.Signals;
} | {readonly reason: 'gone'};

export type ShellOptions = {
	readonly stdin: ReadStream;
	readonly stdout: WriteStream;
	readonly hasMouse?: boolean;
};

/** Signals that end a screen; the terminal is restored first. */
const screenSignals: readonly NodeJS.Signals[] = [...endSignals, 'SIGQUIT'];

/** Signals that a terminal sends for Ctrl-C and Ctrl-\. */
const keySignals: ReadonlySet<NodeJS.Signals> = new Set(['SIGINT', 'SIGQUIT']);

/** Creates a screen, called once Ink is loaded; `leave` ends the screen with a result. */
type CreateScreen<Result> = (leave: (result: Result) => void) => Promise<ReactElement>;

/** Shows a screen until it ends, then restores the terminal. Rejects with any uncaught error of the process. */
export async function runShell<Result>(
	{stdin, stdout, hasMouse}: ShellOptions,
	createScreen: CreateScreen<Result>,
): Promise<Leaving<Result>> {
	const terminal = new Terminal(stdin, stdout, {hasMouse});
	// Ink is slow to load, and only a screen needs it.
	const {showScreen} = await import('./show-screen.js');
	let end!: {readonly resolve: (leaving: Leaving<Result>) => void; readonly reject: (error: unknown) => void};
	const ended = new Promise<Leaving<Result>>((resolve, reject) => {
		end = {resolve, reject};
	});
	let unmount: (() => void) | undefined;
	const stop = () => {
		unmount?.();
		unmount = undefined;
		terminal.leave();
	};

	const leave = (leaving: Leaving<Result>) => {
		stop();
		end.resolve(leaving);
	};

	const onSignal = (signal: NodeJS.Signals) => {
		// The key was meant for the program that the terminal is lent to.
		if (terminal.isLent && keySignals.has(signal)) {
			return;
		}

		leave({reason: 'signal', signal});
	};

	const onError = (error: unknown) => {
		stop();
		end.reject(error instanceof Error ? error : new Error(String(error)));
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
		const screen = await createScreen(result => {
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
