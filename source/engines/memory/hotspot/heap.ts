import {decodeFieldStream, decodeFieldTuples, type FieldInfo} from '../decode/fields.js';
import {isAligned} from '../process/memory.js';
import {type ReadAhead} from '../process/read-ahead.js';
import {fail} from '../process/reader.js';
import {has} from './layout.js';
import {poolSymbol} from './methods.js';
import {type Vm} from './vm.js';

/** Most bytes of a class's field description; 65,535 fields of 12 bytes. */
const fieldBytesLimit = 800_000;

/** Most bytes read of a string. */
const stringLimit = 4096;

/** Deepest class hierarchy looked through. */
const superLimit = 64;

const latin1 = 0;

/**
Objects in the target's Java heap. Nothing here is certain while a collector moves objects: whatever is read must be
checked against its class, and against something that only the object itself can know. Every method throws `Unreadable`.
*/
export class Heap {
	/**
	Set when a pointer was followed that may lead to its object's place before it was moved; the caller clears it.
	*/
	isDoubtful = false;
	readonly #vm: Vm;
	readonly #arrayLength: number;
	readonly #stringKlass: number;
	readonly #stringValue: number;
	readonly #stringCoder: number;
	/** Address of ZGC's mask of the bits that say that a pointer may be out of date; NaN without ZGC. */
	readonly #badMask: number;

	constructor(vm: Vm) {
		this.#vm = vm;
		this.#arrayLength = vm.markKlassShift === undefined ? (vm.narrowKlass ? 12 : 16) : 8;
		this.#stringKlass = vm.reader.pointer(vm.layout.fields.stringKlass);
		this.#stringValue = this.fieldOffset(this.#stringKlass, 'value', '[B') ?? this.fieldOffset(this.#stringKlass, 'value', '[C') ?? fail();
		this.#stringCoder = this.fieldOffset(this.#stringKlass, 'coder', 'B') ?? Number.NaN;
		this.#badMask = badMaskAddress(vm);
	}

