import fc from 'fast-check';
import {expect, test} from 'vitest';
import {globListMatcher, globMatcher, globsOf} from '../../source/model/glob.js';

test.each([['http', 'my-HTTP-1'], ['', 'any'], ['*-??', 'http-12'], ['[a]*', '[a]x'], ['a-?', 'a-\u{1F600}'], ['*?b', 'a\u{1F600}b']])('%s matches %s', (glob, name) => {
	expect(globMatcher(glob)(name)).toBe(true);
});

test.each([['http-*', 'my-http-1'], ['a.*', 'abc'], ['*??', '\u{1F600}']])('%s does not match %s', (glob, name) => {
	expect(globMatcher(glob)(name)).toBe(false);
});

test('agrees with the same thing written as a regular expression', () => {
	const text = (letters: string, maxLength: number) => fc.string({unit: fc.constantFrom(...letters), maxLength});
	fc.assert(fc.property(text('ab*?', 5), text('ab*?', 3), text('ab', 9), (head, tail, name) => {
		const glob = `${head}*${tail}`;
		expect(globMatcher(glob)(name)).toBe(new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name));
	}), {numRuns: 3000});
});

test('a list: one of its globs must match; what stands between two commas may be missing', () => {
	const matches = globListMatcher(' main, http-*,,');
	expect(['main', 'Domain', 'http-1', 'my http-1', 'mai', ''].filter(name => matches(name))).toEqual(['main', 'Domain', 'http-1']);
	expect(globsOf(' , ')).toEqual([]);
	expect(globListMatcher(',')('main')).toBe(false);
});

test('a name that the target chose cannot keep a glob with many stars busy: to try every way to part it would take years', () => {
	expect(globMatcher(`${'*a'.repeat(200)}b`)('a'.repeat(512))).toBe(false);
});
