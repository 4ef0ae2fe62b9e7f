import type {EventEmitter} from 'node:events';
import {useStdout} from 'ink';
import {createContext, use, useCallback, useLayoutEffect, useRef, useState} from 'react';
import {clearScreen, type Events, type Size, type Terminal} from '../terminal/terminal.js';

export const TerminalContext = createContext<Terminal | undefined>(undefined);

/** Minimum time between two full redraws while the window is being resized. */
const resizeWaitMs = 50;

export function useTerminal(): Terminal {
	return use(TerminalContext)!;
}

/** Calls `onEvent` for each event of this name from the terminal, such as a key or a click. */
export function useTerminalEvent<Name extends keyof Events>(
	name: Name,
	onEvent: (...values: Events[Name]) => void,
): void {
	const terminal: EventEmitter = useTerminal();
	useLayoutEffect(() => {
		terminal.on(name, onEvent);
		return () => {
			terminal.off(name, onEvent);
		};
	});
}

/** Returns a function that redraws the whole screen; state and effects stay as they are. */
export function useRepaint(): () => void {
	const {write} = useStdout();
	return useCallback(() => {
		write(clearScreen);
	}, [write]);
}

/** Returns the terminal's size; redraws the whole screen when it changes or what was drawn is no longer there. */
export function useSize(): Size {
	const terminal = useTerminal();
	const repaint = useRepaint();
	const [size, setSize] = useState(terminal.size);
	const timer = useRef<NodeJS.Timeout>(undefined);
	const update = () => {
		clearTimeout(timer.current);
		timer.current = undefined;
		// Always a new object, so that `repaint` events redraw too.
		setSize(terminal.size);
	};

	useTerminalEvent('repaint', update);
	useTerminalEvent('resize', () => {
		timer.current ??= setTimeout(update, resizeWaitMs);
	});
	useLayoutEffect(() => () => {
		clearTimeout(timer.current);
	}, []);
	const drawn = useRef(size);
	useLayoutEffect(() => {
		if (drawn.current !== size) {
			drawn.current = size;
			repaint();
		}
	}, [size, repaint]);
	return size;
}
