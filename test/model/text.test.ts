import fc from 'fast-check';
import {expect, test} from 'vitest';
import stringWidth from 'string-width';
import {UserError} from '../../source/runtime/errors.js';
import {normalClassName} from '../../source/model/class-name.js';
import {decodeModifiedUtf8, maxNameLength, printable, safe, type Printable} from '../../source/util/printable.js';
import {cellWidth, elideEnd, elideStart, graphemes, pad} from '../../source/util/cell-width.js';
import {globListMatcher, globMatcher, globsOf} from '../../source/util/glob.js';
import {randomBytes} from '../helpers/random.js';

test.each([
	['main', 'main'],
	['ćwierć 日本 😀 ﷽', 'ćwierć 日本 😀 ﷽'],
	['\u001B[31mred', String.raw`\x1b[31mred`],
	['\u001B]0;title\u0007', String.raw`\x1b]0;title\x07`],
	['a\r\nb\tc\u0000', String.raw`a\x0d\x0ab\x09c\x00`],
	['\u202Egnp.exe', String.raw`\u202egnp.exe`],
	['\u2028', String.raw`\u2028`],
	['\uD83D', String.raw`\ud83d`],
	['\u{E0041}', String.raw`\u{e0041}`],
	['\u206A\u206F\u2800\u3164\uFE0F\uFFA0', String.raw`\u206a\u206f\u2800\u3164\ufe0f\uffa0`],
	['\u{1D173}\u{1D17A}\u{E0100}\u{E01EF}', String.raw`\u{1d173}\u{1d17a}\u{e0100}\u{e01ef}`],
	['\uFDD0\uFFFF\u{1FFFE}\u{10FFFF}', String.raw`\ufdd0\uffff\u{1fffe}\u{10ffff}`],
	['\uFFF9x\uFFFB', String.raw`\ufff9x\ufffb`],
	['سعر \u0600 é e\u0301', 'سعر \u0600 é e\u0301'],
])('%j', (text, shown) => {
	expect(printable(text)).toBe(shown);
});

test('a long one is elided, between characters, and no longer than any other when it is written out', () => {
	expect(printable('x'.repeat(5000))).toBe(`${'x'.repeat(maxNameLength - 1)}…`);
	expect(printable(`${'x'.repeat(8)}😀y`, 10)).toBe(`${'x'.repeat(8)}…`);
	expect(printable('\u0001'.repeat(500))).toBe(`${String.raw`\x01`.repeat(127)}\\x0…`);
	expect(printable('\u0001'.repeat(128))).toHaveLength(maxNameLength);
	expect(printable(`${'\u0001'.repeat(128)}x`)).toHaveLength(maxNameLength);
});

test('an error makes its message and its hint printable', () => {
	const error = new UserError('no file \u001B[2J', {hint: 'try\u0007'});
	expect([error.message, error.hint]).toEqual([String.raw`no file \x1b[2J`, String.raw`try\x07`]);
});

test('printable text never moves a cursor, and stays as it is', () => {
	const codePoint = fc.oneof(...[0xFF, 0x2F_FF, 0xFF_FF, 0x10_FF_FF].map(max => fc.nat(max)));
	fc.assert(
		fc.property(fc.array(codePoint, {maxLength: 12}), codes => {
			const shown = printable(String.fromCodePoint(...codes));
			expect(shown).not
				.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}]/u);
			expect(printable(String(shown))).toBe(shown);
		}),
		{numRuns: 2000},
	);
});

test('zero, two and three bytes, and surrogates of three bytes each', () => {
	expect(decodeModifiedUtf8(Buffer.from('java/lang/Object'))).toBe('java/lang/Object');
	expect(decodeModifiedUtf8(Uint8Array.of(
		0x61,
		0xC0,
		0x80,
		0xC3,
		0xA9,
		0xE4,
		0xB8,
		0xAD,
		0xED,
		0xA0,
		0xBD,
		0xED,
		0xB8,
		0x80,
	))).toBe('a\u0000é中😀');
});

