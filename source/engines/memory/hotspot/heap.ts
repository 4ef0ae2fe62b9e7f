import {cached, getOrCreate} from '../../../util/get-or-create.js';
import {decodeFieldStream, decodeFieldTuples, type FieldInfo} from '../decode/compressed.js';
import {isAligned} from '../target/memory.js';
import {fail, ifReadable} from '../target/memory-reader.js';
import {has} from './layout.js';
import {poolSymbol} from './methods.js';
import {decompress, type Vm} from './vm.js';

/** Maximum elements of a class's field descriptions: 65,535 fields of up to 12 bytes (21 and later) or 7 shorts. */
const fieldElementsLimit = 800_000;

const maxStringBytes = 4096;
const maxSuperclasses = 64;
const cachedClassesLimit = 16_384;

/** First release in which a String has bytes and a coder instead of chars (JEP 254). */
const firstWithCompactStrings = 9;

/** String.coder of a string with one byte per character. */
const latin1 = 0;

/** Tags of arrays, the highest two bits of a class's layout helper (klass.hpp). */
const primitiveArray = 3;
const objectArray = 2;

/** `signature`: of the declared class, `Ljava/lang/Runnable;`. */
type ReferenceField = {readonly signature: string; readonly offset: number};

/** `start`: address of the first element; `bytes`: of each element. */
export type ArrayElements = {readonly length: number; readonly start: number; readonly bytes: number};

/**
Reads objects in the target's Java heap. A collector may move them at any time: the caller must check an object's class,
and something unique to the object. Every method throws `Unreadable`.
*/
export class Heap {
	/** A pointer was read that may be stale, as the collector may have moved the object. Cleared by the caller. */
	hasReadStalePointer = false;
	readonly #vm: Vm;
	/** Field offsets by class, then by name and type; NaN for a missing field. */
	readonly #offsets = new Map<number, Map<string, number>>();
	/** Offset of an array's length. */
	readonly #arrayLength: number;
	readonly #stringKlass: number;
	/** Offsets of a String's fields; NaN for `coder` on JDK 8. */
	readonly #stringValue: number;
	readonly #stringCoder: number;
	/** Address of ZGC's mask of the bits that mark stale pointers; NaN if there is none. */
	readonly #badMask: number;

	constructor(vm: Vm) {
		this.#vm = vm;
		this.#arrayLength = vm.markKlassShift === undefined ? (vm.narrowKlass ? 12 : 16) : 8;
		this.#stringKlass = vm.reader.pointer(vm.layout.fields.stringKlass);
		const isCompact = vm.release >= firstWithCompactStrings;
		this.#stringValue = this.requiredOffset(this.#stringKlass, 'value', isCompact ? '[B' : '[C');
		this.#stringCoder = isCompact ? this.requiredOffset(this.#stringKlass, 'coder', 'B') : Number.NaN;
		this.#badMask = badMaskAddress(vm);
	}

	/** Returns the object that a field or an array's element refers to; 0 for null. */
	reference(address: number): number {
		const {reader, narrowOop} = this.#vm;
		if (!narrowOop) {
			return this.wideReference(address);
		}

		const narrow = reader.u32(address);
		return narrow === 0 ? 0 : this.#forwarded(decompress(narrow, narrowOop));
	}

