import {closing} from '../../../jvm/system/proc.js';
import {wordAt} from '../target/memory.js';
import {type Reader} from '../target/memory-reader.js';
import {
	ElfFile, inSymbol, isDefined, mappingsOf, openMapped, symbolBytes, symbolName, symbolSection, word64,
} from '../target/elf.js';

/**
Functions that HotSpot exports for the JDK (jvm.h): Throwable.fillInStackTrace calls the one that records the stack of a
new exception, and Thread.start0 is the one that starts a thread.
*/
export const watchedFunctions = {exceptions: 'JVM_FillInStackTrace', starts: 'JVM_StartThread'} as const;

const watchedNames: ReadonlySet<string> = new Set(Object.values(watchedFunctions));

/**
Addresses in the target of HotSpot's symbols for the serviceability agent (vmStructs.hpp), and of `watchedFunctions`, by
name.
*/
export type Symbols = ReadonlyMap<string, number>;

/** Returns the relocated symbols of a process's libjvm.so. Throws an error with a message for the user. */
export function findSymbols(pid: number): Symbols {
	const mapping = mappingsOf(pid).find(({path}) => path.endsWith('/libjvm.so'));
	if (!mapping) {
		throw new Error('no libjvm.so is loaded in this process');
	}

	return closing(openMapped(pid, mapping), fd => {
		const elf = new ElfFile(fd);
		const address = elf.addressOf(mapping.fileOffset);
		if (address === undefined) {
			throw new Error('libjvm.so is not mapped the way its headers say');
		}

		/** From addresses in the file to those in the process. */
		const bias = mapping.start - address;
		const symbols = new Map<string, number>();
		const table = elf.symbolTable(symbolSection.dynamic);
		if (!table) {
			return symbols;
		}

		for (let at = 0; at + symbolBytes <= table.symbols.length; at += symbolBytes) {
			const name = isDefined(table, at) ? symbolName(table, at) : '';
			if (name.startsWith('gHotSpot') || watchedNames.has(name)) {
				symbols.set(name, word64(table.symbols, at + inSymbol.address) + bias);
			}
		}

		return symbols;
	});
}

/** A row of gHotSpotVMStructs. `offset`: of an instance field, bytes; `address`: of a static. */
type StructRow = {readonly isStatic: boolean; readonly offset: number; readonly address: number; readonly type: string};

/** The tables for the serviceability agent (vmStructs.hpp): fields by "Type.field", sizes in bytes, constants. */
export type VmStructs = {
	readonly fields: ReadonlyMap<string, StructRow>;
	readonly sizes: ReadonlyMap<string, number>;
	readonly constants: ReadonlyMap<string, number>;
};

/** Maximum rows of a table; known ones have about 1,000. */
const rowLimit = 20_000;

/** Maximum bytes of a row; known ones have at most 48. */
const strideLimit = 256;

/** Reads all tables. Throws `Unreadable`, or an error naming the symbol that this libjvm lacks. */
export function readVmStructs(reader: Reader, symbols: Symbols): VmStructs {
	return reader.withPages(() => readTables(reader, symbols));
}

function readTables(reader: Reader, symbols: Symbols): VmStructs {
	const variable = (name: string) => {
		const address = symbols.get(name);
		if (address === undefined) {
			throw new Error(`libjvm.so has no symbol ${name}`);
		}

		return reader.word(address);
	};

	const text = (row: DataView, offset: number) => reader.cString(wordAt(row, offset));
	const fields = new Map<string, StructRow>();
	const entry = (name: string) => variable(`gHotSpotVMStructEntry${name}`);
	const at = {
		type: entry('TypeNameOffset'), field: entry('FieldNameOffset'), typeString: entry('TypeStringOffset'),
		isStatic: entry('IsStaticOffset'), offset: entry('OffsetOffset'), address: entry('AddressOffset'),
	};
	for (const row of rows(reader, variable('gHotSpotVMStructs'), entry('ArrayStride'), Object.values(at))) {
		fields.set(`${text(row, at.type)}.${text(row, at.field)}`, {
			isStatic: row.getInt32(at.isStatic, true) !== 0,
			offset: wordAt(row, at.offset), address: wordAt(row, at.address), type: text(row, at.typeString),
		});
	}

	const sizes = new Map<string, number>();
	const typeName = variable('gHotSpotVMTypeEntryTypeNameOffset');
	const size = variable('gHotSpotVMTypeEntrySizeOffset');
	const types = variable('gHotSpotVMTypes');
	const typeStride = variable('gHotSpotVMTypeEntryArrayStride');
	for (const row of rows(reader, types, typeStride, [typeName, size])) {
		sizes.set(text(row, typeName), wordAt(row, size));
	}

	const constants = new Map<string, number>();
	for (const kind of ['Int', 'Long']) {
		const name = variable(`gHotSpotVM${kind}ConstantEntryNameOffset`);
		const value = variable(`gHotSpotVM${kind}ConstantEntryValueOffset`);
		const table = variable(`gHotSpotVM${kind}Constants`);
		const stride = variable(`gHotSpotVM${kind}ConstantEntryArrayStride`);
		for (const row of rows(reader, table, stride, [name, value])) {
			constants.set(
				text(row, name),
				kind === 'Int' ? row.getInt32(value, true) : Number(row.getBigInt64(value, true)),
			);
		}
	}

	return {fields, sizes, constants};
}

/** Generates a table's rows, read in blocks, up to the row whose name (the first of `offsets`) is null. */
function * rows(reader: Reader, start: number, stride: number, offsets: readonly number[]): Generator<DataView> {
	if (!(stride > 0 && stride <= strideLimit && Math.max(...offsets) + 8 <= stride)) {
		throw new Error('the tables of this libjvm.so have rows in an unknown format');
	}

	const blockRows = 64;
	const block = new Uint8Array(stride * blockRows);
	for (let index = 0; index < rowLimit; index += blockRows) {
		// The read may be short: the table may end where the mapping ends.
		const got = reader.memory.read(start + (index * stride), block, 0, block.length);
		for (let offset = 0; offset < block.length; offset += stride) {
			if (offset + stride > got) {
				throw new Error('the tables of this libjvm.so cannot be read');
			}

			const row = new DataView(block.buffer, offset, stride);
			if (wordAt(row, offsets[0]) === 0) {
				return;
			}

			yield row;
		}
	}

	throw new Error('the tables of this libjvm.so have no end');
}
