import {readFileSync} from 'node:fs';
import {openFile, openFileBelowRoot} from '../../../jvm/system/below-root.js';
import {attempt, closing} from '../../../jvm/system/proc.js';
import {kernelClass, nativeCodeLine, type Interner} from '../../../model/frame.js';
import {bounded, getOrCreateUpTo} from '../../../util/get-or-create.js';
import {printable} from '../../../util/printable.js';
import {
	ElfFile,
	inSymbol,
	isDefined,
	mappingAt,
	mappingsOf,
	openMapped,
	symbolBytes,
	symbolName,
	symbolSection,
	type Mapping,
	type SymbolTable,
	word64,
} from './elf.js';
import {type Memory, isAddress, wordAt} from './memory.js';
import {ownArchitecture} from './own-architecture.js';

/** How often the mappings may be read again for an address that is in none of them. */
const readMapsEveryMs = 5000;

/** Bounds on cached addresses, on names that get frames, and on the bytes of symbol tables. */
const cachedAddressLimit = 10_000;
const nameLimit = 10_000;
const tableBytesLimit = 64 << 20;

/** Where distributions put the symbols that they take out of libraries. */
const debugFolder = '/usr/lib/debug';

const maxNameLength = 200;

/** STT_FUNC, the lowest four bits of a symbol's info. */
const functionType = 2;

/** Symbols read of a table. A symbol's sort key is its address times this, plus its index: exact below 2^53. */
const symbolLimit = 2 ** 20;
const symbolAddressLimit = 2 ** 32;

/** The functions of an ELF file, by address. */
class Functions {
	/** Memory that the tables take. */
	readonly bytes: number;
	readonly #table: SymbolTable;
	readonly #sorted: Float64Array;

	constructor(table: SymbolTable) {
		this.#table = table;
		const {symbols, strings} = table;
		const keys: number[] = [];
		for (let index = 0; index < symbolLimit && (index + 1) * symbolBytes <= symbols.length; index++) {
			const at = index * symbolBytes;
			const address = word64(symbols, at + inSymbol.address);
			if (
				(symbols[at + inSymbol.info] & 15) === functionType && isDefined(table, at)
				&& address < symbolAddressLimit
			) {
				keys.push((address * symbolLimit) + index);
			}
		}

		this.#sorted = Float64Array.from(keys).sort();
		this.bytes = symbols.length + strings.length + (8 * keys.length);
	}

