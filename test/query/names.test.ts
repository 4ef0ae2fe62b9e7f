import fc from 'fast-check';
import {afterEach, describe, expect, test} from 'vitest';
import {printable, safe} from '../../source/util/printable.js';
import {cellWidth} from '../../source/util/cell-width.js';
import {nameHeldBy, shortName, namePackages} from '../../source/query/columns/names.js';
import {locationName} from '../../source/query/counters/location.js';

const place = {className: safe`com.acme.sort.Bubble`, method: safe`sort`, file: safe`Bubble.java`, line: 16};

test.each([
	[40, 'c.a.sort.Bubble.sort:16'],
	[22, 'c.a.s.Bubble.sort:16'],
	[19, 'Bubble.sort:16'],
	[14, 'Bubble.sort:16'],
	[1, '…'],
	[0, ''],
])('in %i cells: %s', (room, expected) => {
	expect(shortName(place, room)).toBe(expected);
});

test.each([
	[40, 'com.acme.sort.Bubble.sort:16'],
	[28, 'com.acme.sort.Bubble.sort:16'],
	[27, 'c.acme.sort.Bubble.sort:16'],
	[25, 'c.a.sort.Bubble.sort:16'],
	[14, 'Bubble.sort:16'],
])('full, in %i cells: %s', (room, expected) => {
	expect(shortName(place, room, true)).toBe(expected);
});

test.each([
	[60, 'writer', 'c.a.sort.Bubble.sort:16 held by writer via LockSupport.park'],
	[40, 'writer', 'Bubble.sort:16 held by writer via LockS…'],
	[30, 'writer', 'Bubble.sort:16 held by writer'],
	[23, 'writer', '…bble.sort:16 by writer'],
	[27, 'http-nio-8080-exec-12', 'Bubble.sort:16 by http…c-12'],
	[16, 'http-nio-8080-exec-12', '….sort:16 by h…2'],
	[12, 'writer', '…ble.sort:16'],
	[40, 'writer', 'c.a.s.Bubble.sort:16 held by writer +2', 2],
	[27, 'http-nio-8080-exec-12', 'Bubble.sort:16 by ht…-12 +2', 2],
])('held up, in %i cells by %s: %s', (room, holder, expected, others = 0) => {
	expect(nameHeldBy(place, {holder: printable(holder), others}, [safe`via LockSupport.park`], room)).toBe(expected);
});

test.each([
	['[gc]', 'G1 Conc', -1, 40, '[gc] G1 Conc'],
	['[jit]', 'C2 com.acme.sort.Bubble.sort@12', -1, 40, '[jit] C2 c.a.sort.Bubble.sort@12'],
	['[jit]', 'C1 tier 3 com.acme.sort.Bubble.sort', -1, 30, '[jit] C1 tier 3 Bubble.sort'],
	['[native]', '"a long name"', -1, 16, '[native] "a lon…'],
	['libzip.so', 'inflate_fast', -3, 40, 'libzip.so!inflate_fast'],
	['[kernel]', 'read', -3, 40, '[kernel] read'],
])('what is no Java code: %s %s %i in %i cells: %s', (className, method, line, room, expected) => {
	expect(shortName({className: printable(className), method: printable(method), file: safe``, line}, room)).toBe(expected);
});

test('names of other places', () => {
	const base = {...place, line: -1};
	expect(locationName({...base, line: -2})).toBe('com.acme.sort.Bubble.sort(native)');
	expect(locationName(base)).toBe('com.acme.sort.Bubble.sort');
	expect(locationName({...base, method: safe``})).toBe('com.acme.sort.Bubble');
	expect(locationName({...base, className: safe`(other)`, method: safe`(other)`})).toBe('(other)');
	expect(shortName({...base, className: safe`Main`, method: safe`main`, line: 0}, 20)).toBe('Main.main:0');
	expect(shortName({...base, className: safe`a.b.`, method: safe`x`}, 20)).toBe('a.b..x');
	expect(shortName({...base, className: safe`..`, method: safe`x`}, 20)).toBe('...x');
});

test('wide characters take two cells, and a name keeps its end', () => {
	expect(shortName({...place, className: safe`p.日本語`, method: safe`x`}, 9)).toBe('…語.x:16');
	expect(shortName({...place, className: safe`日本.語`, method: safe`x`}, 20)).toBe('日本.語.x:16');
	expect(shortName({...place, className: safe`𝒳𝒴.Z`, method: safe`x`}, 8)).toBe('𝒳.Z.x:16');
});

test('a holder is named in any room that has some for both, and never takes more', () => {
	fc.assert(fc.property(
		fc.string({unit: fc.constantFrom('a', '-', '1', '日', '𝒳'), minLength: 1, maxLength: 30}),
		fc.nat(60),
		(holder, room) => {
			const name = nameHeldBy(place, {holder: printable(holder)}, [], room);
			expect(cellWidth(name)).toBeLessThanOrEqual(room);
			expect(name.includes(' by ')).toBe(room >= 16);
		},
	));
});

test('a name never takes more than its room, and ends as the place does', () => {
	const text = (maxLength: number) =>
		fc.string({unit: fc.constantFrom('a', 'B', '.', '$', '日', 'e\u0301', '✅', '𝒳'), maxLength});
	fc.assert(
		fc.property(
			text(20),
			text(8),
			fc.nat(99),
			fc.nat(39),
			fc.boolean(),
			(className, method, line, room, isFull) => {
				const named = {className: printable(className), method: printable(method), file: safe``, line};
				const name = shortName(named, room, isFull);
				expect(cellWidth(name)).toBeLessThanOrEqual(room);
				if (name.startsWith('…')) {
					expect(locationName(named).endsWith(name.slice(1))).toBe(true);
				}
			},
		),
		{numRuns: 1000},
	);
});

describe('packages with names of the user\'s', () => {
	afterEach(() => {
		namePackages(new Map());
	});

	test.each([
		[40, 'com.acme.shop.cart.Cart', 'shop.cart.Cart.add:12'],
		[19, 'com.acme.shop.cart.Cart', 'shop.c.Cart.add:12'],
		[12, 'com.acme.shop.cart.Cart', 'Cart.add:12'],
		[40, 'com.acme.Cart', 'Cart.add:12'],
		[40, 'com.acmes.mail.Cart', 'c.a.mail.Cart.add:12'],
		[40, 'Cart', 'Cart.add:12'],
	])('in %i cells %s is %s', (room, className, expected) => {
		namePackages(new Map([['com.acme.shop', safe`shop`], ['com.acme', safe``]]));
		const cart = {className: printable(className), method: safe`add`, file: safe``, line: 12};
		expect(shortName(cart, room)).toBe(expected);
		expect(shortName(cart, 100, true)).toBe(`${className}.add:12`);
	});
});
