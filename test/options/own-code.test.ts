import {expect, test} from 'vitest';
import {parseOptions, type Options} from '../../source/options/parse.js';
import {queryOf} from '../../source/options/query-options.js';

const query = (...words: string[]) => queryOf((parseOptions(['1', ...words], {}) as {options: Options}).options);

test('--app says what own code is, and has it come first', () => {
	expect(query()).not.toHaveProperty('ownFirst');
	expect(query('--own-first')).toMatchObject({ownFirst: true});
	expect(query('--app', 'com.acme, !com.acme.gen')).toMatchObject({ownFirst: true, app: ['com.acme', '!com.acme.gen']});
	expect(() => query('--app', 'com acme')).toThrow('"com acme" is not a package');
	expect(() => query('--app', ',')).toThrow('needs at least one package');
});