	/** Returns the object that a slot outside the heap refers to, where pointers are never compressed; 0 for null. */
	wideReference(address: number): number {
		const {reader, collector} = this.#vm;
		if (collector === 'z-generational' || collector === 'z') {
			const pointer = reader.bigWord(address);
			this.hasReadStalePointer ||= Number.isNaN(this.#badMask)
				|| (pointer & reader.bigWord(this.#badMask)) !== 0n;
			return collector === 'z' ? Number(pointer) : uncoloured(pointer);
		}

		return this.#forwarded(reader.word(address));
	}

	/** Returns ZGC's bits of stale pointers, which each of its phases changes; 0 for other collectors. */
	staleBits(): bigint {
		return Number.isNaN(this.#badMask) ? 0n : this.#vm.reader.bigWord(this.#badMask);
	}

	/** Returns the object in a slot of a thread's own, where generational ZGC does not colour pointers. */
	uncolouredReference(address: number): number {
		return this.#vm.collector === 'z-generational' ? this.#vm.reader.word(address) : this.wideReference(address);
	}

	/** Returns the address of an object's class. */
	klassOf(oop: number): number {
		if (!isAligned(oop)) {
			fail();
		}

		const {reader, narrowKlass, markKlassShift} = this.#vm;
		if (markKlassShift !== undefined && narrowKlass) {
			// The upper bits remain in the header while the object is locked, since monitors are found through a table
			// (JEP 519, JDK-8315884).
			return decompress(Math.floor(reader.word(oop) / (2 ** markKlassShift)), narrowKlass);
		}

		return narrowKlass ? decompress(reader.u32(oop + 8), narrowKlass) : reader.pointer(oop + 8);
	}

	/** Yields a class and its superclasses. */
	* hierarchy(klass: number): Generator<number> {
		for (let at = klass, depth = 0; at !== 0 && depth < maxSuperclasses; depth++) {
			yield at;
			at = this.#vm.reader.word(at + this.#vm.layout.fields.klassSuper);
		}
	}

	/** Whether a class is `ancestor` or a subclass of it. */
	isKind(klass: number, ancestor: number): boolean {
		for (const at of this.hierarchy(klass)) {
			if (at === ancestor) {
				return true;
			}
		}

		return false;
	}

	/** Returns the bounds of the Java heap; undefined if the JVM does not tell, as with ZGC. */
	bounds(): {readonly low: number; readonly high: number} | undefined {
		const {reader, layout: {fields: {collectedHeap, heapReserved, regionStart, regionWords}}} = this.#vm;
		if (![heapReserved, regionStart, regionWords].every(field => has(field))) {
			return undefined;
		}

		const region = reader.pointer(collectedHeap) + heapReserved;
		const low = reader.word(region + regionStart);
		const high = low + (8 * reader.word(region + regionWords));
		return low > 0 && high > low ? {low, high} : undefined;
	}

	/** Returns the text of a java.lang.String, truncated to `maxStringBytes` bytes. */
	string(oop: number): string {
		if (this.klassOf(oop) !== this.#stringKlass) {
			fail();
		}

		const {reader} = this.#vm;
		const isCompact = has(this.#stringCoder);
		const {length, start, bytes} = this.#array(this.reference(oop + this.#stringValue), primitiveArray);
		if (bytes !== (isCompact ? 1 : 2)) {
			fail();
		}

		const text = reader.bytes(start, Math.min(length * bytes, maxStringBytes));
		return Buffer.from(text.buffer)
			.toString(isCompact && reader.u8(oop + this.#stringCoder) === latin1 ? 'latin1' : 'utf16le');
	}

	/** Returns the elements of an array of objects; none if the array is 0. */
	elements(array: number): ArrayElements {
		return array === 0 ? {length: 0, start: 0, bytes: 0} : this.#array(array, objectArray);
	}

	/**
	Returns the offset of a field that a class declares or inherits; NaN if none has that name and type. Offsets are
	cached: if another class has taken the address since, they are wrong, so the caller must check what it finds there.
	*/
	fieldOffset(klass: number, name: string, signature: string): number {
		const offsets = cached(this.#offsets, klass, cachedClassesLimit, () => new Map<string, number>());
		return getOrCreate(offsets, `${name} ${signature}`, () => {
			for (const at of this.hierarchy(klass)) {
				const pool = this.#vm.reader.pointer(at + this.#vm.layout.fields.klassConstants);
				const match = this.#fields(at).find(field =>
					!field.isInjected && this.#isPoolSymbol(pool, field.nameIndex, name)
					&& this.#isPoolSymbol(pool, field.signatureIndex, signature));
				if (match) {
					return match.offset;
				}
			}

			return Number.NaN;
		});
	}

	/** As `fieldOffset`, but throws `Unreadable` if there is no such field. */
	requiredOffset(klass: number, name: string, signature: string): number {
		const offset = this.fieldOffset(klass, name, signature);
		return has(offset) ? offset : fail();
	}

	/** Returns the fields of an object that are declared as objects or arrays, inherited ones too. */
	referenceFields(klass: number): ReferenceField[] {
		const found: ReferenceField[] = [];
		for (const at of this.hierarchy(klass)) {
			const pool = this.#vm.reader.pointer(at + this.#vm.layout.fields.klassConstants);
			for (const {isInjected, isStatic, signatureIndex, offset} of this.#fields(at)) {
				const signature = isInjected || isStatic ? '' : poolSymbol(this.#vm, pool, signatureIndex);
				if (signature.startsWith('L') || signature.startsWith('[')) {
					found.push({signature, offset});
				}
			}
		}

		return found;
	}

	/** Returns the offsets of the fields that the VM has injected into a class (21 and later). */
	injectedOffsets(klass: number): number[] {
		return this.#fields(klass).filter(({isInjected}) => isInjected).map(({offset}) => offset);
	}

	/**
	Finds an array's elements by its layout helper: tag, header size, element type, log2 of their size (klass.hpp).
	*/
	#array(array: number, tag: number): ArrayElements {
		const {reader, layout: {fields}} = this.#vm;
		const helper = reader.u32(this.klassOf(array) + fields.klassLayout);
		return helper >>> 30 === tag
			? {
				length: reader.u32(array + this.#arrayLength),
				start: array + ((helper >>> 16) & 0xFF),
				bytes: 2 ** (helper & 0x3F),
			}
			: fail();
	}

	/** Returns an object's current address. Shenandoah's stale copies point there (shenandoahForwarding.hpp). */
	#forwarded(oop: number): number {
		const {reader, collector} = this.#vm;
		if (collector !== 'shenandoah' || oop === 0) {
			return oop;
		}

		const mark = reader.word(oop);
		return mark % 4 === 3 ? mark - 3 : oop;
	}

	#isPoolSymbol(pool: number, index: number, text: string): boolean {
		return ifReadable(() => poolSymbol(this.#vm, pool, index) === text, false);
	}

	#fields(klass: number): FieldInfo[] {
		const {reader, layout: {fields}} = this.#vm;
		const isStream = has(fields.klassFieldStream);
		const array = reader.pointer(klass + (isStream ? fields.klassFieldStream : fields.klassFields));
		const length = Math.min(reader.u32(array), fieldElementsLimit);
		return isStream
			? decodeFieldStream(reader.bytes(array + 4, length))
			: decodeFieldTuples(reader.bytes(array + 4, length * 2), reader.u16(klass + fields.klassFieldCount));
	}
}

/** Returns the address in a pointer of generational ZGC: the bits above the lowest set of 12 to 15 (zAddress.hpp). */
function uncoloured(pointer: bigint): number {
	for (let bit = 12n; bit <= 15n; bit++) {
		if (pointer & (1n << bit)) {
			return Number(pointer >> (bit + 1n));
		}
	}

	return 0;
}

function badMaskAddress({reader, layout: {fields}, collector}: Vm): number {
	const [globals, mask] = collector === 'z' && has(fields.xGlobals)
		? [fields.xGlobals, fields.xBadMask]
		: [fields.zGlobals, fields.zBadMask];
	return (collector === 'z' || collector === 'z-generational') && has(globals) && has(mask)
		? reader.pointer(reader.pointer(globals) + mask)
		: Number.NaN;
}

/** Value of `Collections.count` while objects may be moving. */
export const objectsMayMove = -1;

/** Counts stop-the-world collections. Addresses of Java objects are valid until the next one. */
export class Collections {
	readonly #vm: Vm;
	readonly #heap: number;

	constructor(vm: Vm) {
		this.#vm = vm;
		this.#heap = vm.reader.pointer(vm.layout.fields.collectedHeap);
	}

	/** Returns the number of collections begun; `objectsMayMove` during one, and always with concurrent collectors. */
	count(): number {
		const {reader, layout: {fields}, collector} = this.#vm;
		if (collector !== 'stop-the-world') {
			return objectsMayMove;
		}

		return ifReadable(() => {
			// The count increases when a collection begins, after the flag is set; so read the count first.
			const count = reader.u32(this.#heap + fields.totalCollections);
			return reader.u8(this.#heap + fields.collectionActive) === 0 ? count : objectsMayMove;
		}, objectsMayMove);
	}

	/** Whether a stop-the-world collection is running; false for concurrent collectors. */
	isRunning(): boolean {
		return this.#vm.collector === 'stop-the-world' && this.count() === objectsMayMove;
	}
}
