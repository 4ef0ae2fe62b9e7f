import {closeSync, fstatSync, readFileSync} from 'node:fs';
import {openFile, openFileBelowRoot} from '../../../jvm/system/below-root.js';
import {readElf} from './elf.js';

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
