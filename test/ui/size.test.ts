import {createElement} from 'react';
import {
	afterEach, beforeEach, expect, test, vi,
} from 'vitest';
import {useSize} from '../../source/ui/hooks/terminal.js';
import {clearScreen} from '../../source/ui/terminal/terminal.js';
import {ComponentScreen} from '../helpers/component-screen.js';
import {closedAfterTest} from '../helpers/for-test.js';

beforeEach(() => {
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
});

afterEach(() => {
	vi.useRealTimers();
});

function Sized() {
	useSize();
	return undefined;
}

/** A screen, and how often it was emptied to be drawn whole. */
async function sizedScreen() {
	const screen = closedAfterTest(new ComponentScreen(createElement(Sized), {columns: 80, rows: 24}));
	await screen.lines();
	const {frames} = screen.terminal;
	const write = frames.write.bind(frames);
	let repaints = 0;
	frames.write = piece => {
		repaints += String(piece).startsWith(clearScreen) ? 1 : 0;
		return write(piece);
	};

	return {
		screen,
		async repaintsAfter(ms: number) {
			vi.advanceTimersByTime(ms);
			await screen.lines();
			return repaints;
		},
	};
}

test('a window that is being resized is repainted once, when it rests', async () => {
	const {screen, repaintsAfter} = await sizedScreen();
	for (let step = 0; step < 5; step++) {
		screen.terminal.emit('resize');
		expect(await repaintsAfter(1)).toBe(0);
	}

	expect(await repaintsAfter(60)).toBe(1);
});

test('a repaint takes the place of one that a resize waits for', async () => {
	const {screen, repaintsAfter} = await sizedScreen();
	screen.terminal.emit('resize');
	screen.terminal.emit('repaint');
	expect(await repaintsAfter(0)).toBe(1);
	expect(await repaintsAfter(60)).toBe(1);
});
