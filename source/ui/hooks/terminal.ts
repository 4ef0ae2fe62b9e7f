import type {EventEmitter} from 'node:events';
import {useStdout} from 'ink';
import {
	createContext, use, useCallback, useLayoutEffect, useRef, useState, type RefObject,
} from 'react';
import {clearScreen, type Events, type Size, type Terminal} from '../terminal/terminal.js';

export const TerminalContext = createContext<Terminal | undefined>(undefined);

/** Shortest time between two full redraws while the window is resized. */
const resizeWaitMs = 50;

export function useTerminal(): Terminal {
	return use(TerminalContext)!;
}

/** The value of the newest render, for callbacks that outlive it. */
export function useLatest<Value>(value: Value): RefObject<Value> {
	const latest = useRef(value);
	useLayoutEffect(() => {
		latest.current = value;
	});
	return latest;
}

/** Calls back with each event of the terminal of this name, such as a key or a click. */
export function useTerminalEvent<Name extends keyof Events>(name: Name, onEvent: (...values: Events[Name]) => void): void {
	const terminal: EventEmitter = useTerminal();
	const latest = useLatest(onEvent);
	useLayoutEffect(() => {
		const listener = (...values: unknown[]) => {
			latest.current(...values as Events[Name]);
		};

		terminal.on(name, listener);
		return () => {
			terminal.off(name, listener);
		};
	}, [terminal, name, latest]);
}

/** Redraws the whole screen. State and effects stay as they are. */
export function useRepaint(): () => void {
	const {write} = useStdout();
	return useCallback(() => {
		write(clearScreen);
	}, [write]);
}

/** The terminal's size. The whole screen is redrawn when it changes, or when the terminal no longer shows what was drawn. */
export function useSize(): Size {
	const terminal = useTerminal();
	const repaint = useRepaint();
	const [size, setSize] = useState(terminal.size);
	const timer = useRef<NodeJS.Timeout>(undefined);
	const update = () => {
		timer.current = undefined;
		// A new object, even if the size is the same.
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
