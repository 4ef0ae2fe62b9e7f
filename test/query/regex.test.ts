import {expect, test} from 'vitest';
import {compilePattern} from '../../source/query/filter/regex.js';
import {pick, seeded} from '../helpers/random.js';

test.each([
	['', '', true],
	['a', '', false],
	['(a|)b', 'b', true],
	['a{2}', 'aba', false],
	['a{2,}', 'baaa', true],
	['^a{1,2}$', 'aaa', false],
	['x{', 'x{', true],
	['[]', ']', undefined],
	['[^a-c]', 'abc', false],
	['[^a-c]', 'abCd', true],
	['[a-]', '-', true],
	[String.raw`[\d.]+`, 'v1.2', true],
	[String.raw`\bsort\b`, 'a.sort:1', true],
	[String.raw`\bsort\b`, 'sorter', false],
	[String.raw`\.`, 'x', false],
	['(?:ab)+c', 'xababc', true],
	['a+?b', 'aab', true],
	['$', 'x', true],
	['[A-Z]oo', 'foo', true],
	[String.raw`\S\s\W`, 'a !', true],
	['É', 'é', true],
])('/%s/ on %s', (pattern, text, expected) => {
	if (expected === undefined) {
		expect(() => compilePattern(pattern)).toThrow(SyntaxError);
	} else {
		expect(compilePattern(pattern)(text)).toBe(expected);
	}
});

/** A random pattern of what both this and RegExp know, not deeper than `depth`. */
function randomPattern(next: (below: number) => number, depth: number): string {
	const atoms = ['a', 'b', '.', '[ab]', '[^a]', String.raw`\w`, String.raw`\b`, '^', '$', 'c'];
	let text = '';
	for (let count = next(4); count >= 0; count--) {
		const isGroup = depth > 0 && next(3) === 0;
		const atom = isGroup ? `(${randomPattern(next, depth - 1)})` : atoms[next(atoms.length)];
		text += /^(?:\\b|[$^])$/.test(atom) ? atom : atom + ['', '', '', '*', '+', '?', '{2}', '{1,2}', '{0,}'][next(9)];
	}

	return next(4) === 0 ? `${text}|${randomPattern(next, Math.max(0, depth - 1))}` : text;
}

test('agrees with RegExp', () => {
	const random = seeded(7);
	const next = (below: number) => pick(random, below);
	for (let round = 0; round < 3000; round++) {
		const pattern = randomPattern(next, 2);
		const text = Array.from({length: next(8)}, () => 'abcA.'[next(5)]).join('');
		expect(`${pattern} ${text} ${compilePattern(pattern)(text)}`).toBe(`${pattern} ${text} ${new RegExp(pattern, 'i').test(text)}`);
	}
});

test('any text is a pattern or a SyntaxError', () => {
	const random = seeded(8);
	const next = (below: number) => pick(random, below);
	for (let round = 0; round < 3000; round++) {
		const text = Array.from({length: next(12)}, () => String.raw`ab()[]{}*+?|^$\-,.019`[next(21)]).join('');
		try {
			compilePattern(text)('abab');
		} catch (error) {
			expect(error).toBeInstanceOf(SyntaxError);
		}
	}
});

test('patterns that take RegExp forever end', () => {
	const text = `${'a'.repeat(500)}!`;
	for (const pattern of ['(a+)+b', '(a|a)*b', '(a*)*b', '.*.*.*.*.*b', '(a|aa)+b', '((a*)*)*b']) {
		expect(compilePattern(pattern)(text)).toBe(false);
	}
});

test('patterns that multiply are refused', () => {
	for (const pattern of ['((((a{99}){99}){99}){99}){99}', '((((()){99}){99}){99}){99}', '('.repeat(60) + ')'.repeat(60), 'a'.repeat(501), 'a{101}', 'a{2,1}']) {
		expect(() => compilePattern(pattern)).toThrow(SyntaxError);
	}
});
