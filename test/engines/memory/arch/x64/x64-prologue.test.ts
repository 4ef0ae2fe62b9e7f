import {expect, test} from 'vitest';
import {decodeEpilogue, decodePrologue} from '../../../../../source/engines/memory/arch/x64/x64-prologue.js';
import {randomBytes} from '../../../../helpers/random.js';

const hex = (text: string) => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

/** mov [rsp - 0x14000], eax; push rbp; sub rsp, 0x30 */
const pushing = hex('89 84 24 00 c0 fe ff 55 48 83 ec 30');

/** sub rsp, 0x118; mov [rsp + 0x110], rbp */
const storing = hex('48 81 ec 18 01 00 00 48 89 ac 24 10 01 00 00');

/** No frame, and one of this many bytes that has the caller's frame pointer. */
const gone = {depth: 0, isFpSaved: false};
const saved = (depth: number) => ({depth, isFpSaved: true});

test('a frame that is pushed', () => {
	expect([0, 7, 8, 12].map(offset => decodePrologue(pushing, offset))).toEqual([gone, gone, saved(8), saved(56)]);
});

test('a frame that is allocated before the frame pointer is saved', () => {
	expect([0, 7, 15].map(offset => decodePrologue(storing, offset))).toEqual([
		gone,
		{depth: 280, isFpSaved: false},
		saved(280),
	]);
});

test('offsets inside an instruction, and instructions that no prologue has', () => {
	expect(decodePrologue(pushing, 3)).toBeUndefined();
	expect(decodePrologue(hex('55 e8 00 00 00 00 55'), 7)).toBeUndefined();
	expect(decodePrologue(hex('c3 55'), 2)).toBeUndefined();
	expect(decodePrologue(pushing, 50)).toBeUndefined();
});

test('the ends of methods: poll and return, by JDK', () => {
	expect(decodeEpilogue(hex('c3'))).toEqual(gone);
	expect(decodeEpilogue(hex('5d c3'))).toEqual(saved(8));
	expect(decodeEpilogue(hex('85 05 12 34 56 00 c3'))).toEqual(gone); // 8
	expect(decodeEpilogue(hex('4d 8b 97 28 01 00 00 41 85 02 c3'))).toEqual(gone); // 11
	expect(decodeEpilogue(hex('5d 49 3b a7 48 03 00 00 0f 87 01 00 00 00 c3'))).toEqual(saved(8)); // 17
});

test('code that goes on is no end', () => {
	expect(decodeEpilogue(hex('48 83 c4 30 5d c3'))).toBeUndefined();
	expect(decodeEpilogue(hex('5d 5d c3'))).toBeUndefined();
	expect(decodeEpilogue(hex('90 90 90 90 90 90 90 c3'))).toBeUndefined();
	expect(decodeEpilogue(new Uint8Array())).toBeUndefined();
});

test('any bytes end', () => {
	for (let seed = 0; seed < 500; seed++) {
		const code = randomBytes(seed, 64);
		const depth = decodePrologue(code, seed % 64)?.depth ?? 0;
		expect(depth).toBeGreaterThanOrEqual(0);
		decodeEpilogue(code);
	}
});
