import {useStdout} from 'ink';
import {
	createContext, use, useCallback, useLayoutEffect, useRef, useState,
} from 'react';
import type {MouseInput} from '../terminal/mouse.js';
import {clearScreen, type Size, type Terminal} from '../terminal/terminal.js';

/** The terminal of a screen. */
export const TerminalContext = createContext<Pick<Terminal, 'size' | 'on' | 'off' | 'suspend' | 'copy' | 'lend'> | undefined>(undefined);

/** Shortest time between two full redraws while the window is resized. */
const resizeWaitMs = 50;

/** The terminal of this screen. */
export function useTerminal(): NonNullable<React.ContextType<typeof TerminalContext>> {
	return use(TerminalContext)!;
}

/** Calls back with each key, by the key decoder's name. */
export function useKeys(onKey: (key: string) => void): void {
	const terminal = useTerminal();
	const latest = useRef(onKey);
	useLayoutEffect(() => {
		latest.current = onKey;
	}, [onKey]);
	useLayoutEffect(() => {
		const listener = (key: string) => {
			latest.current(key);
		};

		terminal.on('key', listener);
		return () => {
			terminal.off('key', listener);
		};
	}, [terminal]);
}

/** Calls back with each click and each notch of the wheel. */
export function useMouse(onMouse: (input: MouseInput) => void): void {
	const terminal = useTerminal();
	const latest = useRef(onMouse);
	useLayoutEffect(() => {
		latest.current = onMouse;
	}, [onMouse]);
	useLayoutEffect(() => {
		const listener = (input: MouseInput) => {
			latest.current(input);
		};

		terminal.on('mouse', listener);
		return () => {
			terminal.off('mouse', listener);
		};
	}, [terminal]);
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
	useLayoutEffect(() => {
		let timer: NodeJS.Timeout | undefined;
		const look = () => {
			timer = undefined;
			setSize(terminal.size);
		};

		const resized = () => {
			timer ??= setTimeout(look, resizeWaitMs);
		};

		terminal.on('resize', resized);
		// A new object, even if the size is the same.
		terminal.on('repaint', look);
		return () => {
			clearTimeout(timer);
			terminal.off('resize', resized);
			terminal.off('repaint', look);
		};
	}, [terminal]);
	const drawn = useRef(size);
	useLayoutEffect(() => {
		if (drawn.current !== size) {
			drawn.current = size;
			repaint();
		}
	}, [size, repaint]);
	return size;
}
