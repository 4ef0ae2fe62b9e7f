import {closeSync, readFileSync} from 'node:fs';
import {
	ElfFile, isDefined, mappingsOf, offset64, openMapped, symbolBytes, symbolName, symbolSection,
} from './elf.js';

/** Addresses in the target of HotSpot's symbols for the serviceability agent (vmStructs.hpp), by name. */
export type Symbols = ReadonlyMap<string, number>;

/** Returns the relocated symbols of a process's libjvm.so. Throws an error with a message for the user. */
export function findSymbols(pid: number): Symbols {
	const mapping = mappingsOf(readFileSync(`/proc/${pid}/maps`, 'latin1')).find(({path}) => path.endsWith('/libjvm.so'));
	if (!mapping) {
		throw new Error('no libjvm.so is loaded in this process');
	}

	const fd = openMapped(pid, mapping);
	try {
		const elf = new ElfFile(fd);
		const address = elf.addressOf(mapping.fileOffset);
		if (address === undefined) {
			throw new Error('libjvm.so is not mapped the way its headers say');
		}

		const bias = mapping.start - address;
		const symbols = new Map<string, number>();
		const table = elf.symbolTable(symbolSection.dynamic);
		if (!table) {
			return symbols;
		}

		for (let at = 0; at + symbolBytes <= table.symbols.length; at += symbolBytes) {
			const name = isDefined(table, at) ? symbolName(table, at) : '';
			if (name.startsWith('gHotSpot')) {
				symbols.set(name, offset64(table.symbols, at + 8) + bias);
			}
		}

		return symbols;
	} finally {
		closeSync(fd);
	}
}
