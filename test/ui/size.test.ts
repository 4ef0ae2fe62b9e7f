import {createElement} from 'react';
import {expect, onTestFinished, test, vi} from 'vitest';
import {useSize} from '../../source/ui/hooks/terminal.js';
import {ComponentScreen} from '../helpers/component-screen.js';
import {closedAfterTest} from '../helpers/for-test.js';

function Sized() {
	useSize();
	return undefined;
}

test('a window that is being resized is repainted once, when it rests; a repaint takes the place of one that waits', async () => {
	vi.useFakeTimers({toFake: ['setTimeout', 'clearTimeout']});
	onTestFinished(() => {
		vi.useRealTimers();
	});
	const screen = closedAfterTest(new ComponentScreen(createElement(Sized), {columns: 80, rows: 24}));
	await screen.lines();
	const before = screen.repaints;
	const repaintsAfter = async (ms: number) => {
		vi.advanceTimersByTime(ms);
		await screen.lines();
		return screen.repaints - before;
	};

	for (let step = 0; step < 5; step++) {
		screen.terminal.emit('resize');
		expect(await repaintsAfter(1)).toBe(0);
	}

	expect(await repaintsAfter(60)).toBe(1);
	screen.terminal.emit('resize');
	screen.terminal.emit('repaint');
	expect(await repaintsAfter(0)).toBe(2);
	expect(await repaintsAfter(60)).toBe(2);
});
