import {execFileSync} from 'node:child_process';
import {closeSync, mkdirSync, openSync, readFileSync, renameSync, rmSync, writeFileSync, readdirSync} from 'node:fs';
import path from 'node:path';
import process from 'node:process';
import fc from 'fast-check';
import koffi from 'koffi';
import {expect, test} from 'vitest';
import {
	ElfFile,
	isDefined,
	mappingsOf,
	word64,
	symbolBytes,
	symbolName,
	symbolSection,
} from '../../../source/engines/memory/target/elf.js';
import {ProcessMemory, type Memory} from '../../../source/engines/memory/target/memory.js';
import {NativeCode, libraryOfThread} from '../../../source/engines/memory/target/native-code.js';
import {closedAfterTest, folderForTest} from '../../helpers/for-test.js';
import {Names} from '../observe.js';

/** Where the C library of this process has its code, and the addresses in it of functions that it exports. */
function ownLibrary() {
	const mappings = mappingsOf(process.pid).filter(({path: file}) => /\/(?:libc\.so|libc-|ld-musl)/.test(file));
	const code = mappings.find(({isCode}) => isCode)!;
	const fd = openSync(code.path, 'r');
	const elf = new ElfFile(fd);
	const table = elf.symbolTable(symbolSection.dynamic)!;
	closeSync(fd);
	const bias = code.start - elf.addressOf(code.fileOffset)!;
	const addresses = new Map<string, number>();
	for (let at = 0; at + symbolBytes <= table.symbols.length; at += symbolBytes) {
		if (isDefined(table, at)) {
			addresses.set(symbolName(table, at), bias + word64(table.symbols, at + 8));
		}
	}

	return {code, addresses};
}

test('code has the name of the function that it is in, its library\'s, or none', () => {
	const memory = closedAfterTest(new ProcessMemory(process.pid));
	const {code, addresses} = ownLibrary();
	const names = new Names();
	const native = new NativeCode(process.pid, memory, names);
	const frameAt = (pc: number) => names.frames[native.frameAt(pc) ?? 0];
	const file = path.basename(code.path);
	for (const name of ['getpid', 'qsort', 'puts']) {
		expect(frameAt(addresses.get(name)!)).toBe(`${file}.${name}:-3`);
		expect(frameAt(addresses.get(name)! + 2)).toBe(`${file}.${name}:-3`);
	}

	// Padding at the end of a library's code belongs to no function.
	expect(frameAt(code.end - 1)).toBe(`${file}.:-3`);
	expect([0, 1, 4096, 2 ** 46, 2 ** 60, Number.NaN].map(pc => native.frameAt(pc)))
		.toEqual(Array.from({length: 6}, () => undefined));
});

/**
Makes a library with the function `hidden` behind `exported`, which takes 16 bytes, and its debug file; both stripped of
what is the other's.
*/
function stripped(
	folder: string,
	name: string,
	filler = '.byte 0',
): {readonly library: string; readonly debug: string} {
	const [source, object, library, debug] = ['s', 'o', 'so', 'so.debug'].map(suffix =>
		path.join(folder, `${name}.${suffix}`));
	writeFileSync(
		source,
		`.text\n.balign 16\n.globl exported\n.type exported, @function\nexported: ret\n.balign 16, 0x90\n.size exported, 16\n.type hidden, @function\nhidden: nop\nret\n.balign 16, 0x90\n.size hidden, .-hidden\n.data\n${filler}\n`,
	);
	execFileSync('as', ['-o', object, source]);
	execFileSync('ld', ['-shared', '--build-id', '-o', library, object]);
	execFileSync('objcopy', ['--only-keep-debug', library, debug]);
	execFileSync('objcopy', ['--strip-unneeded', `--add-gnu-debuglink=${debug}`, library]);
	return {library, debug};
}

