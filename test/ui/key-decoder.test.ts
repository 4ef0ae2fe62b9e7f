import {Buffer} from 'node:buffer';
import fc from 'fast-check';
import {createElement, Fragment} from 'react';
import {describe, expect, test} from 'vitest';
import {KeyDecoder, type Input, type MouseInput} from '../../source/ui/terminal/key-decoder.js';
import {ComponentScreen} from '../helpers/component-screen.js';
import {closedAfterTest} from '../helpers/for-test.js';
import {until} from '../helpers/until.js';

const at = (mouse: MouseInput['mouse'], column: number, line: number): MouseInput => ({mouse, column, line});

test.each<[bytes: string, keys: readonly Input[]]>([
	['jkq', ['j', 'k', 'q']],
	['\u001B[A\u001B[B\u001BOC\u001BOD', ['up', 'down', 'right', 'left']],
	['\u001B[1;5C\u001B[5~\u001B[6~', ['right', 'pageup', 'pagedown']],
	['\u001B[H\u001B[F\u001B[1~\u001B[4~', ['home', 'end', 'home', 'end']],
	['\u001BOP\u001B[14~\u001B[17~\u001B[21~\u001B[[D', ['f1', 'f4', 'f6', 'f10', 'f4']],
	['\t\u001B[Z\r\u007F\b\u001B[3~', ['tab', 'shift-tab', 'enter', 'backspace', 'backspace', 'delete']],
	['\u0003\u001A\f\u0015\u0004', ['ctrl-c', 'ctrl-z', 'ctrl-l', 'ctrl-u', 'ctrl-d']],
	['é名👩', ['é', '名', '👩']],
	['\u001Bq', ['escape', 'q']],
	['\u001B\u001B[A', ['escape', 'up']],
	['\u001B[?1;2cq\u001B[299~x\u001B[201~y', ['q', 'x', 'y']],
	['\u001B[<0;12;5M\u001B[<0;12;5mq', [at('click', 11, 4), 'q']],
	['a\u001B[<64;1;1M\u001B[<65;200;60Mb', ['a', at('wheel-up', 0, 0), at('wheel-down', 199, 59), 'b']],
	// Shift, Meta and Control change nothing; other buttons, movements and places that there are not are nothing.
	['\u001B[<20;3;4M\u001B[<2;3;4M\u001B[<35;3;4M\u001B[<0;0;4M\u001B[<;;M\u001B[<0;3Mj', [at('click', 2, 3), 'j']],
	['a\u001B[200~jq é\u001B[201~b\u001B[200~\u001B[201~', ['a', {paste: 'jq é'}, 'b', {paste: ''}]],
	// Pasted text is a line of text, with whatever begins in it that looks like a sequence or like the paste's end.
	['\u001B[200~\nat x\r\n\tat y\u0003\u001B[A\u001B[20\u001B[201\u202E\r\n\u001B[201~q', [{
		paste: 'at x at y [A [20 [201 ',
	}, 'q']],
	// What terminals send that know no SGR.
	['\u001B[M !"\u001B[M`#$q', ['q']],
])('%j, whole and cut at every byte', (text, keys) => {
	const bytes = Buffer.from(text);
	for (let at = 0; at <= bytes.length; at++) {
		const decoder = new KeyDecoder();
		expect([...decoder.push(bytes.subarray(0, at)), ...decoder.push(bytes.subarray(at)), ...decoder.flush()])
			.toEqual(keys);
	}
});

test('a report of the mouse that comes in pieces, however late, is one; at most its ESC is taken for a key', () => {
	const report = Buffer.from('\u001B[<0;12;5M');
	for (let cut = 1; cut < report.length; cut++) {
		const decoder = new KeyDecoder();
		const inputs = [
			...decoder.push(report.subarray(0, cut)),
			...decoder.flush(),
			...decoder.push(report.subarray(cut)),
			...decoder.flush(),
		];
		expect(inputs).toEqual(cut <= 2 ? ['escape', at('click', 11, 4)] : [at('click', 11, 4)]);
	}
});

test('a report that lost a piece takes no key with it', () => {
	const keys = (text: string) => new KeyDecoder().push(Buffer.from(text));
	expect(keys('\u001B[<0;12\u001B[Aj')).toEqual(['up', 'j']);
	expect(keys('\u001B[M \u001B[Aj')).toEqual(['up', 'j']);
	expect(keys(`\u001B[<${'1'.repeat(10_000)}\rj`)).toEqual(['enter', 'j']);
});

test('an escape alone waits for what may follow, and is the Escape key when nothing does', () => {
	const decoder = new KeyDecoder();
	expect(decoder.push(Buffer.from('\u001B'))).toEqual([]);
	expect(decoder.isUnfinished).toBe(true);
	expect(decoder.flush()).toEqual(['escape']);
	expect(decoder.isUnfinished).toBe(false);
	expect(decoder.push(Buffer.from('[A'))).toEqual(['[', 'A']);
});

