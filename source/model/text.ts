/* Names from a target or a file may hold anything. They are made printable where they enter. */

/**
What a terminal obeys or nobody sees: controls, line and paragraph separators, lone surrogates, what Unicode calls
default ignorable (bidi controls, zero-width characters, fillers, variation selectors, tags), noncharacters, interlinear
annotation, and the Braille pattern without a dot.
*/
const unsafe = /[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u{FFF9}-\u{FFFB}\u{2800}]/gu;

/** Most names are like this, with nothing to look for. */
const plain = /^[ -~]*$/;

/** Put in by its name: String.raw takes ten times as long as what it is used for. */
const backslash = '\\';

/** Longest name kept, in UTF-16 units; longer ones are cut with an ellipsis. Thread names of 5,000 characters exist. */
export const maxNameLength = 512;

/** The text with unsafe characters written as \xNN, \uNNNN or \u{NNNNN}, cut to `maxLength` with an ellipsis. */
export function printable(text: string, maxLength = maxNameLength): string {
	// What comes after is not shown.
	const head = text.length > maxLength ? text.slice(0, maxLength) : text;
	const shown = plain.test(head) ? head : writtenOut(head, maxLength);
	return head === text && shown.length <= maxLength ? shown : shortened(shown, maxLength);
}

/** The text, cut to `maxLength` with an ellipsis where it is longer. */
export function cut(text: string, maxLength = maxNameLength): string {
	return text.length > maxLength ? shortened(text, maxLength) : text;
}

function shortened(text: string, maxLength: number): string {
	return `${text.slice(0, maxLength - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** As far as `maxLength`, and somewhat beyond if there is more. */
function writtenOut(text: string, maxLength: number): string {
	// One text in the end, not a chain of many, which takes several times the room.
	const parts: string[] = [];
	let length = 0;
	let at = 0;
	for (const {0: character, index} of text.matchAll(unsafe)) {
		const part = text.slice(at, index) + escaped(character.codePointAt(0)!);
		parts.push(part);
		length += part.length;
		at = index + character.length;
		if (length > maxLength) {
			return parts.join('');
		}
	}

	return [...parts, text.slice(at)].join('');
}

function escaped(code: number): string {
	const digits = code.toString(16);
	if (code < 0x1_00) {
		return `${backslash}x${digits.padStart(2, '0')}`;
	}

	return code < 0x1_00_00 ? `${backslash}u${digits.padStart(4, '0')}` : `${backslash}u{${digits}}`;
}