test('a library has the names in its debug file, if that is of the same build', () => {
	const folder = folderForTest();
	const memory = closedAfterTest(new ProcessMemory(process.pid));
	const {library, debug} = stripped(folder, 'library');
	const loaded = koffi.load(library);
	const hidden = Number(koffi.address(loaded.symbol('exported'))) + 17;
	const nameOfHidden = () => {
		const names = new Names();
		return names.frames[new NativeCode(process.pid, memory, names).frameAt(hidden)!];
	};

	expect(nameOfHidden()).toBe('library.so.hidden:-3');
	mkdirSync(path.join(folder, '.debug'));
	renameSync(debug, path.join(folder, '.debug/library.so.debug'));
	expect(nameOfHidden()).toBe('library.so.hidden:-3');
	renameSync(stripped(folder, 'other', '.byte 1').debug, path.join(folder, '.debug/library.so.debug'));
	expect(nameOfHidden()).toBe('library.so.:-3');
	rmSync(path.join(folder, '.debug'), {recursive: true});
	writeFileSync(debug, 'no ELF file');
	expect(nameOfHidden()).toBe('library.so.:-3');
	loaded.unload();
});

test.each([
	['b8 01 00 00 00 0f 05', 'write'],
	['00 00 00 31 c0 0f 05', 'read'],
	['b8 ca 00 00 00 0f 05', 'futex'],
	['b8 ff ff 00 00 0f 05', ''],
	['b8 01 00 00 00 90 90', ''],
	['00 00 00 00 00 0f 05', ''],
])('code before the return from the kernel, %s, calls "%s"', (hex, call) => {
	const memory: Memory = {
		read(_address, into) {
			into.set(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
			return 7;
		},
	};
	const names = new Names();
	expect(names.frames[new NativeCode(process.pid, memory, names).kernelFrame(4096)]).toBe(`[kernel].${call}:-3`);
});

test('any ELF file is read within its bounds or refused', () => {
	const file = path.join(folderForTest(), 'library.so');
	const library = readFileSync(ownLibrary().code.path);
	const sections = Number(library.readBigUInt64LE(40));
	const edit = fc.record({
		at: fc.oneof(fc.nat(63), fc.nat(2000), fc.nat(library.length - sections - 1).map(at => sections + at)),
		byte: fc.nat(255),
	});
	fc.assert(fc.property(fc.array(edit, {minLength: 1, maxLength: 20}), edits => {
		const bytes = Buffer.from(library);
		for (const {at, byte} of edits) {
			bytes[at] = byte;
		}

		writeFileSync(file, bytes);
		const fd = openSync(file, 'r');
		try {
			const elf = new ElfFile(fd);
			elf.addressOf(4096);
			expect(elf.buildId().length).toBeLessThanOrEqual(128);
			expect(elf.debugLink().length).toBeLessThan(library.length);
			const table = elf.symbolTable(symbolSection.dynamic);
			expect(table === undefined || symbolName(table, 0).length < library.length).toBe(true);
		} catch (error) {
			expect(error).toBeInstanceOf(Error);
			expect((error as Error).message).toMatch(/ELF|x86-64|out of range|outside buffer/);
		} finally {
			closeSync(fd);
		}
	}), {numRuns: 60});
});

test('a native thread belongs to the library whose function it began with, ours to node; what is no stack pointer, and a thread that is gone, to none', () => {
	const memory = closedAfterTest(new ProcessMemory(process.pid));
	const threads = readdirSync('/proc/self/task').map(Number).filter(tid => tid !== process.pid);
	const found = threads.map(tid => libraryOfThread(process.pid, tid, memory));
	expect(found).toContain('node');
	expect(new Set(found.filter(library => library !== undefined && library !== 'node')).size).toBeLessThan(3);
	expect(libraryOfThread(process.pid, 2 ** 22, memory)).toBeUndefined();
	for (const sp of [0, 1, 4096, 2 ** 46, 2 ** 60, Number.NaN]) {
		expect(libraryOfThread(process.pid, process.pid, memory, sp)).toBeUndefined();
	}
});
