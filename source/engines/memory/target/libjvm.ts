import {closeSync, fstatSync, readFileSync, readSync} from 'node:fs';
import {openFile, openFileBelowRoot} from '../../../jvm/system/below-root.js';
import {wordOf} from './word.js';

/**
Addresses in the target of HotSpot's symbols for its own tables (vmStructs.hpp, exported for the serviceability agent).
*/
export type Symbols = ReadonlyMap<string, number>;

const mapLine = /^([\da-f]+)-([\da-f]+) \S+ ([\da-f]+) (\S+) (\d+) +(.*\/libjvm\.so(?: \(deleted\))?)$/m;

/** Finds libjvm.so in a process's maps and returns its table symbols, relocated; throws a plain message otherwise. */
export function findSymbols(pid: number): Symbols {
	const line = mapLine.exec(readFileSync(`/proc/${pid}/maps`, 'latin1'));
	if (!line) {
		throw new Error('no libjvm.so is loaded in this process');
	}

	const [, start, end, offset, , inode, path] = line;
	const fd = openLibrary(pid, path, Number(inode), `${start}-${end}`);
	try {
		const elf = readElf(fd, name => name.startsWith('gHotSpot'));
		const fileOffset = Number.parseInt(offset, 16);
		const load = elf.loads.find(({fileOffset: from, fileSize}) => fileOffset >= pageStart(from) && fileOffset < from + fileSize);
		if (!load) {
			throw new Error('libjvm.so is not mapped the way its headers say');
		}

		const bias = Number.parseInt(start, 16) - (load.address + fileOffset - load.fileOffset);
		return new Map([...elf.symbols].map(([name, value]) => [name, value + bias]));
	} finally {
		closeSync(fd);
	}
}

/**
Opens the library as the target sees it; as we see it, if the target is in a chroot of our mounts; or, if deleted,
through its mapping (root only).
*/
function openLibrary(pid: number, path: string, inode: number, range: string): number {
	let problem: unknown;
	const plain = path.replace(/ \(deleted\)$/, '');
	for (const open of [() => openFileBelowRoot(pid, plain), () => openFile(plain), () => openFile(`/proc/${pid}/map_files/${range}`)]) {
		try {
			const fd = open();
			if (fstatSync(fd).ino === inode) {
				return fd;
			}

			closeSync(fd);
		} catch (error) {
			problem ??= error;
		}
	}

	throw new Error('cannot open the libjvm.so that this process runs', {cause: problem});
}

function pageStart(offset: number): number {
	return offset - (offset % 4096);
}

/** The load segments and the dynamic symbols of an ELF file; values are not relocated. */
type ElfFile = {
	readonly loads: ReadonlyArray<{readonly fileOffset: number; readonly address: number; readonly fileSize: number}>;
	/** Value of each defined dynamic symbol that `wanted` accepts. */
	readonly symbols: ReadonlyMap<string, number>;
};

/** Maximum size of a header, symbol or string table, bytes; those of libjvm are below 1 MB. */
const tableLimit = 1 << 26;

const elfMagic = 0x7F_45_4C_46;
const class64 = 2;
const littleEndian = 1;
const loadSegment = 1;
const dynsymSection = 11;

/** e_machine of x86-64. */
const machineX8664 = 62;

/**
Reads an open ELF-64 file (System V ABI, chapters 4 and 5). Throws a plain message if it is not one, or not for x86-64.
*/
function readElf(fd: number, wanted: (name: string) => boolean): ElfFile {
	const header = bytesAt(fd, 0, 64);
	if (header.readUInt32BE(0) !== elfMagic || header[4] !== class64 || header[5] !== littleEndian) {
		throw new Error('not a 64-bit ELF file');
	}

	if (header.readUInt16LE(18) !== machineX8664) {
		throw new Error('not built for x86-64');
	}

	const programHeaders = table(fd, offset64(header, 32), header.readUInt16LE(54), header.readUInt16LE(56));
	const loads = programHeaders
		.filter(entry => entry.readUInt32LE(0) === loadSegment)
		.map(entry => ({fileOffset: offset64(entry, 8), address: offset64(entry, 16), fileSize: offset64(entry, 32)}));
	const sections = table(fd, offset64(header, 40), header.readUInt16LE(58), header.readUInt16LE(60));
	const dynsym = sections.find(entry => entry.readUInt32LE(4) === dynsymSection);
	const strings = dynsym && sections[dynsym.readUInt32LE(40)];
	return {loads, symbols: dynsym && strings ? readSymbols(sectionBytes(fd, dynsym), sectionBytes(fd, strings), wanted) : new Map()};
}

function readSymbols(table: Buffer, strings: Buffer, wanted: (name: string) => boolean): Map<string, number> {
	const symbols = new Map<string, number>();
	const size = 24;
	for (let at = 0; at + size <= table.length; at += size) {
		const start = table.readUInt32LE(at);
		const end = strings.indexOf(0, start);
		if (end > start && table.readUInt16LE(at + 6) !== 0) {
			const name = strings.toString('latin1', start, end);
			if (wanted(name)) {
				symbols.set(name, offset64(table, at + 8));
			}
		}
	}

	return symbols;
}

function sectionBytes(fd: number, section: Buffer): Buffer {
	return bytesAt(fd, offset64(section, 24), offset64(section, 32));
}

function table(fd: number, offset: number, entrySize: number, count: number): Buffer[] {
	const bytes = bytesAt(fd, offset, entrySize * count);
	return entrySize < 56 ? [] : Array.from({length: count}, (_, index) => bytes.subarray(index * entrySize, (index + 1) * entrySize));
}

function bytesAt(fd: number, offset: number, length: number): Buffer {
	if (length > tableLimit || !Number.isSafeInteger(offset)) {
		throw new Error('not a valid ELF file');
	}

	const bytes = Buffer.alloc(length);
	if (readSync(fd, bytes, 0, length, offset) !== length) {
		throw new Error('the ELF file is truncated');
	}

	return bytes;
}

function offset64(bytes: Buffer, at: number): number {
	return wordOf(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4));
}
