import {describe, expect, test} from 'vitest';
import {x64} from '../../../../source/engines/memory/arch/x64/x64.js';
import {isInLoop, loopsIn} from '../../../../source/engines/memory/decode/loops.js';
import {scopeOffsetAfterCall, scopeOffsetInLoop} from '../../../../source/engines/memory/decode/scopes.js';
import {randomBytes} from '../../../helpers/random.js';
import {pcDescs} from './write-pc-descs.js';

/**
Assembles a line an instruction: "name:" sets a label; "work" is ten bytes; "if NAME" and "goto NAME" jump; "return";
"switch" jumps to where nobody knows.
*/
function assemble(text: string): {readonly code: Uint8Array; readonly at: Readonly<Record<string, number>>} {
	const lines = text.trim().split(/\s*\n\s*/);
	const at: Record<string, number> = {};
	const sizes: Readonly<Record<string, number>> = {work: 10, if: 6, goto: 5, return: 1, switch: 2};
	let offset = 0;
	for (const line of lines) {
		if (line.endsWith(':')) {
			at[line.slice(0, -1)] = offset;
		} else {
			offset += sizes[line.split(' ')[0]];
		}
	}

	const code: number[] = [];
	for (const line of lines.filter(other => !other.endsWith(':'))) {
		const [name, label] = line.split(' ');
		if (name === 'work') {
			code.push(...Array.from({length: 10}, () => 0x90));
		} else if (label) {
			const opcode = name === 'if' ? [0x0F, 0x8C] : [0xE9];
			const distance = at[label] - (code.length + opcode.length + 4);
			code.push(...opcode, ...new Uint8Array(Int32Array.of(distance).buffer));
		} else {
			code.push(...(name === 'return' ? [0xC3] : [0xFF, 0xE0]));
		}
	}

	return {code: Uint8Array.from(code), at};
}

/** The labels that each loop has, the smallest loop first. */
function loops(text: string): string[] {
	const {code, at} = assemble(text);
	return loopsIn(code, x64.instructions).map(loop => Object.keys(at).filter(label => isInLoop(loop, at[label])).join(' '));
}

describe('loops of compiled code', () => {
	test.each([
		['straight code', 'a:\nwork\nif b\nwork\nb:\nreturn', []],
		['one within another', 'a:\nwork\nouter:\nwork\ninner:\nwork\nif inner\nb:\nwork\nif outer\nend:\nreturn', [
			'inner',
			'outer inner b',
		]],
		['the test at the end, entered by a jump', 'a:\ngoto test\nbody:\nwork\ntest:\nwork\nif body\nend:\nreturn', [
			'body test',
		]],
		[
			'a block behind the code that jumps back into the loop',
			'a:\nwork\nloop:\nwork\nif slow\nback:\nwork\nif loop\nend:\nwork\nreturn\nslow:\nwork\ngoto back',
			['loop back slow'],
		],
		[
			'two that begin with the same test',
			'a:\nwork\ntest:\nwork\nif sleep\nwork\npoll:\nwork\ngoto test\nsleep:\nwork\ngoto test',
			['test sleep', 'test poll'],
		],
		[
			'the entry behind the code, as of a loop that is entered in its middle',
			'a:\ngoto entry\nloop:\nwork\nif loop\nend:\nwork\nreturn\nentry:\nwork\ngoto loop',
			['loop'],
		],
		['code that is not reached from the entry', 'a:\nwork\nswitch\nhandler:\nwork\nif handler\nreturn', []],
	])('%s', (_, text, expected) => {
		expect(loops(text)).toEqual(expected);
	});

	test('any bytes end', () => {
		for (let seed = 0; seed < 300; seed++) {
			for (const loop of loopsIn(randomBytes(seed, 3000), x64.instructions)) {
				expect(loop.bytes).toBeLessThanOrEqual(3000);
			}
		}
	});

	test('thousands of jumps to everywhere end soon', () => {
		const jumps = Array.from(
			{length: 4000},
			(
				_,
				index,
			) => [
				0x0F,
				0x8C,
				...new Uint8Array(Int32Array.of((((index * 7919) % 4000) * 6) - ((index + 1) * 6)).buffer),
			],
		).flat();
		expect(loopsIn(Uint8Array.from(jumps), x64.instructions).length).toBeLessThanOrEqual(4000);
	});
});

describe('debug information of a place in a loop', () => {
	// A burst of counted loops without debug information of their own, then a call: as of "while (busy) count();
	// sleep();".
	const {code, at}
		= assemble('a:\nwork\nburst:\nwork\npoll:\nwork\ncount:\nwork\nif count\nmore:\nif burst\nend:\nwork\nsleep:\nwork\nreturn');
	const table = pcDescs([at.poll + 5, 100], [at.sleep + 5, 200]);
	const loops = () => loopsIn(code, x64.instructions);
	const near = (descs: Uint8Array, label: string) => scopeOffsetInLoop(descs, at[label] + 3, loops());

	test('is that of the loop around, not of the call behind it', () => {
		expect(['a', 'burst', 'count', 'more', 'end', 'sleep'].map(label => near(table, label))).toEqual([
			100,
			100,
			100,
			100,
			200,
			200,
		]);
	});

	test('so is that of a leaf call in it, which has none', () => {
		const after = (label: string) => scopeOffsetAfterCall(table, at[label], loops);
		expect(['poll', 'count', 'more', 'end'].map(label => after(label))).toEqual([100, 100, 100, 100]);
		expect(after('sleep')).toBe(200);
		expect(scopeOffsetAfterCall(table, at.poll + 5, () => [])).toBe(100);
	});

	test('is the next in the loop before the last in it', () => {
		const descs = pcDescs([at.burst + 5, 50], [at.more + 4, 100], [at.sleep + 5, 200]);
		expect(['burst', 'poll', 'count', 'end'].map(label => near(descs, label))).toEqual([50, 100, 100, 200]);
	});

	test('is the next one where no loop has any', () => {
		expect(['a', 'count', 'end'].map(label => near(pcDescs([at.sleep + 5, 200]), label))).toEqual([200, 200, 200]);
		expect(near(pcDescs(), 'count')).toBe(0);
	});

	test('entries without scope, of leaf calls, are passed over', () => {
		expect(near(pcDescs([at.poll + 5, 100], [at.more + 4, 0], [at.sleep + 5, 200]), 'count')).toBe(100);
	});
});
