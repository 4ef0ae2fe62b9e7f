import xterm from '@xterm/headless';
import {describe, expect, test} from 'vitest';
import RememberedLines from '../../build/remembered-lines.js';
import InkOutput from '../../node_modules/ink/build/output.js';
import {Theme, type Role} from '../../source/ui/terminal/theme.js';
import {pick, seeded} from '../helpers/random.js';

type Piece = {readonly x: number; readonly y: number; readonly text: string};

const [width, height] = [40, 12];
const theme = new Theme({color: true, ascii: false, colors: new Map([['good', '39'], ['waiting', 'dim bright-blue'], ['key', 'underline 208']])});
const usual = new Theme({color: true, ascii: false});
const roles: readonly Role[] = ['title', 'sorted', 'dim', 'hot', 'error', 'good', 'selected', 'key', 'running', 'blocked', 'waiting'];
const words = ['a', 'Pool.take:88', '41.2', '   ', ' 8 blocked', '…mes.run:7', '▁▃█', '▼', '──', '名前', '👩‍👩‍👧', 'e\u0301', 'é'];

function output(Output: typeof InkOutput, pieces: readonly Piece[], isClipped = false): string {
	const made = new Output({width, height});
	if (isClipped) {
		made.clip({
			x1: 2, x2: 20, y1: 1, y2: 9,
		});
	}

	for (const {x, y, text} of pieces) {
		// As our own cells are: a blank that is measured, a text that is drawn.
		made.write(x, y, ' ', {transformers: [() => text]});
	}

	return made.get().output;
}

/** What a terminal shows of it: each cell with its attributes. */
async function shown(text: string): Promise<string[]> {
	const terminal = new xterm.Terminal({cols: width * 2, rows: height, allowProposedApi: true});
	await new Promise<void>(resolve => {
		terminal.write(text.replaceAll('\n', '\r\n'), resolve);
	});
	const lines = Array.from({length: height}, (_, y) => Array.from({length: width * 2}, (_, x) => {
		const cell = terminal.buffer.active.getLine(y)!.getCell(x)!;
		return `${cell.getChars()} ${cell.getWidth()} ${cell.getFgColor()} ${cell.isBold()} ${cell.isDim()} ${cell.isInverse()}`;
	}).join('|'));
	terminal.dispose();
	return lines;
}

describe('frames put together from remembered lines', () => {
	test('show what Ink shows, whatever lies on them, as they change', async () => {
		const random = seeded(7);
		const oneOf = <T>(values: readonly T[]) => values[pick(random, values.length)];
		const text = () => Array.from({length: pick(random, 4)}, () => random() < 0.5 ? oneOf(words) : theme.paint([{text: oneOf(words), role: oneOf(roles)}])).join('') + (random() < 0.05 ? '\u001B[31mopen' : '');
		const lineOf = (y: number): Piece[] => {
			let x = 0;
			return Array.from({length: 1 + pick(random, 5)}, () => {
				const piece = {x, y, text: text()};
				// Side by side, with a gap, and at times on top of each other.
				x += random() < 0.1 ? 1 : piece.text.replaceAll(/\u001B\[[\d;]*m/g, '').length + pick(random, 3);
				return piece;
			});
		};

		let lines = Array.from({length: height}, (_, y) => lineOf(y));
		for (let frame = 0; frame < 60; frame++) {
			lines = lines.map((line, y) => random() < 0.4 ? lineOf(y) : line);
			const pieces = lines.flat();
			expect(await shown(output(RememberedLines, pieces))).toEqual(await shown(output(InkOutput, pieces)));
		}
	});

	test('leave clipping to Ink', () => {
		const pieces = [{x: 0, y: 2, text: 'Pool.take:88, the whole of a long line'}];
		expect(output(RememberedLines, pieces, true)).toBe(output(InkOutput, pieces, true));
	});

	test('have no attribute taken back that is set again at once', () => {
		const cells = ['a', 'bc', 'd'].map((text, index) => ({x: [0, 1, 3][index], y: 0, text: usual.paint([{text, role: 'selected'}])}));
		expect(output(RememberedLines, cells).trimEnd()).toBe('\u001B[7mabcd\u001B[27m');
		const states = [{x: 0, y: 0, text: usual.paint([{text: 'RRBww', role: 'states'}])}];
		expect(output(RememberedLines, states).trimEnd()).toBe('\u001B[32mRR\u001B[1;31mB\u001B[22;39m\u001B[34mww\u001B[39m');
		// Bold and dim are both taken back by 22: dim text is not bold.
		const mixed = [{x: 0, y: 0, text: usual.paint([{text: 'a', role: 'title'}])}, {x: 1, y: 0, text: usual.paint([{text: 'b', role: 'dim'}])}, {x: 2, y: 0, text: usual.paint([{text: 'c', role: 'dim'}])}];
		expect(output(RememberedLines, mixed).trimEnd()).toBe('\u001B[1ma\u001B[22m\u001B[2mbc\u001B[22m');
	});
});
