import {expect, test} from 'vitest';
import {globMatcher} from '../../source/model/glob.js';
import {pick, seeded} from '../helpers/random.js';

test.each([
	['http', 'my-HTTP-1', true],
	['', 'any', true],
	['http-*', 'http-1', true],
	['http-*', 'my-http-1', false],
	['*-?', 'http-12', false],
	['*-??', 'http-12', true],
	['*', '', true],
	['?', '', false],
	['a*b*c', 'aXbYbZc', true],
	['a*b*c', 'aXbYbZ', false],
	['[a]*', '[a]x', true],
	['a.*', 'abc', false],
	['**x**', 'x', true],
])('%s on %s', (glob, name, expected) => {
	expect(globMatcher(glob)(name)).toBe(expected);
});

test('agrees with the same thing written as a regular expression', () => {
	const random = seeded(21);
	for (let round = 0; round < 5000; round++) {
		const text = (letters: string, length: number) => Array.from({length: pick(random, length)}, () => letters[pick(random, letters.length)]).join('');
		const glob = `${text('ab*?', 6)}*${text('ab*?', 4)}`;
		const name = text('ab', 10);
		const expected = new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name);
		expect(`${glob} ${name} ${globMatcher(glob)(name)}`).toBe(`${glob} ${name} ${expected}`);
	}
});

test('many stars end', () => {
	expect(globMatcher(`${'*a'.repeat(200)}b`)('a'.repeat(512))).toBe(false);
});