	/** Address of the object that a field (or a full-width slot outside the heap: `wide`) points to; 0 for null. */
	reference(address: number, wide = false): number {
		const {reader, narrowOop, collector} = this.#vm;
		if (collector === 'z-generational' || collector === 'z') {
			const pointer = reader.bigWord(address);
			this.isDoubtful ||= Number.isNaN(this.#badMask) || (pointer & reader.bigWord(this.#badMask)) !== 0n;
			return collector === 'z' ? Number(pointer) : uncoloured(pointer);
		}

		if (wide || !narrowOop) {
			return this.#forwarded(reader.word(address));
		}

		const narrow = reader.u32(address);
		return narrow === 0 ? 0 : this.#forwarded(narrowOop.base + (narrow * (2 ** narrowOop.shift)));
	}

	/** The address of the object in a slot of a thread's own: ZGC has no colours there, and keeps it up to date late. */
	local(address: number): number {
		return this.#vm.collector === 'z-generational' ? this.#vm.reader.word(address) : this.reference(address, true);
	}

	/** The class of an object. */
	klassOf(oop: number): number {
		if (!isAligned(oop)) {
			fail();
		}

		const {reader, narrowKlass, markKlassShift} = this.#vm;
		if (markKlassShift !== undefined && narrowKlass) {
			// The upper bits stay in the header while the object is locked: monitors are found through a table there
			// (JEP 519, JDK-8315884).
			return narrowKlass.base + (Math.floor(reader.word(oop) / (2 ** markKlassShift)) * (2 ** narrowKlass.shift));
		}

		return narrowKlass ? narrowKlass.base + (reader.u32(oop + 8) * (2 ** narrowKlass.shift)) : reader.pointer(oop + 8);
	}

	/** Adds what `reference` reads of a field to what is read ahead. */
	wantReference(address: number, ahead: ReadAhead): void {
		ahead.want(address, this.#vm.narrowOop ? 4 : 8);
	}

	/** The same for `klassOf`. */
	wantKlass(oop: number, ahead: ReadAhead): void {
		const {narrowKlass, markKlassShift} = this.#vm;
		const isInMark = markKlassShift !== undefined && narrowKlass !== undefined;
		ahead.want(isInMark ? oop : oop + 8, isInMark || !narrowKlass ? 8 : 4);
	}

	/** Whether a class is the other one, or a subclass of it. */
	isKind(klass: number, ancestor: number): boolean {
		for (let at = klass, depth = 0; at !== 0 && depth < superLimit; depth++) {
			if (at === ancestor) {
				return true;
			}

			at = this.#vm.reader.word(at + this.#vm.layout.fields.klassSuper);
		}

		return false;
	}

	/** The text of a java.lang.String. */
	string(oop: number): string {
		if (this.klassOf(oop) !== this.#stringKlass) {
			fail();
		}

		const {reader, layout: {fields}} = this.#vm;
		const array = this.reference(oop + this.#stringValue);
		const header = reader.u32(this.klassOf(array) + fields.klassLayout);
		const elementBytes = 2 ** (header & 0x3F);
		const isBytes = has(this.#stringCoder);
		// The layout helper of an array: the tag for arrays of primitives (binary 11), size of the header, element
		// type, log2 of the element size (klass.hpp).
		if (header >>> 30 !== 3 || elementBytes !== (isBytes ? 1 : 2)) {
			fail();
		}

		const length = Math.min(reader.u32(array + this.#arrayLength) * elementBytes, stringLimit);
		const bytes = reader.bytes(array + ((header >>> 16) & 0xFF), length);
		const isLatin1 = isBytes && reader.u8(oop + this.#stringCoder) === latin1;
		return Buffer.from(bytes.buffer, 0, length).toString(isLatin1 ? 'latin1' : 'utf16le');
	}

	/** Offset of an instance field that a class itself declares; undefined if it has none of that name and type. */
	fieldOffset(klass: number, name: string, signature: string): number | undefined {
		const pool = this.#vm.reader.pointer(klass + this.#vm.layout.fields.klassConstants);
		return this.#fields(klass).find(field => this.#is(pool, field.nameIndex, name) && this.#is(pool, field.signatureIndex, signature))?.offset;
	}

	/**
	Shenandoah: where an object is now; once it has been moved, the mark word of its old copy points there
	(shenandoahForwarding.hpp).
	*/
	#forwarded(oop: number): number {
		const {reader, collector} = this.#vm;
		if (collector !== 'shenandoah' || oop === 0) {
			return oop;
		}

		const mark = reader.word(oop);
		return mark % 4 === 3 ? mark - 3 : oop;
	}

	/** The names of fields that the VM adds are not in the constant pool. */
	#is(pool: number, index: number, text: string): boolean {
		try {
			return poolSymbol(this.#vm, pool, index) === text;
		} catch {
			return false;
		}
	}

	#fields(klass: number): FieldInfo[] {
		const {reader, layout: {fields}} = this.#vm;
		const isStream = has(fields.klassFieldStream);
		const array = reader.pointer(klass + (isStream ? fields.klassFieldStream : fields.klassFields));
		const length = Math.min(reader.u32(array), fieldBytesLimit);
		return isStream ? decodeFieldStream(reader.bytes(array + 4, length)) : decodeFieldTuples(reader.bytes(array + 4, length * 2), reader.u16(klass + fields.klassFieldCount));
	}
}

/**
The address in a pointer of generational ZGC: above the lowest of the bits 12 to 15 that is set (zAddress.hpp: the load
barrier shifts by that bit plus one).
*/
function uncoloured(pointer: bigint): number {
	for (let bit = 12n; bit <= 15n; bit++) {
		if (pointer & (1n << bit)) {
			return Number(pointer >> (bit + 1n));
		}
	}

	return 0;
}

function badMaskAddress({reader, layout: {fields}, collector}: Vm): number {
	const [globals, mask] = collector === 'z' && has(fields.xGlobals) ? [fields.xGlobals, fields.xBadMask] : [fields.zGlobals, fields.zBadMask];
	return (collector === 'z' || collector === 'z-generational') && has(globals) && has(mask) ? reader.pointer(reader.pointer(globals) + mask) : Number.NaN;
}
