/**
Characters that terminals draw in two cells: wide and full-width ones of Unicode's East Asian Width (UAX #11), and
pictures.
*/
const wide = new RegExp([
	'[\u1100-\u115F\u2329\u232A\u2E80-\u303E\u3041-\u4DBF\u4E00-\uA4CF\uA960-\uA97F\uAC00-\uD7A3\uF900-\uFAFF\uFE30-\uFE6F\uFF01-\uFF60\uFFE0-\uFFE6]',
	'[\u{1F300}-\u{1F64F}\u{1F680}-\u{1F6FF}\u{1F900}-\u{1F9FF}\u{20000}-\u{3FFFD}]',
].join('|'), 'u');
const zeroWidth = /\p{Mn}|\p{Me}|\p{Cf}/u;
const oneCellEach = /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u00FF…]*$/;

/** Terminal cells that a printable text takes. */
export function cellWidth(text: string): number {
	if (oneCellEach.test(text)) {
		return text.length;
	}

	let width = 0;
	for (const character of text) {
		width += cellsOf(character);
	}

	return width;
}

/** The end of a text, with an ellipsis before it where it had to be cut to take no more than `room` cells. */
export function cutStart(text: string, room: number): string {
	if (cellWidth(text) <= room) {
		return text;
	}

	const characters = [...text];
	let from = characters.length;
	for (let used = 1; from > 0; from--) {
		used += cellsOf(characters[from - 1]);
		if (used > room) {
			break;
		}
	}

	return room > 0 ? `…${characters.slice(from).join('')}` : '';
}

function cellsOf(character: string): number {
	return zeroWidth.test(character) ? 0 : (wide.test(character) ? 2 : 1);
}