test('a part of the bytes; bytes that are none become U+FFFD', () => {
	expect(decodeModifiedUtf8(Buffer.from('xaéby'), 1, 5)).toBe('aéb');
	expect(decodeModifiedUtf8(Buffer.from('xaéby').subarray(1), 0, 2)).toBe('a\uFFFD');
	expect(decodeModifiedUtf8(Buffer.from('xaby').subarray(1), 0, 2)).toBe('ab');
	expect(decodeModifiedUtf8(Uint8Array.of(0xC3))).toBe('\uFFFD');
	expect(decodeModifiedUtf8(Uint8Array.of(0xFF, 0x61))).toBe('\uFFFDa');
	expect(decodeModifiedUtf8(Uint8Array.of(0xE4, 0x61, 0x62))).toBe('\uFFFDab');
});

test('long names, any bytes', () => {
	expect(decodeModifiedUtf8(Buffer.from('é'.repeat(10_000)))).toBe('é'.repeat(10_000));
	for (let seed = 0; seed < 100; seed++) {
		expect(decodeModifiedUtf8(randomBytes(seed, 100)).length).toBeLessThanOrEqual(100);
	}
});

test.each([
	...['$50/1338668845', '$14/0x00007f7e10008660', '/0x00007f2cc00550b0', '+0x00007f2cc00550b0', '$50'].map(id => [`Shapes$$Lambda${id}`, 'Shapes$$Lambda']),
	['java.lang.invoke.LambdaForm$MH/0x0000000800c02400', 'java.lang.invoke.LambdaForm$MH'],
	['java.lang.invoke.LambdaForm$DMH/1751075886', 'java.lang.invoke.LambdaForm$DMH'],
	['jdk.internal.reflect.GeneratedMethodAccessor12', 'jdk.internal.reflect.GeneratedMethodAccessor'],
	['sun.reflect.GeneratedConstructorAccessor1', 'sun.reflect.GeneratedConstructorAccessor'],
	['com.sun.proxy.$Proxy3', 'com.sun.proxy.$Proxy'],
	['jdk.proxy2.$Proxy12', 'jdk.proxy.$Proxy'],
	['$Proxy7', '$Proxy'],
	['com.acme.$Proxy7', 'com.acme.$Proxy'],
	...[
		'$$EnhancerBySpringCGLIB$$1a2b3c4d',
		'$$EnhancerBySpringCGLIB$$1a2b3c4d_2',
		'$$FastClassBySpringCGLIB$$9f',
		'$$EnhancerByCGLIB$$0',
		'$$EnhancerByGuice$$77',
		'$$SpringCGLIB$$0',
		'$$SpringCGLIB$$FastClass$$1',
	]
		.map(id => [`a.Shop${id}`, `a.Shop${id.replace(/\$\$[\da-f]+(?:_2)?$/, '')}`]),
	...[
		'$ByteBuddy$Ab12Cd34',
		'$HibernateProxy$Ab12Cd34',
		'$HibernateBasicProxy$x1',
		'$MockitoMock$123456',
		'$auxiliary$x',
	].map(id => [`a.Shop${id}`, `a.Shop${id.replace(/\$\w+$/, '')}`]),
	['a.Shop_$$_jvst5a4_1', 'a.Shop_$$_jvst'],
	['a.Shop_$$_javassist_12', 'a.Shop_$$_javassist'],
	...[
		'com.acme.$Proxy',
		'com.acme.Proxy7',
		'com.acme.Shop$Hibernate',
		'com.acme.Outer$1',
		'java.lang.invoke.DirectMethodHandle$Holder',
		'com.acme.My$$LambdaFactory',
		'',
	].map(name => [name, name]),
])('%s', (name, normal) => {
	expect(normalClassName(name)).toBe(normal);
	expect(normalClassName(normal)).toBe(normal);
});

