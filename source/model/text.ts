/*
Names from a target or a file may hold anything. They are made printable where they enter, so that nothing behind that point can harm a terminal.
*/

/**
C0, DEL, C1, line and paragraph separators, bidi controls (Unicode UAX #9), zero-width and tag characters, interlinear annotation, the byte order mark, lone surrogates.
*/
const unsafe = /[\u{0}-\u{1F}\u{7F}-\u{9F}\u{61C}\u{200B}-\u{200F}\u{2028}-\u{202E}\u{2060}-\u{2069}\u{FEFF}\u{FFF9}-\u{FFFB}\u{D800}-\u{DFFF}\u{E0000}-\u{E007F}]/gu;

/** Longest name kept, in UTF-16 units; longer ones are cut with an ellipsis. Thread names of 5,000 characters exist. */
export const maxNameLength = 512;

/** The text with every unsafe character written out as \xNN, \uNNNN or \u{NNNNN}, cut to `maxNameLength`. */
export function printable(text: string, maxLength = maxNameLength): string {
	const cut = text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : text;
	return cut.replaceAll(unsafe, character => escaped(character.codePointAt(0)!));
}

function escaped(code: number): string {
	if (code < 0x1_00) {
		return String.raw`\x${code.toString(16).padStart(2, '0')}`;
	}

	return code < 0x1_00_00 ? String.raw`\u${code.toString(16).padStart(4, '0')}` : String.raw`\u{${code.toString(16)}}`;
}
