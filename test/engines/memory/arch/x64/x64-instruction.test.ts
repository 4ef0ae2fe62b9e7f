import {execFileSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import {expect, test} from 'vitest';
import {decodeInstruction} from '../../../../../source/engines/memory/arch/x64/x64-instruction.js';
import {jdk} from '../../../../helpers/jvm.js';
import {randomBytes} from '../../../../helpers/random.js';

const bytes = (hex: string) => Uint8Array.from(hex.split(' ').map(byte => Number.parseInt(byte, 16)));

test('lengths: prefixes, operands, displacements, immediates, vectors', () => {
	const instructions = `
		90, c3, 55, 48 89 6c 24 10, 48 81 ec 20 00 00 00, 66 0f 1f 84 00 00 00 00 00, 48 b8 01 02 03 04 05 06 07 08, 66 b8 01 02, f6 c1 01, f6 d1, f7 c1 01 00 00 00,
		85 05 00 00 00 00, 41 85 03, 49 3b a7 28 03 00 00, 0f b6 c0, 0f ba e0 07, c5 f8 77, c5 fb 10 44 24 08, c4 e3 7d 39 c0 01, 62 f1 7c 48 10 44 24 01, e8 00 00 00 00, f0 4c 0f b1 11,
		0f 38 f0 00, 66 0f 3a 0f c0 08, ff 24 25 00 00 00 00,
	`.split(',').map(hex => hex.trim()).filter(Boolean);
	expect(instructions.map(hex => decodeInstruction(bytes(hex), 0)?.length))
		.toEqual(instructions.map(hex => hex.split(' ').length));
});

test('jumps, forward and back; calls are none', () => {
	expect(['7c 10', '7c f0', 'eb fe', 'e9 00 ff ff ff', '0f 8c f0 ff ff ff', 'e3 05', 'e8 00 00 00 00'].map(hex =>
		decodeInstruction(bytes(hex), 0)?.jump)).toEqual([16, -16, -2, -256, -16, 5, undefined]);
});

test('any bytes: a length of 1 to 15 within them, or none', () => {
	const wrong: string[] = [];
	for (let seed = 0; seed < 2000; seed++) {
		const code = randomBytes(seed, 20);
		for (let at = 0; at <= 20; at++) {
			const length = decodeInstruction(code, at)?.length ?? 1;
			if (!(length > 0 && length <= Math.min(15, Math.max(1, 20 - at)))) {
				wrong.push(`seed ${seed} at ${at}: ${length}`);
			}
		}
	}

	expect(wrong).toEqual([]);
});

/** Real code: libraries of the JDK, and what a running program has loaded, written by compilers and by hand. */
const libraries = [
	...['server/libjvm.so', 'libzip.so', 'libnio.so'].map(name =>
		path.join(jdk(release => release > 8).home, 'lib', name)),
	...new Set([...readFileSync('/proc/self/maps', 'latin1').matchAll(/ (\/\S+\/lib[cm]\.so\.6)$/gm)].map(([, file]) =>
		file)),
];

test.runIf(process.arch === 'x64').each(libraries)('%s: instructions are as long as objdump has them', file => {
	const [, size, address, offset] = /^ +\d+ \.text +([\da-f]+) +([\da-f]+) +[\da-f]+ +([\da-f]+)/m
		.exec(execFileSync('objdump', ['-h', file], {encoding: 'latin1'}))!.map(field => Number.parseInt(field, 16));
	const length = Math.min(size, 1 << 19);
	const code = readFileSync(file).subarray(offset, offset + length);
	const listing = execFileSync('objdump', [
		'-d',
		'-j',
		'.text',
		'--no-show-raw-insn',
		`--stop-address=${address + length}`,
		file,
	], {encoding: 'latin1', maxBuffer: 1 << 28});
	const starts = [...listing.matchAll(/^ +([\da-f]+):\t(?!.*\(bad\))/gm)].map(([, start]) =>
		Number.parseInt(start, 16) - address);
	expect(starts.length).toBeGreaterThan(1000);
	// The last one is cut; what objdump has as one with the wait before it (9B) are two.
	const wrong = starts.slice(0, -2).filter((start, index) =>
		code[start] !== 0x9B && starts[index + 1] - start <= 15
		&& decodeInstruction(code, start)?.length !== starts[index + 1] - start);
	expect(wrong.map(start => Buffer.from(code.subarray(start, start + 12)).toString('hex'))).toEqual([]);
});