// U+0600 has no cell of its own and nothing to stand on: it gets one from Ink.
test.each([['', 0], ['main-1', 6], ['日本.x', 6], ['e\u0301', 1], ['\u0600', 1]])('%j takes %i cells', (text, cells) => {
	expect(cellWidth(printable(text))).toBe(cells);
});

test.each(['é…', '✅', '⌚', '🀄', '🩰', '🫠', '👍🏽', '🇩🇪', 'ｱﾞ', '각', 'கா'])(
	'%j takes two cells, alone and behind others',
	text => {
		expect([cellWidth(printable(text)), cellWidth(printable(`x${text}`))]).toEqual([2, 3]);
	},
);

test('what a reader takes for one character is not cut in two', () => {
	expect(elideEnd(safe`e\u0301e\u0301e\u0301`, 2)).toBe('e\u0301…');
	expect(elideEnd(safe`a👍🏽b`, 3)).toBe('a…');
	expect(elideStart(safe`a👍🏽b`, 3)).toBe('…b');
	expect(elideStart(safe`x🇩🇪`, 2)).toBe('…');
	expect(pad(safe`✅`, 4)).toBe('✅  ');
	expect(pad(safe`✅`, 4, 'right')).toBe('  ✅');
});

const texts = fc.array(fc.oneof(
	fc.constantFrom('a', '.', '…', '日', 'e\u0301', '✅', '👍🏽', '𝒳', 'ﾞ', '\u0600', '\u1100', '\u0301'),
	fc.string({unit: 'grapheme', maxLength: 2}),
)).map(parts => parts.join('') as Printable);

test('counts what its characters count, never less than string-width, and cuts to the cells there are', () => {
	fc.assert(fc.property(texts, fc.nat(30), (text, room) => {
		const characters = graphemes(text);
		expect(characters.map(character => character.text).join('')).toBe(text);
		expect(cellWidth(text)).toBe(characters.map(({cells}) => cells).reduce((sum, cells) => sum + cells, 0));
		expect(cellWidth(text)).toBeGreaterThanOrEqual(stringWidth(text));
		expect(cellWidth(elideEnd(text, room))).toBeLessThanOrEqual(room);
		expect(cellWidth(elideStart(text, room))).toBeLessThanOrEqual(room);
	}), {numRuns: 1000});
});

test.each([
	['http', 'my-HTTP-1'],
	['', 'any'],
	['*-??', 'http-12'],
	['[a]*', '[a]x'],
	['a-?', 'a-\u{1F600}'],
	['*?b', 'a\u{1F600}b'],
])('%s matches %s', (glob, name) => {
	expect(globMatcher(glob)(name)).toBe(true);
});

test.each([['http-*', 'my-http-1'], ['a.*', 'abc'], ['*??', '\u{1F600}']])('%s does not match %s', (glob, name) => {
	expect(globMatcher(glob)(name)).toBe(false);
});

test('agrees with the same thing written as a regular expression', () => {
	const text = (letters: string, maxLength: number) => fc.string({unit: fc.constantFrom(...letters), maxLength});
	fc.assert(
		fc.property(text('ab*?', 5), text('ab*?', 3), text('ab', 9), (head, tail, name) => {
			const glob = `${head}*${tail}`;
			expect(globMatcher(glob)(name))
				.toBe(new RegExp(`^${glob.replaceAll('*', '.*').replaceAll('?', '.')}$`).test(name));
		}),
		{numRuns: 3000},
	);
});

test('a list: one of its globs must match; what stands between two commas may be missing', () => {
	const matches = globListMatcher(' main, http-*,,');
	expect(['main', 'Domain', 'http-1', 'my http-1', 'mai', ''].filter(name => matches(name))).toEqual([
		'main',
		'Domain',
		'http-1',
	]);
	expect(globsOf(' , ')).toEqual([]);
	expect(globListMatcher(',')('main')).toBe(false);
});

test('a name that the target chose cannot keep a glob with many stars busy: to try every way to part it would take years', () => {
	expect(globMatcher(`${'*a'.repeat(200)}b`)('a'.repeat(512))).toBe(false);
});
