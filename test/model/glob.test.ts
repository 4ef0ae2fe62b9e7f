import {expect, test} from 'vitest';
import {globListMatcher, globMatcher, globsOf} from '../../source/model/glob.js';
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
	['a-?', 'a-\u{1F600}', true],
	['*??', '\u{1F600}', false],
	['*?b', 'a\u{1F600}b', true],
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

test('a list: one of its globs must match; what stands between two commas may be missing', () => {
	const matches = globListMatcher(' main, http-*,,');
	expect(['main', 'Domain', 'http-1', 'my http-1', 'mai', ''].filter(name => matches(name))).toEqual(['main', 'Domain', 'http-1']);
	expect(globsOf(' , ')).toEqual([]);
	expect(globListMatcher(',')('main')).toBe(false);
});

test('many stars end', () => {
	expect(globMatcher(`${'*a'.repeat(200)}b`)('a'.repeat(512))).toBe(false);
});
