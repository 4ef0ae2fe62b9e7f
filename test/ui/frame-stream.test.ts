import {expect, test} from 'vitest';
import {clearScreen, FrameStream} from '../../source/ui/terminal/terminal.js';

function written(...pieces: readonly string[]): string[] {
	const frames: string[] = [];
	const stream = new FrameStream({
		columns: 80, isBehind: false, write(frame) {
			frames.push(frame.replaceAll(/\u001B\[\?2026[hl]/g, ''));
		},
	});
	for (const piece of pieces) {
		stream.write(piece);
	}

	stream.flush();
	return frames;
}

test('the pieces of a frame are one write, from the top left on', () => {
	expect(written('\u001B[23Aone', '\u001B[E\u001B[E\u001B[E', 'two')).toEqual(['\u001B[Hone\u001B[3Etwo']);
});

test('what is drawn before the screen is emptied is not sent', () => {
	expect(written('\u001B[23Achanged lines', clearScreen, 'all lines')).toEqual([`${clearScreen}all lines`]);
});
