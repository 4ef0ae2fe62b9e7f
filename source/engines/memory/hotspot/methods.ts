import {nativeLine, otherFrame, unknownLine, type Interner} from '../../../model/frame.js';
import {normalClassName} from '../../../model/class-name.js';
import {getOrCreate} from '../../../util/get-or-create.js';
import {decodeModifiedUtf8} from '../../../util/printable.js';
import {decodeLineTable, lineAt, type LineTable} from '../decode/compressed.js';
import {isAligned} from '../target/memory.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {Ranges} from '../target/ranges.js';
import {callsAnything, callsNothing, calledBy} from './call-site.js';
import {has} from './layout.js';
import {type Vm} from './vm.js';

/** JVM_ACC_NATIVE (JVMS table 4.6-A). */
const accessNative = 0x01_00;

/** Bit of ConstMethodFlags for a line number table, the same on all JDKs. */
const flagLineTable = 1;

/** Maximum length of a method, bytes of code (JVMS 4.7.3). */
const codeSizeLimit = 65_535;

/** Maximum length of a Symbol, bytes (symbol.hpp: max_symbol_length). */
const symbolLimit = 65_535;

/** Bytes at the start of a ConstMethod, up to its name's index, that identify it. */
const identityBytes = 48;

/** Maximum methods cached, beyond which the cache is emptied; a large application runs some 50,000. */
const methodLimit = 100_000;

/** `holder`: the address of its class. */
type MethodName = {readonly className: string; readonly name: string; readonly holder: number};

/** A decoded Java method of the target. */
export class Method {
	readonly names: MethodName;
	readonly address: number;
	readonly constMethod: number;
	/** Where its bytecodes start and end. */
	readonly codeStart: number;
	readonly codeEnd: number;
	readonly isNative: boolean;
	/** It is Continuation.enterSpecial, through which a carrier runs a virtual thread (21 and later). */
	readonly isEnterSpecial: boolean;
	/** Number of the sample in which it was last found unchanged. */
	validatedInSample = 0;
	/** The start of the ConstMethod, as 32-bit words. */
	readonly #identity: Uint32Array;
	readonly #pool: number;
	readonly #vm: Vm;
	readonly #interner: Interner;
	/** It has a line number table. */
	readonly #hasLines: boolean;
	/** String ids of class, name and source file. */
	readonly #ids: readonly [number, number, number];
	readonly #nameByFrame: Map<number, MethodName>;
	readonly #frameByBci = new Map<number, number>();
	readonly #calledByBci = new Map<number, string>();
	#lines?: LineTable;

	/** Decodes the Method at an address; throws `Unreadable` if there is none. Adds its frames to `nameByFrame`. */
	constructor(vm: Vm, interner: Interner, address: number, nameByFrame: Map<number, MethodName>) {
		if (!isAligned(address)) {
			fail();
		}

		const {reader, layout: {fields, sizes}} = vm;
		this.#vm = vm;
		this.address = address;
		this.#interner = interner;
		this.#nameByFrame = nameByFrame;
		const constMethod = reader.pointer(address + fields.methodConst);
		this.constMethod = constMethod;
		this.#identity = new Uint32Array(reader.bytes(constMethod, identityBytes).buffer);
		this.isNative = (reader.u16(address + fields.methodAccess) & accessNative) !== 0;
		const codeSize = reader.u16(constMethod + fields.constCodeSize);
		this.codeStart = constMethod + sizes.constMethod;
		this.codeEnd = this.codeStart + Math.min(codeSize, codeSizeLimit);
		this.#hasLines = (reader.u16(constMethod + fields.constFlags) & flagLineTable) !== 0;
		const pool = reader.pointer(constMethod + fields.constConstants);
		this.#pool = pool;
		const name = poolSymbol(vm, pool, reader.u16(constMethod + fields.constNameIndex));
		const holder = reader.pointer(pool + fields.poolHolder);
		const sourceIndex = reader
			.u16(has(fields.poolSourceFile) ? pool + fields.poolSourceFile : holder + fields.klassSourceFile);
		const file = sourceIndex === 0 ? '' : poolSymbol(vm, pool, sourceIndex);
		const className = normalClassName(klassName(vm, holder));
		this.names = {className, name, holder};
		this.isEnterSpecial = name === 'enterSpecial' && className === 'jdk.internal.vm.Continuation';
		this.#ids = [className, name, file].map(text => interner.internString(text)) as [number, number, number];
	}

	/** Returns the frame id of this method at a bytecode index; -1 is the method's entry. */
	frame(bci: number): number {
		let frame = this.#frameByBci.get(bci);
		if (frame === undefined) {
			frame = this.#interner.internFrame(...this.#ids, this.#line(Math.max(bci, 0)));
			this.#frameByBci.set(bci, frame);
			if (frame !== otherFrame) {
				this.#nameByFrame.set(frame, this.names);
			}
		}

		return frame;
	}

