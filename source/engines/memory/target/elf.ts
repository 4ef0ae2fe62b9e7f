import {closeSync, fstatSync, readFileSync, readSync} from 'node:fs';
import {openFile, openFileBelowRoot} from '../../../jvm/system/below-root.js';
import {systemPageBytes} from '../../../jvm/system/proc.js';
import {fromNames} from '../../../model/column-types.js';
import {wordOf} from './memory.js';
import {ownArchitecture} from './own-architecture.js';

/**
A mapping of a process, a line of /proc/PID/maps (proc(5)). `path`: empty for memory without a file; `range`: start and
end as text, the name of the mapping in /proc/PID/map_files.
*/
export type Mapping = {
	readonly start: number;
	readonly end: number;
	readonly isCode: boolean;
	readonly fileOffset: number;
	readonly inode: number;
	readonly path: string;
	readonly range: string;
};

const mapLine = /^(([\da-f]+)-([\da-f]+)) (\S+) ([\da-f]+) \S+ (\d+) *(.*)$/gm;

/** Returns the mappings of a process by address. Throws a system error. */
export function mappingsOf(pid: number): Mapping[] {
	return Array.from(
		readFileSync(`/proc/${pid}/maps`, 'latin1').matchAll(mapLine),
		([, range, start, end, rights, offset, inode, path]) => ({
			start: Number.parseInt(start, 16),
			end: Number.parseInt(end, 16),
			isCode: rights[2] === 'x',
			fileOffset: Number.parseInt(offset, 16),
			inode: Number(inode),
			path: path.replace(/ \(deleted\)$/, ''),
			range,
		}),
	);
}

export function mappingAt(mappings: readonly Mapping[], address: number): Mapping | undefined {
	return mappings.find(({start, end}) => address >= start && address < end);
}

/**
Opens a mapped file: by its path below the target's root; by its path here, since a target in a chroot has paths of our
root in its maps; or, if it was deleted, through its mapping (root only). Throws an error whose cause is the system's
error.
*/
export function openMapped(pid: number, {path, inode, range}: Mapping): number {
	let problem: unknown;
	const ways = [
		() => openFileBelowRoot(pid, path),
		() => openFile(path),
		() => openFile(`/proc/${pid}/map_files/${range}`),
	];
	for (const open of ways) {
		try {
			const fd = open();
			// Another file may be at the path by now.
			if (fstatSync(fd).ino === inode) {
				return fd;
			}

			closeSync(fd);
		} catch (error) {
			problem ??= error;
		}
	}

	throw new Error(`cannot open the ${path.slice(path.lastIndexOf('/') + 1)} that this process runs`, {
		cause: problem,
	});
}

/** The bytes of a symbol table, and the names that it refers to. */
export type SymbolTable = {readonly symbols: Buffer; readonly strings: Buffer};

/** Maximum size of a header, symbol or string table, bytes; those of libjvm are below 10 MB. */
const tableLimit = 1 << 25;

/** Byte offsets in the file's header, in program headers, section headers and symbols (elf(5)). */
const inHeader = {
	class: 4,
	data: 5,
	machine: 18,
	programHeaders: 32,
	sectionHeaders: 40,
	programHeaderSize: 54,
	programHeaderCount: 56,
	sectionHeaderSize: 58,
	sectionHeaderCount: 60,
	sectionNames: 62,
} as const;
const inProgramHeader = {type: 0, fileOffset: 8, address: 16, fileSize: 32} as const;
const inSectionHeader = {name: 0, type: 4, fileOffset: 24, size: 32, link: 40} as const;
export const inSymbol = {name: 0, info: 4, section: 6, address: 8, size: 16} as const;

/** Bytes of the file's header, of a program header (a section header has 64), and of a symbol. */
const headerBytes = 64;
const programHeaderBytes = 56;
export const symbolBytes = 24;

const elfMagic = 0x7F_45_4C_46;
const class64 = 2;
const littleEndian = 1;
const loadSegment = 1;

/** Section types of all symbols, and of those for dynamic linking. */
export const symbolSection = {all: 2, dynamic: 11} as const;

/** Linkers write build ids of 20 bytes. */
const maxBuildIdBytes = 64;

/** Load segments and symbols of an open ELF-64 file (System V ABI, chapters 4 and 5), as in the file: not relocated. */
export class ElfFile {
	readonly #fd: number;
	readonly #loads: ReadonlyArray<Readonly<Record<'fileOffset' | 'address' | 'fileSize', number>>>;
	readonly #sections: readonly Buffer[];
	readonly #sectionNames: number;

