import {PassThrough} from 'node:stream';
import type {ReadStream, WriteStream} from 'node:tty';
import {afterEach, expect, test} from 'vitest';
import {Terminal} from '../../source/ui/terminal/terminal.js';
import {until} from '../helpers/until.js';

const left: Terminal[] = [];

afterEach(() => {
	for (const terminal of left.splice(0)) {
		terminal.leave();
	}
});

/** A terminal without a window, and the keys that were heard. */
function typed(): {readonly stdin: PassThrough; readonly keys: string[]} {
	const stdin = Object.assign(new PassThrough(), {setRawMode() {/* It has no modes. */}});
	const stdout = Object.assign(new PassThrough(), {columns: 50, rows: 16, fd: -1});
	stdout.resume();
	const terminal = new Terminal(stdin as unknown as ReadStream, stdout as unknown as WriteStream);
	const keys: string[] = [];
	terminal.on('key', key => {
		keys.push(key);
	});
	terminal.enter();
	left.push(terminal);
	return {stdin, keys};
}

test('the rest of a sequence that arrived while we had no CPU is still its rest', async () => {
	const {stdin, keys} = typed();
	stdin.write('\u001B');
	await new Promise(resolve => {
		setImmediate(resolve);
	});
	const endMs = performance.now() + 100;
	while (performance.now() < endMs) {
		// The machine runs something else.
	}

	// Node tells of what arrived after it ran the timers that are due.
	setImmediate(() => {
		stdin.write('[17~\r');
	});
	await until(() => keys.length > 0);
	expect(keys).toEqual(['f6', 'enter']);
});

test('an escape that nothing follows is the Escape key', async () => {
	const {stdin, keys} = typed();
	stdin.write('\u001B');
	await until(() => keys.length > 0);
	expect(keys).toEqual(['escape']);
});
