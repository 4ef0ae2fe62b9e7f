import fc from 'fast-check';
import {expect, test} from 'vitest';
import {compilePattern} from '../../source/query/filter/regex.js';

test.each([['[A-Z]oo', 'foo', true], ['É', 'é', true], ['x{', 'x{', true], ['a.b', 'a\nb', true], ['[a-]', '-', true], [String.raw`\bsort\b`, 'sorter', false]])('/%s/ on %s', (pattern, text, expected) => {
	expect(compilePattern(pattern)(text)).toBe(expected);
});

test('a class that ends nowhere is refused', () => {
	expect(() => compilePattern('[]')).toThrow(SyntaxError);
});

test('any text is a pattern or a SyntaxError of one printable line', () => {
	fc.assert(fc.property(fc.string({unit: fc.constantFrom(...String.raw`ab()[]{}*+?|^$\-,.019pLQE<:=`, '\n', '\u009B'), maxLength: 12}), text => {
		try {
			compilePattern(text)('abab');
		} catch (error) {
			expect(error).toBeInstanceOf(SyntaxError);
			expect((error as Error).message).not.toMatch(/\p{Cc}/u);
		}
	}), {numRuns: 2000});
});

test('patterns that take RegExp forever end', () => {
	const text = `${'a'.repeat(500)}!`;
	for (const pattern of ['(a+)+b', '(a|a)*b', '(a*)*b', '.*.*.*.*.*b', '(a|aa)+b', '((a*)*)*b', '(?:a?){90}a{90}b']) {
		expect(compilePattern(pattern)(text)).toBe(false);
	}
});

test('patterns that multiply are refused', () => {
	for (const pattern of ['((a{100}){100}){100}', '((((a{99}){99}){99}){99}){99}', '((((()){99}){99}){99}){99}', 'a'.repeat(501), 'a{1001}', 'a{2,1}', 'a{999}b{999}c{999}', String.raw`\pL{900}`.repeat(50)]) {
		expect(() => compilePattern(pattern)).toThrow(SyntaxError);
	}
});
