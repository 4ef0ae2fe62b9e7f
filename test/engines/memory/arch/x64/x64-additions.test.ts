import {expect, test} from 'vitest';
import {additions} from '../../../../../source/engines/memory/arch/x64/x64-additions.js';
import {pick, seeded} from '../../../../helpers/random.js';

const {addedBy, codeBytes} = additions;

const address = 0x7F_00_12_34_56_78;

/** The registers, each with a value that tells its number, but for the base and the source of an addition. */
function registers(base: number, at: number, source: number, added: number): number[] {
	const general = Array.from({length: 16}, (_, index) => 1000 + index);
	general[source] = added;
	general[base] = at;
	return general;
}

/** Code of Debian's libjvm.so of JDK 17 and 25, and of the same with other registers; the offset from the base. */
test.each([
	['add %rax, 0x78(%rbx)', '48014378', {base: 3, offset: 0x78, source: 0}],
	['add %rax, 0x178(%rdx)', '48018278010000', {base: 2, offset: 0x1_78, source: 0}],
	['add %rdx, 0x230(%rdi)', '48019730020000', {base: 7, offset: 0x2_30, source: 2}],
	['add %rdx, 0x230(%rcx)', '48019130020000', {base: 1, offset: 0x2_30, source: 2}],
	['add %r13, 0x230(%r12)', '4d01ac2430020000', {base: 12, offset: 0x2_30, source: 13}],
	['add %r8, -0x10(%r9)', '4d0141f0', {base: 9, offset: -0x10, source: 8}],
	['add %rcx, (%rbx)', '48010b', {base: 3, offset: 0, source: 1}],
])('reads what has been added: %s', (_, hex, {base, offset, source}) => {
	const instruction = Buffer.from(hex, 'hex');
	const code = Buffer.concat([Buffer.alloc(codeBytes, 0x90), instruction]).subarray(-codeBytes);
	expect(addedBy(code, registers(base, address - offset, source, 1_048_576), address)).toBe(1_048_576);
	// The same code has written another word.
	expect(addedBy(code, registers(base, address + 8 - offset, source, 1_048_576), address)).toBeUndefined();
});

test('reads nothing from other code', () => {
	const random = seeded(7);
	for (let times = 0; times < 20_000; times++) {
		const code = Uint8Array.from({length: codeBytes}, () => pick(random, 256));
		const general = Array.from({length: 16}, () => pick(random, 2 ** 47));
		expect(addedBy(code, general, address)).toBeUndefined();
	}

	// A mov writes the sum, not what has been added.
	const mov = Buffer.from('9048898730020000', 'hex');
	expect(addedBy(mov, registers(7, address - 0x2_30, 0, 5), address)).toBeUndefined();
});
