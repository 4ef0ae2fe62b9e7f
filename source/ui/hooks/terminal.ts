import {useStdout} from 'ink';
import {
	createContext, use, useCallback, useLayoutEffect, useRef, useState,
} from 'react';
import type {MouseInput} from '../terminal/mouse.js';
import {clearScreen, type Size, type Terminal} from '../terminal/terminal.js';

/** The terminal that a screen is on. */
export const TerminalContext = createContext<Pick<Terminal, 'size' | 'on' | 'off' | 'suspend' | 'copy' | 'lend'> | undefined>(undefined);

/** Shortest time between two drawings of the whole screen while the window is being resized. */
const resizeWaitMs = 50;

/** The terminal that this screen is on. */
export function useTerminal(): NonNullable<React.ContextType<typeof TerminalContext>> {
	return use(TerminalContext)!;
}

/** Calls back with each key that is pressed, by the key decoder's name. The one way that keys come to a screen. */
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

/** Calls back with what is done with the mouse. The one way that this comes to a screen. */
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

/** Draws the screen whole: what it shows is not to be relied on. State and effects stay as they are. */
export function useRepaint(): () => void {
	const {write} = useStdout();
	return useCallback(() => {
		write(clearScreen);
	}, [write]);
}

/** The terminal's size. A new one, and whatever else leaves the screen in an unknown state, has it drawn whole. */
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
		// Another object, of the same size or not.
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