	/** Throws a plain message if it is not an ELF-64 file for our architecture. */
	constructor(fd: number) {
		this.#fd = fd;
		const header = bytesAt(fd, 0, headerBytes);
		if (
			header.readUInt32BE(0) !== elfMagic || header[inHeader.class] !== class64
			|| header[inHeader.data] !== littleEndian
		) {
			throw new Error('not a 64-bit ELF file');
		}

		if (header.readUInt16LE(inHeader.machine) !== ownArchitecture.elfMachine) {
			throw new Error(`not built for ${ownArchitecture.name}`);
		}

		this.#loads = table(
			fd,
			word64(header, inHeader.programHeaders),
			header.readUInt16LE(inHeader.programHeaderSize),
			header.readUInt16LE(inHeader.programHeaderCount),
		)
			.filter(entry => entry.readUInt32LE(inProgramHeader.type) === loadSegment)
			.map(entry =>
				fromNames(['fileOffset', 'address', 'fileSize'], name => word64(entry, inProgramHeader[name])));
		this.#sections = table(
			fd,
			word64(header, inHeader.sectionHeaders),
			header.readUInt16LE(inHeader.sectionHeaderSize),
			header.readUInt16LE(inHeader.sectionHeaderCount),
		);
		this.#sectionNames = header.readUInt16LE(inHeader.sectionNames);
	}

	/** Returns the address of a byte of the file, as in symbols; undefined if it is not loaded. */
	addressOf(fileOffset: number): number | undefined {
		// Whole pages are mapped.
		const pageBytes = systemPageBytes();
		const load = this.#loads.find(({fileOffset: from, fileSize}) =>
			fileOffset >= from - (from % pageBytes) && fileOffset < from + fileSize);
		return load && load.address + fileOffset - load.fileOffset;
	}

	/** Returns the first table of a type; undefined if there is none. Throws a plain message. */
	symbolTable(type: number): SymbolTable | undefined {
		const section = this.#sections.find(entry => entry.readUInt32LE(inSectionHeader.type) === type);
		const strings = section && this.#sections[section.readUInt32LE(inSectionHeader.link)];
		return section && strings
			&& {symbols: sectionBytes(this.#fd, section), strings: sectionBytes(this.#fd, strings)};
	}

	/** Returns the build id in hexadecimal; empty if there is none. Throws a plain message. */
	buildId(): string {
		const note = this.#contentOf('.note.gnu.build-id');
		// The id follows three words, the second of which is its length, and the name "GNU".
		return note.subarray(16, 16 + Math.min(note.length < 16 ? 0 : note.readUInt32LE(4), maxBuildIdBytes))
			.toString('hex');
	}

	/** Returns the debug file's name (objcopy --add-gnu-debuglink); empty if there is none. Throws a plain message. */
	debugLink(): string {
		const content = this.#contentOf('.gnu_debuglink');
		return content.toString('latin1', 0, Math.max(0, content.indexOf(0)));
	}

	#contentOf(name: string): Buffer {
		const strings = this.#sections[this.#sectionNames];
		const names = strings ? sectionBytes(this.#fd, strings) : Buffer.alloc(0);
		const section = this.#sections.find(entry =>
			names.subarray(entry.readUInt32LE(inSectionHeader.name)).toString('latin1', 0, name.length + 1)
			=== `${name}\0`);
		return section ? sectionBytes(this.#fd, section) : Buffer.alloc(0);
	}
}

/** Returns the name of the symbol at an offset of its table; empty if it has none. */
export function symbolName({symbols, strings}: SymbolTable, at: number): string {
	const start = symbols.readUInt32LE(at + inSymbol.name);
	const end = strings.indexOf(0, start);
	return end > start ? strings.toString('latin1', start, end) : '';
}

/** Whether the symbol is defined in its file. */
export function isDefined({symbols}: SymbolTable, at: number): boolean {
	return symbols.readUInt16LE(at + inSymbol.section) !== 0;
}

/** Reads a 64-bit word, exact below 2^53. */
export function word64(bytes: Buffer, at: number): number {
	return wordOf(bytes.readUInt32LE(at), bytes.readUInt32LE(at + 4));
}

function sectionBytes(fd: number, section: Buffer): Buffer {
	return bytesAt(fd, word64(section, inSectionHeader.fileOffset), word64(section, inSectionHeader.size));
}

/** Returns the entries of a table of headers; none if they are shorter than a program header, the shorter kind. */
function table(fd: number, offset: number, entrySize: number, count: number): Buffer[] {
	const bytes = bytesAt(fd, offset, entrySize * count);
	return entrySize < programHeaderBytes
		? []
		: Array.from({length: count}, (_, index) => bytes.subarray(index * entrySize, (index + 1) * entrySize));
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
