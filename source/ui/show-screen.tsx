import process from 'node:process';
import {render} from 'ink';
import type {ReactElement} from 'react';
import {TerminalContext} from './hooks/terminal.js';
import type {Terminal} from './terminal/terminal.js';

/** Frames a second that Ink allows: it never delays a frame. */
const maxFps = 1000;

/** Draws a screen with Ink; returns a function that ends it. Errors of components go to `onError`. */
export function showScreen(screen: ReactElement, terminal: Terminal, onError: (error: unknown) => void, isDebugged = false): () => void {
	const {frames} = terminal;
	const instance = render(<TerminalContext value={terminal}>{screen}</TerminalContext>, {
		stdout: frames as unknown as NodeJS.WriteStream, stdin: process.stdin, patchConsole: false, exitOnCtrlC: false, incrementalRendering: true, isScreenReaderEnabled: false, maxFps, debug: isDebugged,
	});
	// eslint-disable-next-line promise/prefer-await-to-then -- Ink makes a promise of it only when it is asked for, which must be before anything is thrown.
	instance.waitUntilExit().catch(onError);
	return () => {
		frames.flush();
		// Ink's last frame is not wanted.
		frames.isMuted = true;
		instance.unmount();
	};
}
