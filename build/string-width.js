import stringWidth from '../node_modules/string-width/index.js';

const styles = /\u001B\[[\d;]*m/g;

/** Texts of characters one cell wide: printable Latin-1, and those that our bars and marks use. */
const oneCellEach = /^[\u0020-\u007E\u00A1-\u00AC\u00AE-\u00FF…─▁-▏▲▼]*$/;

/**
In place of string-width in what is bundled: counts texts of bars and marks, which every frame has, without taking them
apart into graphemes. Ink measures each changed line. It is performance only.
*/
export default function quickStringWidth(text, options) {
	const shown = typeof text === 'string' && options === undefined ? text.replaceAll(styles, '') : undefined;
	return shown !== undefined && oneCellEach.test(shown) ? shown.length : stringWidth(text, options);
}
