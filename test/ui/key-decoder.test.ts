import {Buffer} from 'node:buffer';
import fc from 'fast-check';
import {describe, expect, test} from 'vitest';
import {KeyDecoder} from '../../source/ui/terminal/key-decoder.js';

const typed: ReadonlyArray<readonly [bytes: string, keys: readonly string[]]> = [
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
	['\u001B[?1;2cq\u001B[200~x', ['q', 'x']],
];

describe('the key decoder', () => {
	test.each(typed)('%j', (bytes, keys) => {
		const decoder = new KeyDecoder();
		expect([...decoder.push(Buffer.from(bytes)), ...decoder.flush()]).toEqual(keys);
	});

	test.each(typed)('%j, cut at every byte', (text, keys) => {
		const bytes = Buffer.from(text);
		for (let at = 0; at <= bytes.length; at++) {
			const decoder = new KeyDecoder();
			expect([...decoder.push(bytes.subarray(0, at)), ...decoder.push(bytes.subarray(at)), ...decoder.flush()]).toEqual(keys);
		}
	});

	test('an escape alone waits for what may follow, and is the Escape key when nothing does', () => {
		const decoder = new KeyDecoder();
		expect(decoder.push(Buffer.from('\u001B'))).toEqual([]);
		expect(decoder.isUnfinished).toBe(true);
		expect(decoder.flush()).toEqual(['escape']);
		expect(decoder.isUnfinished).toBe(false);
		expect(decoder.push(Buffer.from('[A'))).toEqual(['[', 'A']);
	});

	test('whatever comes, it keeps little and its keys are single characters or names', () => {
		const bytes = fc.array(fc.oneof(fc.constant(0x1B), fc.constant(0x5B), fc.nat(255)), {maxLength: 60}).map(codes => Uint8Array.from(codes));
		fc.assert(fc.property(fc.array(bytes, {maxLength: 20}), pieces => {
			const decoder = new KeyDecoder();
			for (const key of [...pieces.flatMap(piece => decoder.push(piece)), ...decoder.flush()]) {
				expect(key).toMatch(/^(?:[a-z]+(?:-[a-z])?|f\d+|shift-tab|[^\u0000-\u001F\u007F-\u009F])$/u);
			}
		}), {numRuns: 300});

		const decoder = new KeyDecoder();
		expect(decoder.push(Buffer.from(`\u001B[${'1'.repeat(10_000)}`)).length).toBeGreaterThan(0);
	});
});
