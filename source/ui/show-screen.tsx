import process from 'node:process';
import chalk from 'chalk';
import {render} from 'ink';
import type {ReactElement} from 'react';
import {TerminalContext} from './hooks/use-terminal.js';
import type {Terminal} from './terminal/terminal.js';

/** Ink's limit of frames a second: so high that Ink never delays one. */
const maxFps = 1000;

/** Draws a screen with Ink; returns a function that removes it. `isDebugged`: Ink writes whole frames, each at once. */
export function showScreen(
	screen: ReactElement,
	terminal: Terminal,
	onError: (error: unknown) => void,
	isDebugged = false,
): () => void {
	const {frames} = terminal;
	// Ink colours with chalk, which goes by the environment. Here the theme decides: without colour it asks for none.
	chalk.level = 3;
	// The cast: `frames` has only what Ink uses of a stream.
	const instance = render(<TerminalContext value={terminal}>{screen}</TerminalContext>, {
		stdout: frames as unknown as NodeJS.WriteStream,
		stdin: process.stdin,
		// Ink would draw nothing until it exits where the environment has CI.
		interactive: true,
		incrementalRendering: true,
		patchConsole: false,
		exitOnCtrlC: false,
		isScreenReaderEnabled: false,
		maxFps,
		debug: isDebugged,
	});
	// Ink creates the promise at this call, which must come before anything is thrown.
	// eslint-disable-next-line promise/prefer-await-to-then
	instance.waitUntilExit().catch(onError);
	return () => {
		frames.flush();
		// Unmounting would draw one more frame.
		frames.isMuted = true;
		instance.unmount();
	};
}