	/** Returns the name of the method that the bytecode at an index calls (`calledBy`). Native methods call none. */
	called(bci: number): string {
		return getOrCreate(this.#calledByBci, bci, () => {
			if (this.isEnterSpecial) {
				return callsAnything;
			}

			const at = this.codeStart + bci;
			if (this.isNative || bci < 0 || at >= this.codeEnd) {
				return callsNothing;
			}

			const symbolAt = (index: number) => poolSymbol(this.#vm, this.#pool, index);
			return ifReadable(() => calledBy(this.#vm, at, this.#pool, symbolAt), callsAnything);
		});
	}

	/** Adds the two ranges that show whether the method is still there, see `isSameIn`. */
	addIdentityTo(ranges: Ranges): void {
		ranges.add(this.address + this.#vm.layout.fields.methodConst, 8);
		ranges.add(this.constMethod, identityBytes);
	}

	/** Whether two ranges, of which `first` is the index of the first, show the same method. */
	isSameIn(ranges: Ranges, first: number): boolean {
		return ranges.isRead(first) && ranges.word(first, 0) === this.constMethod && ranges.isRead(first + 1)
			&& this.#identity.every((word, index) => ranges.u32(first + 1, 4 * index) === word);
	}

	#line(bci: number): number {
		if (this.isNative) {
			return nativeLine;
		}

		if (!this.#hasLines) {
			return unknownLine;
		}

		this.#lines ??= this.#readLines();
		return lineAt(this.#lines, bci) ?? unknownLine;
	}

	/** Reads the table in growing steps: its length is unknown, and the memory after it may be unmapped. */
	#readLines(): LineTable {
		const {reader, excludedBytes} = this.#vm;
		for (const length of [128, 4096, 4096 * 64]) {
			const bytes = new Uint8Array(length);
			const got = reader.memory.read(this.codeEnd, bytes, 0, length);
			const table = decodeLineTable(bytes.subarray(0, got), excludedBytes);
			if (!table.isTruncated || got < length) {
				return table;
			}
		}

		return {bcis: [], lines: []};
	}
}

/** Caches methods by address. Checks each once a sample: unloading or redefining a class frees addresses. */
export class Methods {
	readonly #vm: Vm;
	readonly #interner: Interner;
	#sampleNumber = 0;
	readonly #byAddress = new Map<number, Method>();
	readonly #ranges: Ranges;
	/** Names by frame id; kept longer than methods, because stacks and code refer to frames. */
	readonly #nameByFrame = new Map<number, MethodName>();

	constructor(vm: Vm, interner: Interner) {
		this.#vm = vm;
		this.#interner = interner;
		this.#ranges = new Ranges(vm.reader.memory);
	}

	beginSample(): void {
		this.#sampleNumber++;
		if (this.#byAddress.size > methodLimit) {
			this.#byAddress.clear();
		}
	}

	/** Returns the names of a frame's method; undefined if it has none, such as "(other)". */
	ofFrame(frame: number): MethodName | undefined {
		return this.#nameByFrame.get(frame);
	}

	/** Forgets methods that are no longer at these addresses: one read for those that this sample has not checked. */
	check(addresses: readonly number[]): void {
		const unchecked: Method[] = [];
		this.#ranges.clear();
		for (const address of addresses) {
			const method = this.#byAddress.get(address);
			if (method && method.validatedInSample !== this.#sampleNumber) {
				method.validatedInSample = this.#sampleNumber;
				method.addIdentityTo(this.#ranges);
				unchecked.push(method);
			}
		}

		this.#ranges.read();
		for (const [index, method] of unchecked.entries()) {
			if (!method.isSameIn(this.#ranges, 2 * index)) {
				this.#byAddress.delete(method.address);
			}
		}
	}

	/** Returns the method at an address; throws `Unreadable` if there is none. */
	at(address: number): Method {
		this.check([address]);
		const cachedMethod = this.#byAddress.get(address);
		if (cachedMethod) {
			return cachedMethod;
		}

		const method = new Method(this.#vm, this.#interner, address, this.#nameByFrame);
		method.validatedInSample = this.#sampleNumber;
		this.#byAddress.set(address, method);
		return method;
	}
}

/** Returns the name of a class, with dots. Throws `Unreadable`. */
export function klassName(vm: Vm, klass: number): string {
	return symbolName(vm, klassSymbol(vm, klass));
}

/** Returns the address of the Symbol with a class's name. Throws `Unreadable`. */
export function klassSymbol({reader, layout: {fields}}: Vm, klass: number): number {
	return reader.pointer(klass + fields.klassName);
}

/** Returns the text of a class name's Symbol, with dots. Throws `Unreadable`. */
export function symbolName(vm: Vm, symbol: number): string {
	return readSymbol(vm, symbol).replaceAll('/', '.');
}

/** Returns the text of the Symbol in a constant pool slot. Throws `Unreadable`. */
export function poolSymbol(vm: Vm, pool: number, index: number): string {
	// On 8 the lowest bit of a slot is a tag (constantPool.hpp, CPSlot).
	const word = vm.reader.pointer(pool + vm.layout.sizes.constantPool + (8 * index));
	return readSymbol(vm, word - (word % 2));
}

function readSymbol({reader, layout: {fields}}: Vm, symbol: number): string {
	const length = Math.min(reader.u16(symbol + fields.symbolLength), symbolLimit);
	return decodeModifiedUtf8(reader.bytes(symbol + fields.symbolBody, length));
}