test('a paste whose beginning comes in pieces, however late, is one; at most its ESC is taken for a key', () => {
	const bytes = Buffer.from('\u001B[200~q\u001B[201~');
	for (let cut = 1; cut < bytes.length; cut++) {
		const decoder = new KeyDecoder();
		const inputs = decoder.push(bytes.subarray(0, cut));
		expect(decoder.isPasting).toBe(cut >= 6);
		inputs.push(...decoder.isPasting ? [] : decoder.flush(), ...decoder.push(bytes.subarray(cut)));
		expect(inputs).toEqual(cut < 6 ? ['escape', {paste: 'q'}] : [{paste: 'q'}]);
	}
});

test('a paste without an end is over when waiting for it is, and a large one is cut off', () => {
	const decoder = new KeyDecoder();
	expect(decoder.push(Buffer.from('\u001B[200~q\u001B[20'))).toEqual([]);
	expect([...decoder.flush(), ...decoder.push(Buffer.from('x'))]).toEqual([{paste: 'q [20'}, 'x']);
	const inputs = ['\u001B[200~', ...Array.from({length: 1000}, () => '名'.repeat(1000)), '\u001B[201~x']
		.flatMap(piece => decoder.push(Buffer.from(piece)));
	expect(inputs).toEqual([{paste: '名'.repeat(4096)}, 'x']);
});

test('of any input it keeps little, and its keys are single characters or names', () => {
	const sequence = fc.constantFrom('\u001B', '[', '<', 'M', '\u001B[200~', '\u001B[201~').map(text =>
		Buffer.from(text));
	const piece = fc.oneof(sequence, fc.nat(255).map(code => Buffer.of(code)));
	const bytes = fc.array(piece, {maxLength: 60}).map(pieces => Buffer.concat(pieces));
	fc.assert(fc.property(fc.array(bytes, {maxLength: 20}), pieces => {
		const decoder = new KeyDecoder();
		const inputs = [...pieces.flatMap(piece => decoder.push(piece)), ...decoder.flush()];
		for (const input of inputs.filter(input => typeof input !== 'string' && 'paste' in input)) {
			expect(input.paste).toMatch(/^[^\u0000-\u001F\u007F-\u009F]*$/u);
		}

		for (const key of inputs.filter(input => typeof input === 'string')) {
			expect(key).toMatch(/^(?:[a-z]+(?:-[a-z])?|f\d+|shift-tab|[^\u0000-\u001F\u007F-\u009F])$/u);
		}
	}), {numRuns: 300});

	const decoder = new KeyDecoder();
	expect(decoder.push(Buffer.from(`\u001B[${'1'.repeat(10_000)}`)).length).toBeGreaterThan(0);
});

test('the rest of a sequence that arrived while we had no CPU is still its rest', async () => {
	const screen = closedAfterTest(new ComponentScreen(createElement(Fragment)));
	const keys: string[] = [];
	screen.terminal.on('key', key => {
		keys.push(key);
	});
	// Where the machine is busy, the wait for the rest may be over before it is kept from us: then again.
	for (let tookMs = Infinity; tookMs > 20;) {
		const startMs = performance.now();
		await screen.type('\u001B');
		tookMs = performance.now() - startMs;
		await until(() => tookMs <= 20 || keys.length > 0);
		keys.length = 0;
	}

	const endMs = performance.now() + 100;
	while (performance.now() < endMs) {
		// The machine runs something else.
	}

	// Node tells of what arrived after it ran the timers that are due.
	setImmediate(() => {
		void screen.type('[17~\r');
	});
	await until(() => keys.length > 0);
	expect(keys).toEqual(['f6', 'enter']);
});

describe('what is handled first', () => {
	/** A screen without components, and the inputs that it has handled so far. */
	function handled() {
		const screen = closedAfterTest(new ComponentScreen(createElement(Fragment)));
		const inputs: Input[] = [];
		screen.terminal.on('key', key => {
			inputs.push(key);
		});
		screen.terminal.on('paste', paste => {
			inputs.push({paste});
		});
		return {screen, inputs};
	}

	test('Ctrl-C behind 30 KB of other keys, which are dropped', async () => {
		const {screen, inputs} = handled();
		void screen.type('j'.repeat(30_000));
		void screen.type('\u0003');
		await until(() => inputs.includes('ctrl-c'));
		expect(inputs.indexOf('ctrl-c')).toBeLessThan(100);
		await screen.type('x');
		expect(inputs.slice(inputs.indexOf('ctrl-c'))).toEqual(['ctrl-c', 'x']);
	});

	test('of other keys the first thousand, in their order', async () => {
		const {screen, inputs} = handled();
		void screen.type(`${'j'.repeat(1000)}k${'l'.repeat(10_000)}`);
		await until(() => inputs.includes('k'));
		expect(inputs.slice(0, 1001)).toEqual([...Array.from({length: 1000}, () => 'j'), 'k']);
		await until(() => inputs.length === 1024);
		await screen.type('x');
		expect(inputs.slice(1023)).toEqual(['l', 'x']);
	});

	test('keys again when the end of a paste never comes, even if only Ctrl-C is pressed meanwhile', async () => {
		const {screen, inputs} = handled();
		await screen.type('\u001B[200~q');
		const timer = setInterval(() => {
			void screen.type('\u0003');
		}, 100);
		try {
			await until(() => inputs.includes('ctrl-c'));
		} finally {
			clearInterval(timer);
		}

		expect(inputs[0]).toMatchObject({paste: expect.stringMatching(/^q *$/) as unknown});
	});
});
