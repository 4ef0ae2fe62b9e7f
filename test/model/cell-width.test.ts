import fc from 'fast-check';
import stringWidth from 'string-width';
import {expect, test} from 'vitest';
import {cellWidth, cut, cutStart, graphemes, pad} from '../../source/model/cell-width.js';

// U+0600 has no cell of its own and nothing to stand on: it gets one from Ink.
test.each([['', 0], ['main-1', 6], ['日本.x', 6], ['e\u0301', 1], ['\u0600', 1]])('%j takes %i cells', (text, cells) => {
	expect(cellWidth(text)).toBe(cells);
});

test.each(['é…', '✅', '⌚', '🀄', '🩰', '🫠', '👍🏽', '🇩🇪', 'ｱﾞ', '각', 'கா'])('%j takes two cells, alone and behind others', text => {
	expect([cellWidth(text), cellWidth(`x${text}`)]).toEqual([2, 3]);
});

test('what a reader takes for one character is not cut in two', () => {
	expect(cut('e\u0301e\u0301e\u0301', 2)).toBe('e\u0301…');
	expect(cut('a👍🏽b', 3)).toBe('a…');
	expect(cutStart('a👍🏽b', 3)).toBe('…b');
	expect(cutStart('x🇩🇪', 2)).toBe('…');
	expect(pad('✅', 4)).toBe('✅  ');
	expect(pad('✅', 4, 'right')).toBe('  ✅');
});

const texts = fc.array(fc.oneof(fc.constantFrom('a', '.', '…', '日', 'e\u0301', '✅', '👍🏽', '𝒳', 'ﾞ', '\u0600', '\u1100', '\u0301'), fc.string({unit: 'grapheme', maxLength: 2}))).map(parts => parts.join(''));

test('counts what its characters count, never less than string-width, and cuts to the cells there are', () => {
	fc.assert(fc.property(texts, fc.nat(30), (text, room) => {
		const characters = graphemes(text);
		expect(characters.map(character => character.text).join('')).toBe(text);
		expect(cellWidth(text)).toBe(characters.map(({cells}) => cells).reduce((sum, cells) => sum + cells, 0));
		expect(cellWidth(text)).toBeGreaterThanOrEqual(stringWidth(text));
		expect(cellWidth(cut(text, room))).toBeLessThanOrEqual(room);
		expect(cellWidth(cutStart(text, room))).toBeLessThanOrEqual(room);
	}), {numRuns: 1000});
});
