import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {defaultQuery} from '../../source/query/types/query.js';
import {filterOf, passesFilter, parseFilter} from '../../source/query/filter/filter.js';
import {compilePattern} from '../../source/query/filter/regex.js';
import {queryLines} from '../../source/views/lines/lines.js';
import {locationName} from '../../source/query/counters/location.js';
import {effectiveUnit} from '../../source/query/counters/scope.js';
import {queryThreads} from '../../source/views/threads/threads.js';
import {picture} from '../helpers/picture.js';

const fields = {
	text: () => 'com.acme.sort.Bubble.sort:16',
	percent: () => 41.2,
	totalPercent: () => 55,
	cpuMs: () => 960,
	ticks: () => 496,
	threads: () => 4,
};

const shows = (filter: string) => {
	expect(passesFilter(filterOf(filter), fields, undefined)).toBe(true);
};

const hides = (filter: string) => {
	expect(passesFilter(filterOf(filter), fields, undefined)).toBe(false);
};

test.each(['', 'bubble', 'sort:16', '!nowhere', 'nowhere|bubble', '"Bubble.sort"'])(
	'the filter %s shows the row',
	shows,
);
test.each(['bubble nowhere', '!bubble', '!nowhere|bubble'])('%s hides it', hides);
test.each(['/bub+le/', String.raw`/sort:\d+$/`, String.raw`/(heap|bubble)\.sort/`, '!/heap/'])(
	'the pattern %s shows it',
	shows,
);
test.each(['pct>41', 'pct>=41.2', 'PCT<50%', 'ticks=496', 'ticks<10|threads>3', 'PCT > 41', 'pct> 41 bubble'])(
	'its figures are %s',
	shows,
);
test.each(['pct>41.2', 'blocked>0'])('its figures are not %s', hides);
test.each(['"!bubble"', '"pct>99"', '<init>', 'map<string>'])('%s is a word', hides);
test.each(['!', '|', '!|'])('%s, which is still being typed, asks for nothing yet', shows);

test.each([
	['acme /bub', 'closing /'],
	['"acme', 'closing "'],
	['/(/', 'missing closing )'],
	[String.raw`/\1/`, 'invalid escape'],
	['state:', 'state'],
	['acme state:Q', '"Q"'],
	['thread:', 'needs a name'],
	['state:B|acme', 'cannot be'],
	['acme pct>x', 'number'],
	['foo>1', 'cannot compare "foo"; use pct, total, cpu, ticks, threads, blocked, stuck'],
	['PCT >', 'PCT> needs a number'],
])('what is wrong with the filter %s is a message', (filter, message) => {
	expect(parseFilter(filter)).toEqual({ok: false, error: expect.stringContaining(message) as string});
	expect(filterOf(filter)).toEqual({});
});

describe('states and threads restrict what is counted', () => {
	const snapshot = picture(`
		http-1 | R30 B w | work:1 lock:2 wait:3
		http-2 | R10 B B | work:1 lock:2 lock:2
		main   | R60 R0  | work:1
	`);
	test.each([
		['state:B', ['100 3 A.lock:2']],
		['state:w', ['100 1 A.wait:3']],
		['state:B,waiting', ['75 3 A.lock:2', '25 1 A.wait:3']],
		['!state:R !state:b', ['100 1 A.wait:3']],
		['state:R state:B', []],
		['thread:http-*', ['100 2 A.work:1', '0 3 A.lock:2']],
		['thread:http-? !thread:*2 lock', ['0 1 A.lock:2']],
		['thread:MAI', ['100 2 A.work:1']],
		['thread:nowhere,http-?,', ['100 2 A.work:1', '0 3 A.lock:2']],
		// Words and figures choose rows, and leave the shares as they are.
		['lock', ['0 3 A.lock:2']],
		['pct>9', ['100 4 A.work:1']],
		['pct>11', []],
	])('%s: %j', (filter, lines) => {
		expect(queryLines(snapshot, undefined, {...defaultQuery, filter}).rows.map(line =>
			`${Math.round(line.selfPercent)} ${line.selfTicks} ${locationName(line)}`)).toEqual(lines);
	});

	test('Threads has those of that name', () => {
		expect(queryThreads(snapshot, undefined, {...defaultQuery, filter: 'thread:http-*'}).rows.map(thread =>
			thread.name)).toEqual(['http-1', 'http-2']);
	});

	test('without RUNNABLE the shares are those of ticks', () => {
		expect(effectiveUnit({...defaultQuery, filter: 'state:B'})).toBe('ticks');
		expect(effectiveUnit({...defaultQuery, filter: 'state:B|state:R'})).toBe('core');
		expect(effectiveUnit({...defaultQuery, unit: 'cpu-ms', filter: 'state:B'})).toBe('cpu-ms');
	});
});

describe('patterns', () => {
	test.each([['[A-Z]oo', 'foo', true], ['É', 'é', true], ['x{', 'x{', true], ['a.b', 'a\nb', true], [
		'[a-]',
		'-',
		true,
	], [String.raw`\bsort\b`, 'sorter', false]])('/%s/ on %s', (pattern, text, expected) => {
		expect(compilePattern(pattern)(text)).toBe(expected);
	});

	test('a class that ends nowhere is refused', () => {
		expect(() => compilePattern('[]')).toThrow(SyntaxError);
	});

	test('any text is a pattern or a SyntaxError of one printable line', () => {
		fc.assert(
			fc.property(
				fc.string({
					unit: fc.constantFrom(...String.raw`ab()[]{}*+?|^$\-,.019pLQE<:=`, '\n', '\u009B'),
					maxLength: 12,
				}),
				text => {
					try {
						compilePattern(text)('abab');
					} catch (error) {
						expect(error).toBeInstanceOf(SyntaxError);
						expect((error as Error).message).not.toMatch(/\p{Cc}/u);
					}
				},
			),
			{numRuns: 2000},
		);
	});

	test('patterns that take RegExp forever end', () => {
		const text = `${'a'.repeat(500)}!`;
		for (
			const pattern of ['(a+)+b', '(a|a)*b', '(a*)*b', '.*.*.*.*.*b', '(a|aa)+b', '((a*)*)*b', '(?:a?){90}a{90}b']
		) {
			expect(compilePattern(pattern)(text)).toBe(false);
		}
	});

	test('patterns that multiply are refused', () => {
		for (
			const pattern of [
				'((a{100}){100}){100}',
				'((((a{99}){99}){99}){99}){99}',
				'((((()){99}){99}){99}){99}',
				'a'.repeat(501),
				'a{1001}',
				'a{2,1}',
				'a{999}b{999}c{999}',
				String.raw`\pL{900}`.repeat(50),
			]
		) {
			expect(() => compilePattern(pattern)).toThrow(SyntaxError);
		}
	});
});
