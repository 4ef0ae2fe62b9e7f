import {
	expect, test,
} from 'vitest';
import {chooseDialect, encodeRequest, parseReply} from '../../../source/engines/attach/socket/protocol.js';

test('a version 2 request says how many bytes follow', () => {
	expect(encodeRequest(2, 'threaddump streaming=0', []).toString()).toBe('2\u000023\0threaddump streaming=0\0');
	expect(encodeRequest(2, 'jcmd', ['é']).toString()).toBe('2\u00008\0jcmd\0é\0');
});

test('what the listener would misread is no request', () => {
	for (const args of [['a\0b'], ['x'.repeat(1025)], ['1', '2', '3', '4']]) {
		expect(() => encodeRequest(1, 'jcmd', args)).toThrow(RangeError);
	}

	expect(() => encodeRequest(2, 'a\0b', [])).toThrow(RangeError);
});

test('a reply is a number, a line feed and the rest; cut before the line feed it is none', () => {
	for (const [text, code] of [['0\nrest', 0], ['-1\n', -1], ['101\n', 101], ['-2147483648\n', -2_147_483_648]] as const) {
		const bytes = Buffer.from(text);
		const head = text.indexOf('\n') + 1;
		for (let cut = 0; cut <= bytes.length; cut++) {
			expect(parseReply(bytes.subarray(0, cut))).toEqual(cut < head ? undefined : {code, start: head});
		}
	}

	for (const text of ['', '\n', 'x\n', '1x\n', '--1\n', ' 1\n', '0', '123456789012\n', '\u001B\n']) {
		expect(parseReply(Buffer.from(text))).toBeUndefined();
	}
});

test.each([
	[-1, 'Operation getversion not recognized!', {version: 1, dumpCommand: 'threaddump'}],
	[0, '2 streaming', {version: 2, dumpCommand: 'threaddump streaming=0'}],
	[0, '2 streaming\n', {version: 2, dumpCommand: 'threaddump streaming=0'}],
	[0, '3 other,streaming', {version: 2, dumpCommand: 'threaddump streaming=0'}],
	[0, '1 streaming', {version: 1, dumpCommand: 'threaddump streaming=0'}],
	[0, '2', {version: 1, dumpCommand: 'threaddump'}],
	[0, '', undefined],
	[0, 'yes', undefined],
	[-1, 'out of memory', undefined],
	[101, '', undefined],
])('getversion answers %i %j', (code, text, dialect) => {
	expect(chooseDialect(code, text)).toEqual(dialect);
});
