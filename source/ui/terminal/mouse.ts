/* The mouse as xterm's "ctlseqs" has it: mode 1000 reports buttons and the wheel, 1006 writes the reports as text (SGR). */

/** What the mouse did, and at which cell of the screen, counted from 0. */
export type MouseInput = {readonly mouse: 'click' | 'wheel-up' | 'wheel-down'; readonly column: number; readonly line: number};

export const mouseOn = '\u001B[?1000h\u001B[?1006h';
export const mouseOff = '\u001B[?1006l\u001B[?1000l';

/** Shift, Meta and Control, which change nothing. */
const modifiers = 4 + 8 + 16;
const inputs = new Map<number, MouseInput['mouse']>([[0, 'click'], [64, 'wheel-up'], [65, 'wheel-down']]);

/** An SGR report without CSI, such as "<0;12;5M"; undefined for one that means nothing here. */
export function mouseInput(sequence: string): MouseInput | undefined {
	const [, button, column, line] = /^<(\d{1,4});(\d{1,5});(\d{1,5})M$/.exec(sequence) ?? [];
	const mouse = inputs.get(Number(button) & ~modifiers);
	return mouse && Number(column) >= 1 && Number(line) >= 1 ? {mouse, column: Number(column) - 1, line: Number(line) - 1} : undefined;
}
