import {expect, test} from 'vitest';
import {cellWidth} from '../../source/model/cell-width.js';
import {shortName} from '../../source/query/columns/names.js';
import {placeName} from '../../source/query/facts/place.js';
import {pick, seeded} from '../helpers/random.js';

const place = {
	className: 'com.acme.sort.Bubble', method: 'sort', file: 'Bubble.java', line: 16,
};

test.each([
	[40, 'c.a.sort.Bubble.sort:16'],
	[23, 'c.a.sort.Bubble.sort:16'],
	[22, 'c.a.s.Bubble.sort:16'],
	[20, 'c.a.s.Bubble.sort:16'],
	[19, 'Bubble.sort:16'],
	[14, 'Bubble.sort:16'],
	[13, '…bble.sort:16'],
	[3, '…16'],
	[1, '…'],
	[0, ''],
])('in %i cells: %s', (room, expected) => {
	expect(shortName(place, room)).toBe(expected);
});

test.each([
	[40, 'com.acme.sort.Bubble.sort:16'], [28, 'com.acme.sort.Bubble.sort:16'], [27, 'c.acme.sort.Bubble.sort:16'], [25, 'c.a.sort.Bubble.sort:16'], [14, 'Bubble.sort:16'],
])('full, in %i cells: %s', (room, expected) => {
	expect(shortName(place, room, true)).toBe(expected);
});

test('names of other places', () => {
	const base = {...place, line: -1};
	expect(placeName({...base, line: -2})).toBe('com.acme.sort.Bubble.sort(native)');
	expect(placeName(base)).toBe('com.acme.sort.Bubble.sort');
	expect(placeName({...base, method: ''})).toBe('com.acme.sort.Bubble');
	expect(placeName({...base, className: '(other)', method: '(other)'})).toBe('(other)');
	expect(shortName({...base, className: 'Main', method: 'main', line: 0}, 20)).toBe('Main.main:0');
	expect(shortName({...base, className: 'a.b.', method: 'x'}, 20)).toBe('a.b..x');
	expect(shortName({...base, className: '..', method: 'x'}, 20)).toBe('...x');
});

test('wide characters take two cells, and a name keeps its end', () => {
	expect(cellWidth('日本.x')).toBe(6);
	expect(cellWidth('e\u0301')).toBe(1);
	expect(shortName({...place, className: 'p.日本語', method: 'x'}, 9)).toBe('…語.x:16');
	expect(shortName({...place, className: '日本.語', method: 'x'}, 20)).toBe('日本.語.x:16');
	expect(shortName({...place, className: '𝒳𝒴.Z', method: 'x'}, 8)).toBe('𝒳.Z.x:16');
});

test('a name never takes more than its room, and ends as the place does', () => {
	const random = seeded(3);
	for (let round = 0; round < 3000; round++) {
		const text = (length: number) => Array.from({length: pick(random, length)}, () => ['a', 'B', '.', '$', '日', 'e\u0301', '𝒳'][pick(random, 7)]).join('');
		const room = pick(random, 40);
		const name = shortName({
			className: text(20), method: text(8), file: '', line: pick(random, 100),
		}, room, round % 2 === 0);
		expect(cellWidth(name)).toBeLessThanOrEqual(room);
	}
});
