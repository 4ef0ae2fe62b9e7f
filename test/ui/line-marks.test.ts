import {describe, expect, test} from 'vitest';
import {linesOf, type Frame} from '../../source/ui/frame.js';
import {LineMarks, markCount} from '../../source/ui/line-marks.js';
import {seeded} from '../helpers/random.js';

const frameOf = (lines: readonly string[]): Frame => ({above: lines, below: []});

describe('marks for lines', () => {
	test('every part of a frame is one character a line, and comes back whole', () => {
		const marks = new LineMarks();
		const frame: Frame = {
			above: ['\u001B[1mhead\u001B[22m', ''], heading: 'heading', rows: ['row', 'row', '\uE000 of a target'], below: ['$& $1'],
		};
		const marked = marks.mark(frame);
		expect(linesOf(marked).map(line => line.length)).toEqual([1, 0, 1, 1, 1, 1, 1]);
		expect(linesOf(marked).map(line => marks.expand(line))).toEqual(linesOf(frame));
	});

	test('a line keeps its mark while it is on the screen, wherever; another line gets another', () => {
		const marks = new LineMarks();
		const [a, b] = marks.mark(frameOf(['a', 'b'])).above;
		const second = marks.mark(frameOf(['b', 'c', 'a'])).above;
		expect([second[0], second[2]]).toEqual([b, a]);
		expect(second[1]).not.toBe(a);
		expect(second[1]).not.toBe(b);
	});

	test('through thousands of frames every line is its own, and the frame before is still known', () => {
		const marks = new LineMarks();
		const next = seeded(7);
		const stays = ['a line that never goes'];
		let before: Array<[string, string]> = [];
		for (let round = 0; round < 3000; round++) {
			const lines = [...stays, ...Array.from({length: Math.floor(next() * 199)}, () => `line ${Math.floor(next() * 5 * markCount)}`)];
			const marked = marks.mark(frameOf(lines)).above;
			expect(marked.map(mark => marks.expand(mark))).toEqual(lines);
			for (const [mark, line] of before) {
				if (marks.expand(mark) !== line) {
					throw new Error(`round ${round}: ${line} became ${marks.expand(mark)}`);
				}
			}

			before = marked.map((mark, index) => [mark, lines[index]]);
		}
	});
});
