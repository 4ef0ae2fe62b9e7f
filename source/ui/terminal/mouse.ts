/*
The mouse as xterm's "ctlseqs" has it: mode 1000 reports buttons and the wheel, but no movement, which would have us
draw whenever a hand twitches; mode 1006 writes the reports as text (SGR). With Shift a terminal selects text as ever.
*/

/** What the mouse did, and at which cell of the screen, counted from 0. */
export type MouseInput = {readonly mouse: 'click' | 'wheel-up' | 'wheel-down'; readonly column: number; readonly line: number};

export const mouseOn = '\u001B[?1000h\u001B[?1006h';
export const mouseOff = '\u001B[?1006l\u001B[?1000l';

/** Shift, Meta and Control, which change nothing. */
const modifiers = 4 + 8 + 16;
const inputs = new Map<number, MouseInput['mouse']>([[0, 'click'], [64, 'wheel-up'], [65, 'wheel-down']]);

/** Three characters with which terminals that know no SGR end a report: button, column and line, each plus this. */
const plain = 32;

/** An SGR report without CSI, such as "<0;12;5M"; undefined for one that means nothing here. */
export function mouseInput(sequence: string): MouseInput | undefined {
	const [, button, column, line] = /^<(\d{1,4});(\d{1,5});(\d{1,5})M$/.exec(sequence) ?? [];
	return line === undefined ? undefined : inputOf(Number(button), Number(column), Number(line));
}

/** The report of a terminal that knows no SGR, from its last three characters. */
export function plainMouseInput(characters: string): MouseInput | undefined {
	const [button, column, line] = [...characters].map(character => character.codePointAt(0)! - plain);
	return inputOf(button, column, line);
}

function inputOf(button: number, column: number, line: number): MouseInput | undefined {
	const mouse = inputs.get(button & ~modifiers);
	return mouse && column >= 1 && line >= 1 ? {mouse, column: column - 1, line: line - 1} : undefined;
}
