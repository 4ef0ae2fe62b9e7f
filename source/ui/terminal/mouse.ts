/* Mouse modes of xterm's "ctlseqs": 1000 reports buttons and the wheel, 1006 encodes the reports as text (SGR). */

/** A mouse event and its cell of the screen, counted from 0. */
export type MouseInput = {readonly mouse: 'click' | 'wheel-up' | 'wheel-down'; readonly column: number; readonly line: number};

export const mouseOn = '\u001B[?1000h\u001B[?1006h';
export const mouseOff = '\u001B[?1006l\u001B[?1000l';

/** Bits for Shift, Meta and Control in a button number; ignored. */
const modifiers = 4 + 8 + 16;
const inputs = new Map<number, MouseInput['mouse']>([[0, 'click'], [64, 'wheel-up'], [65, 'wheel-down']]);

/** Parses an SGR report without its CSI, such as "<0;12;5M"; returns undefined for events that are not used. */
export function mouseInput(sequence: string): MouseInput | undefined {
	const [, button, column, line] = /^<(\d{1,4});(\d{1,5});(\d{1,5})M$/.exec(sequence) ?? [];
	const mouse = inputs.get(Number(button) & ~modifiers);
	return mouse && Number(column) >= 1 && Number(line) >= 1 ? {mouse, column: Number(column) - 1, line: Number(line) - 1} : undefined;
}
