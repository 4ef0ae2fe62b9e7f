/** A line being typed and where its cursor is, in UTF-16 units. */
export type EditedLine = {readonly text: string; readonly cursor: number};

/** Longest line that may be typed, in UTF-16 units. */
const maxInputLength = 512;

/** The line with a typed character at the cursor. */
export function typed({text, cursor}: EditedLine, character: string): EditedLine {
	return text.length + character.length > maxInputLength
		? {text, cursor}
		: {text: text.slice(0, cursor) + character + text.slice(cursor), cursor: cursor + character.length};
}

/** The line without the character before the cursor, for Backspace and Delete alike: terminals differ in what they send. */
export function erased({text, cursor}: EditedLine): EditedLine {
	const from = stepLeft(text, cursor);
	return {text: text.slice(0, from) + text.slice(cursor), cursor: from};
}

/** The line without the word before the cursor. */
export function erasedWord({text, cursor}: EditedLine): EditedLine {
	const kept = text.slice(0, cursor).replace(/\S*\s*$/, '');
	return {text: kept + text.slice(cursor), cursor: kept.length};
}

/** The line with its cursor one character to the left or right. */
export function moved({text, cursor}: EditedLine, direction: 'left' | 'right'): EditedLine {
	const after = text.codePointAt(cursor);
	return {text, cursor: direction === 'left' ? stepLeft(text, cursor) : Math.min(text.length, cursor + (after !== undefined && after > 0xFF_FF ? 2 : 1))};
}

function stepLeft(text: string, cursor: number): number {
	const isPair = cursor > 1 && text.codePointAt(cursor - 2)! > 0xFF_FF;
	return Math.max(0, cursor - (isPair ? 2 : 1));
}
