import {type Architecture} from '../arch/architecture.js';
import {wordAt} from '../target/memory.js';
import {fail, type Reader} from '../target/memory-reader.js';
import {has, type Layout} from './layout.js';

/** How compressed pointers are decoded. */
type Compression = {readonly base: number; readonly shift: number};

/** Returns the address in a compressed pointer. */
export function decompress(pointer: number, {base, shift}: Compression): number {
	return base + (pointer * (2 ** shift));
}

/** Constants of a running JVM: how to read it, and how it was started. */
export type Vm = {
	readonly arch: Architecture;
	readonly reader: Reader;
	readonly layout: Layout;
	/** Feature release, such as 8 or 21. */
	readonly release: number;
	/** Number of byte values not used as digits of UNSIGNED5 numbers (decode/compressed.ts). */
	readonly excludedBytes: number;
	readonly flags: ReadonlyMap<string, boolean>;
	/** If pointers to objects (oops), or to classes, are compressed. */
	readonly narrowOop?: Compression;
	readonly narrowKlass?: Compression;
	/** With compact object headers (JEP 450): bits to shift a mark word right to get the narrow class. */
	readonly markKlassShift?: number;
	/** Offset of the call wrapper from an entry frame's frame pointer, bytes (frame_x86.hpp, frame_aarch64.hpp). */
	readonly entryFrameWrapper: number;
	/** Return address of a call from the VM into Java code. */
	readonly callStubReturn: number;
	readonly collector: 'z-generational' | 'z' | 'shenandoah' | 'stop-the-world';
};

/** The flags that are read; all are boolean. */
const wantedFlags = new Set([
	'UseCompressedOops',
	'UseCompressedClassPointers',
	'UseCompactObjectHeaders',
	'UseZGC',
	'ZGenerational',
	'UseShenandoahGC',
	'DebugNonSafepoints',
]);

/** Maximum number of flags; known JVMs have about 1,500. */
const flagLimit = 10_000;

/** First release with only generational ZGC (JEP 490). */
const onlyGenerationalZ = 24;

/** First release whose tables lack UseCompressedClassPointers, as it is always on. */
const alwaysCompressedClasses = 27;

/** Reads the JVM's constants; throws `Unreadable`. `arch`: of the processor on which it runs. */
export function openVm(reader: Reader, layout: Layout, arch: Architecture): Vm {
	const {fields, constants} = layout;
	// JDK 8's HotSpot reports its own version, 25.
	const release = has(fields.codeHeap) ? 8 : reader.u32(fields.majorVersion);
	const flags = reader.withPages(() => readFlags(reader, layout));
	const isOn = (name: string) => flags.get(name) ?? false;
	const isCompact = isOn('UseCompactObjectHeaders') && has(constants.markKlassShift);
	const zCollector = isOn('ZGenerational') || release >= onlyGenerationalZ ? 'z-generational' : 'z';
	return {
		arch,
		reader,
		layout,
		release,
		flags,
		excludedBytes: release >= 20 ? 1 : 0,
		narrowOop: isOn('UseCompressedOops')
			? {base: reader.word(fields.narrowOopBase), shift: reader.u32(fields.narrowOopShift)}
			: undefined,
		narrowKlass: isOn('UseCompressedClassPointers') || release >= alwaysCompressedClasses
			? {base: reader.word(fields.narrowKlassBase), shift: reader.u32(fields.narrowKlassShift)}
			: undefined,
		markKlassShift: isCompact ? constants.markKlassShift : undefined,
		entryFrameWrapper: 8
			* (has(constants.entryFrameWrapper) ? constants.entryFrameWrapper : arch.entryFrameWrapper),
		callStubReturn: reader.pointer(fields.callStubReturn),
		collector: isOn('UseZGC') ? zCollector : (isOn('UseShenandoahGC') ? 'shenandoah' : 'stop-the-world'),
	};
}

function readFlags(reader: Reader, {fields, sizes}: Layout): Map<string, boolean> {
	const flags = new Map<string, boolean>();
	const count = Math.min(reader.u32(fields.flagCount), flagLimit);
	if (Math.max(fields.flagName, fields.flagAddress) + 8 > sizes.flag) {
		fail();
	}

	const rows = reader.bytes(reader.pointer(fields.flags), count * sizes.flag);
	const view = new DataView(rows.buffer);
	for (let at = 0; at + sizes.flag <= rows.length; at += sizes.flag) {
		// The last row is empty.
		const name = reader.cString(wordAt(view, at + fields.flagName));
		if (wantedFlags.has(name)) {
			flags.set(name, reader.u8(wordAt(view, at + fields.flagAddress)) !== 0);
		}
	}

	return flags;
}