	/** Returns the function at an address, under the shortest of its names; empty if unknown. */
	nameAt(address: number): string {
		let [low, high] = [0, this.#sorted.length];
		while (low < high) {
			const middle = (low + high) >> 1;
			[low, high] = Math.floor(this.#sorted[middle] / symbolLimit) <= address
				? [middle + 1, high]
				: [low, middle];
		}

		let name = '';
		const start = Math.floor(this.#sorted[low - 1] / symbolLimit);
		for (let index = low - 1; index >= 0 && Math.floor(this.#sorted[index] / symbolLimit) === start; index--) {
			const at = (this.#sorted[index] % symbolLimit) * symbolBytes;
			const other = address < start + word64(this.#table.symbols, at + inSymbol.size)
				? symbolName(this.#table, at)
				: '';
			name = name === '' || (other !== '' && other.length < name.length) ? other : name;
		}

		return name.length > maxNameLength ? '' : demangled(name);
	}
}

function functionsOf(elf: ElfFile, type: number): Functions | undefined {
	return attempt(() => {
		const table = elf.symbolTable(type);
		return table && new Functions(table);
	}, undefined);
}

type Library = {readonly elf: ElfFile; readonly functions: Functions | undefined};

function withElf<T>(open: () => number, read: (elf: ElfFile) => T): T | undefined {
	return attempt(() => closing(open(), fd => read(new ElfFile(fd))), undefined);
}

/** Returns the source's name of a C++ function without templates (Itanium C++ ABI, 5.1); other names as they are. */
function demangled(name: string): string {
	const parts: string[] = [];
	let rest = /^_ZNK?(\d.*)$/.exec(name)?.[1] ?? /^_Z(\d.*)$/.exec(name)?.[1] ?? '';
	for (let digits = /^\d{1,3}/.exec(rest)?.[0]; digits !== undefined; digits = /^\d{1,3}/.exec(rest)?.[0]) {
		const end = digits.length + Number(digits);
		parts.push(rest.slice(digits.length, end));
		rest = rest.slice(end);
	}

	// I: template arguments follow.
	return parts.length === 0 || rest.startsWith('I') ? name : parts.join('::');
}

/** Finds library and function of code outside the code cache, from mappings and symbols, as frames. */
export class NativeCode {
	readonly #pid: number;
	readonly #interner: Interner;
	readonly #memory: Memory;
	#mappings: readonly Mapping[] = [];
	/** When the mappings were last read. */
	#readAtMs = Number.NEGATIVE_INFINITY;
	/** By inode and path; undefined if the symbols cannot be read, or there is no room for them. */
	readonly #libraries = new Map<string, Library | undefined>();
	#tableBytes = 0;
	readonly #frameByAddress = new Map<number, number>();
	readonly #frameByName = new Map<string, number>();

	constructor(pid: number, memory: Memory, interner: Interner) {
		this.#pid = pid;
		this.#memory = memory;
		this.#interner = interner;
	}

	/** Returns the frame of an address; undefined if it is in no file's code. */
	frameAt(pc: number): number | undefined {
		const cachedFrame = this.#frameByAddress.get(pc);
		if (cachedFrame !== undefined) {
			return cachedFrame;
		}

		const mapping = this.#mappingAt(pc);
		if (!mapping) {
			return undefined;
		}

		const library = this.#libraryOf(mapping);
		const address = library?.elf.addressOf(pc - mapping.start + mapping.fileOffset);
		const frame = this.#frameOf(
			mapping.path,
			address === undefined ? '' : library?.functions?.nameAt(address) ?? '',
		);
		bounded(this.#frameByAddress, cachedAddressLimit).set(pc, frame);
		return frame;
	}

	/** Returns the frame for time in the kernel, entered from an address: the system call, if the code there tells. */
	kernelFrame(pc: number): number {
		const {systemCallBytes} = ownArchitecture;
		const code = new Uint8Array(systemCallBytes);
		return this.#frameOf(
			kernelClass,
			this.#memory.read(pc - systemCallBytes, code, 0, systemCallBytes) === systemCallBytes
				? ownArchitecture.systemCallIn(code)
				: '',
		);
	}

	#mappingAt(pc: number): Mapping | undefined {
		const nowMs = performance.now();
		const mapping = mappingAt(this.#mappings, pc);
		if (mapping !== undefined || nowMs - this.#readAtMs < readMapsEveryMs) {
			return mapping;
		}

		this.#readAtMs = nowMs;
		this.#frameByAddress.clear();
		this.#mappings = attempt(() => mappingsOf(this.#pid), []).filter(({isCode, path}) => isCode && path !== '');
		return mappingAt(this.#mappings, pc);
	}

	#libraryOf(mapping: Mapping): Library | undefined {
		const key = `${mapping.inode} ${mapping.path}`;
		if (!this.#libraries.has(key)) {
			this.#libraries.set(key, this.#readLibrary(mapping));
		}

		return this.#libraries.get(key);
	}

	#readLibrary(mapping: Mapping): Library | undefined {
		if (!mapping.path.startsWith('/') || this.#tableBytes > tableBytesLimit) {
			return undefined;
		}

		return withElf(() => openMapped(this.#pid, mapping), elf => {
			const functions = functionsOf(elf, symbolSection.all) ?? this.#separateFunctions(elf, mapping.path)
				?? functionsOf(elf, symbolSection.dynamic);
			this.#tableBytes += functions?.bytes ?? 0;
			return {elf, functions};
		});
	}

	/**
	Returns the functions in a library's debug file, sought where gdb does, in the target's file system and ours. None
	without a build id, by which the file is recognized.
	*/
	#separateFunctions(elf: ElfFile, path: string): Functions | undefined {
		const [id, link, folder] = [elf.buildId(), elf.debugLink(), path.slice(0, path.lastIndexOf('/') + 1)];
		const linked = /^[^/]+$/.test(link)
			? [`${folder}${link}`, `${folder}.debug/${link}`, `${debugFolder}${folder}${link}`]
			: [];
		const files = id.length > 2
			? [`${debugFolder}/.build-id/${id.slice(0, 2)}/${id.slice(2)}.debug`, ...linked]
			: [];
		for (const open of files.flatMap(file => [() => openFileBelowRoot(this.#pid, file), () => openFile(file)])) {
			const functions = withElf(
				open,
				debug => debug.buildId() === id ? functionsOf(debug, symbolSection.all) : undefined,
			);
			if (functions) {
				return functions;
			}
		}

		return undefined;
	}

	#frameOf(path: string, name: string): number {
		return getOrCreateUpTo(this.#frameByName, `${path}!${name}`, nameLimit, isFull => {
			const [classId, methodId, fileId] = [baseName(path), isFull ? '' : name, path].map(text =>
				this.#interner.internString(text));
			return this.#interner.internFrame(classId, methodId, fileId, nativeCodeLine);
		});
	}
}

function baseName(path: string): string {
	return path.slice(path.lastIndexOf('/') + 1);
}

/** Bytes searched at a stack's base, where the C library keeps the thread's start function. */
const searchedBytes = 1 << 14;

/** Libraries that start threads on behalf of others. */
const starterLibraries = /^(?:ld|libc|libpthread|libstdc\+\+|libgcc_s)[-.]/;

/**
Returns the library of a thread's start function, guessed from the words at its stack's base; undefined if unknown.
`sp`: a stack pointer that the thread had; by default the kernel's, known while the thread waits.
*/
export function libraryOfThread(
	pid: number,
	tid: number,
	memory: Memory,
	sp = waitingSp(pid, tid),
): string | undefined {
	if (sp === undefined || !isAddress(sp)) {
		return undefined;
	}

	const mappings = attempt(() => mappingsOf(pid), []);
	const stack = mappingAt(mappings, sp);
	const code = mappings.filter(({isCode, path}) => isCode && path.startsWith('/'));
	const bytes = new Uint8Array(searchedBytes);
	const from = stack ? Math.max(stack.start, stack.end - searchedBytes) : 0;
	const length = stack ? memory.read(from, bytes, 0, stack.end - from) : 0;
	const view = new DataView(bytes.buffer);
	for (let at = length - 8; at >= 0; at -= 8) {
		const word = wordAt(view, at);
		const library = baseName((isAddress(word) ? mappingAt(code, word)?.path : undefined) ?? '');
		if (library !== '' && !starterLibraries.test(library)) {
			return printable(library);
		}
	}

	return undefined;
}

/** Returns the stack pointer of a thread that waits in the kernel (proc(5), syscall); undefined if it is running. */
function waitingSp(pid: number, tid: number): number | undefined {
	const word = attempt(() => readFileSync(`/proc/${pid}/task/${tid}/syscall`, 'latin1'), '').trim().split(' ').at(-2);
	return word?.startsWith('0x') ? Number(word) : undefined;
}
