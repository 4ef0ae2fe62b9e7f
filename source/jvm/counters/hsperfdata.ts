/*
The JVM's performance counters, a memory-mapped file "hsperfdata_USER/PID" (perfMemory.hpp of OpenJDK, version 2 since
JDK 5). The JVM writes while we read, and the file may be anyone's: nothing in it is trusted.
*/
import {
	closeSync, fstatSync, openSync, readSync,
} from 'node:fs';
import {userInfo} from 'node:os';
import type {TargetVitals} from '../../model/snapshot.js';
import {openBelowRoot, openFile, openFolderIn, pathOf} from '../system/below-root.js';
import {type MappedCounters, readLibraries} from '../identity/libraries.js';
import {attempt, closing, readText} from '../system/proc.js';
import type {ProcessIds} from '../target.js';

/** -XX:PerfDataMemorySize is 32 KB by default and at most 32 MB. */
const maxPerfDataBytes = 32 * 1024 * 1024;
/** A JVM has about 250 counters. */
const maxEntries = 16_384;
/** Longer strings are truncated; command lines may be long (class paths). */
const maxStringBytes = 64 * 1024;

const magic = 0xCA_FE_C0_C0;
const headerBytes = 32;
const entryHeaderBytes = 20;
const littleEndian = 1;
const supportedMajor = 2;

/** Counters by name: numbers (of 64 bits in the file), and strings, not yet printable. */
export type PerfCounters = ReadonlyMap<string, number | string>;

function isPerfData(bytes: Buffer): boolean {
	return bytes.length >= headerBytes && bytes.readUInt32BE(0) === magic && bytes[4] === littleEndian
		&& bytes[5] === supportedMajor;
}

/**
Parses a file (structs PerfDataPrologue and PerfDataEntry) up to the first entry with an invalid size; returns undefined
if it is not a counter file. An array of type B (byte) is a string; type J is a 64-bit number.
*/
export function parsePerfData(bytes: Buffer): PerfCounters | undefined {
	if (!isPerfData(bytes)) {
		return undefined;
	}

	const u32 = (at: number) => bytes.readUInt32LE(at);
	// PerfDataPrologue: entry_offset is at 24, num_entries at 28.
	const count = Math.min(u32(28), maxEntries);
	const counters = new Map<string, number | string>();
	let at = u32(24);
	for (let index = 0; index < count && at + entryHeaderBytes <= bytes.length; index++) {
		const length = u32(at);
		const end = at + length;
		const nameStart = at + u32(at + 4);
		const vectorLength = u32(at + 8);
		const type = String.fromCodePoint(bytes[at + 12]);
		const dataStart = at + u32(at + 16);
		if (length < entryHeaderBytes || end > bytes.length) {
			break;
		}

		const name = bytes.toString('latin1', nameStart, stringEnd(bytes, nameStart, end));
		const isInside = nameStart < end && dataStart < end;
		if (isInside && type === 'B' && vectorLength > 0) {
			const limit = Math.min(end, dataStart + Math.min(vectorLength, maxStringBytes));
			counters.set(name, bytes.toString('utf8', dataStart, stringEnd(bytes, dataStart, limit)));
		} else if (isInside && type === 'J' && vectorLength === 0 && dataStart + 8 <= end) {
			counters.set(name, Number(bytes.readBigInt64LE(dataStart)));
		}

		at = end;
	}

	return counters;
}

function stringEnd(bytes: Buffer, start: number, limit: number): number {
	const end = bytes.indexOf(0, start);
	return end === -1 || end > limit ? limit : end;
}

/** Returns a string counter; empty if absent. */
export function stringCounter(counters: PerfCounters | undefined, name: string): string {
	const value = counters?.get(name);
	return typeof value === 'string' ? value : '';
}

/** Returns a number counter; undefined if absent. */
export function numberCounter(counters: PerfCounters | undefined, name: string): number | undefined {
	const value = counters?.get(name);
	return typeof value === 'number' ? value : undefined;
}

/** Returns the sum of the counters whose names match; undefined if there are none, or one is negative or a string. */
export function sumOfCounters(counters: PerfCounters | undefined, names: RegExp): number | undefined {
	let sum: number | undefined;
	for (const [name, value] of counters ?? []) {
		if (names.test(name)) {
			if (typeof value !== 'number' || value < 0) {
				return undefined;
			}

			sum = (sum ?? 0) + value;
		}
	}

	return sum;
}

/** If the maximum sizes of two generations differ by less than this, they share the heap, and each is the heap's. */
const minDifferenceBytes = 1024;

const usedNames = /^sun\.gc\.generation\.\d+\.space\.\d+\.used$/;
const capacityNames = /^sun\.gc\.generation\.\d+\.space\.\d+\.capacity$/;
const generationNames = [0, 1].map(generation => ({
	used: new RegExp(`^sun\\.gc\\.generation\\.${generation}\\.space\\.\\d+\\.used$`),
	capacity: new RegExp(`^sun\\.gc\\.generation\\.${generation}\\.space\\.\\d+\\.capacity$`),
}));

type Heap = Pick<
	TargetVitals,
	| 'heapCapacityBytes'
	| 'heapMaxBytes'
	| 'heapUsedBytes'
	| 'oldCapacityBytes'
	| 'oldUsedBytes'
	| 'youngCapacityBytes'
	| 'youngUsedBytes'
>;

/** Returns the sizes of the Java heap, summed over the spaces of its generations (metaspace has other counters). */
export function heapOf(counters: PerfCounters | undefined): Heap {
	// These counters are 0 until a collection or (G1) a new region first updates them.
	const used = sumOfCounters(counters, usedNames);
	return {
		heapUsedBytes: used === 0 ? undefined : used,
		heapCapacityBytes: sumOfCounters(counters, capacityNames),
		heapMaxBytes: maxHeapBytes(counters),
		...(used === 0 ? {} : generationsOf(counters)),
	};
}

/** Returns the sizes of the two generations; none for a collector that has only one. */
function generationsOf(counters: PerfCounters | undefined): Heap {
	const [young, old] = generationNames.map(({used, capacity}) => ({
		used: sumOfCounters(counters, used), capacity: sumOfCounters(counters, capacity),
	}));
	return young.capacity && old.capacity
		? {
			youngUsedBytes: young.used, youngCapacityBytes: young.capacity,
			oldUsedBytes: old.used, oldCapacityBytes: old.capacity,
		}
		: {};
}

/** Returns the number of classes that are loaded now, and of all that were ever loaded. */
export function classesOf(
	counters: PerfCounters | undefined,
): {readonly loaded: number | undefined; readonly ever: number | undefined} {
	const ever = sumOfCounters(counters, /^java\.cls\.(?:sharedL|l)oadedClasses$/);
	const unloaded = sumOfCounters(counters, /^java\.cls\.(?:sharedU|u)nloadedClasses$/);
	return {ever, loaded: ever === undefined || unloaded === undefined ? undefined : Math.max(0, ever - unloaded)};
}

type Metaspace = Pick<
	TargetVitals,
	| 'classSpaceCommittedBytes'
	| 'classSpaceMaxBytes'
	| 'loadedClasses'
	| 'metaspaceCommittedBytes'
	| 'metaspaceUsedBytes'
>;

/**
Returns the sizes of metaspace, and the number of its classes. HotSpot's `capacity` is the committed size; it updates
the sizes at collections.
*/
export function metaspaceOf(counters: PerfCounters | undefined): Metaspace {
	const figure = (name: string) => {
		const bytes = numberCounter(counters, `sun.gc.${name}`);
		return bytes === 0 ? undefined : bytes;
	};

	return {
		metaspaceUsedBytes: figure('metaspace.used'),
		metaspaceCommittedBytes: figure('metaspace.capacity'),
		classSpaceCommittedBytes: figure('compressedclassspace.capacity'),
		classSpaceMaxBytes: figure('compressedclassspace.maxCapacity'),
		loadedClasses: classesOf(counters).loaded,
	};
}

/** Sizes of eden, in which objects are allocated, and number of young collections. */
export type Eden = {readonly usedBytes: number; readonly capacityBytes: number; readonly collections: number};

/** Returns eden's figures; undefined for a collector without eden (ZGC, Shenandoah). */
export function edenOf(counters: PerfCounters | undefined): Eden | undefined {
	const eden = 'sun.gc.generation.0.space.0';
	const [usedBytes, capacityBytes, collections] = [
		`${eden}.used`,
		`${eden}.capacity`,
		'sun.gc.collector.0.invocations',
	].map(name => numberCounter(counters, name));
	return stringCounter(counters, `${eden}.name`) !== 'eden' || usedBytes === undefined || capacityBytes === undefined
		|| collections === undefined
		? undefined
		: {usedBytes, capacityBytes, collections};
}

/**
Returns the maximum size of the heap. Collectors whose generations share it (G1, ZGC) report nearly all of it for each;
others report each generation's part.
*/
function maxHeapBytes(counters: PerfCounters | undefined): number | undefined {
	const [young, old] = [0, 1].map(generation =>
		numberCounter(counters, `sun.gc.generation.${generation}.maxCapacity`));
	return young === undefined || old === undefined || Math.abs(young - old) < minDifferenceBytes
		? old ?? young
		: young + old;
}

/** An open counter file; `read` returns undefined if it is unreadable. */
type PerfDataFile = {read(): PerfCounters | undefined; close(): void};

/**
Opens the target's counters; undefined if it maps no counter file (-XX:-UsePerfData, -XX:+PerfDisableSharedMem). A file
of that name alone proves nothing: JVMs in containers that share /tmp may have the same pid, and a killed JVM leaves its
file behind. `mapped`: the counter files that the target maps.
*/
export function openPerfData(owner: ProcessIds, mapped = mappedBy(owner)): PerfDataFile | undefined {
	for (const own of mapped.filter(({name, bytes}) => name === String(owner.nsPid) && bytes <= maxPerfDataBytes)) {
		const file = attempt(() => openMappedFile(owner, own), undefined)
			?? attempt(() => openMapping(owner.pid, own), undefined);
		if (file) {
			return file;
		}
	}

	return undefined;
}

function mappedBy(owner: ProcessIds): readonly MappedCounters[] {
	const libraries = readLibraries(owner.pid);
	return 'code' in libraries ? lockedBy(owner) : libraries.counterFiles;
}

/** A line of /proc/locks (proc_locks(5)) for a file locked by flock(2): the process, device, inode. */
const lockLine = /^\d+: FLOCK +ADVISORY +WRITE (\d+) (?:[^: ]+:){2}(\d+) /gm;

/**
Returns what may be the counter file of a process of ours whose mappings we may not read: the files that it has locked,
as recent updates of JDK 8, 11 and 17, and JDK 19 and later, do with theirs (JDK-8286030).
*/
function lockedBy({pid, nsPid}: ProcessIds): MappedCounters[] {
	const locks = (readText('/proc/locks') ?? '').matchAll(lockLine);
	const folder = `hsperfdata_${attempt(() => userInfo().username, '')}`;
	return [...locks].filter(lock => Number(lock[1]) === pid).map(lock => ({
		start: 0, bytes: 0, inode: Number(lock[2]), folder, name: String(nsPid),
	}));
}

/**
Opens the file in the target's own /tmp; undefined if it is another than the mapped one. Its inode tells: on overlayfs
and btrfs, stat and /proc/PID/maps disagree about the device. Throws the system's error.
*/
function openMappedFile({pid, uid}: ProcessIds, {folder, name, inode}: MappedCounters): PerfDataFile | undefined {
	const inFolder = closing(openBelowRoot(pid, '/tmp'), tmp => openFolderIn(tmp, folder));
	const fd = closing(inFolder, () => openFile(`${pathOf(inFolder)}/${name}`, 'as-is'));
	const {size, uid: owner, ino} = fstatSync(fd);
	if ((owner !== uid && owner !== 0) || ino !== inode || size > maxPerfDataBytes) {
		closeSync(fd);
		return undefined;
	}

	return readerOf(fd, 0, size);
}

/** Opens the target's memory, for when another JVM has replaced the file. Throws the system's error. */
function openMapping(pid: number, {start, bytes}: MappedCounters): PerfDataFile {
	return readerOf(openSync(`/proc/${pid}/mem`, 'r'), start, bytes);
}

function readerOf(fd: number, position: number, length: number): PerfDataFile {
	const bytes = Buffer.allocUnsafe(length);
	return {
		read: () =>
			attempt(() => parsePerfData(bytes.subarray(0, readSync(fd, bytes, 0, length, position))), undefined),
		close() {
			closeSync(fd);
		},
	};
}

/** Returns the current counters of a process; undefined if there are none, or they are unreadable. */
export function readPerfData(owner: ProcessIds, mapped?: readonly MappedCounters[]): PerfCounters | undefined {
	const file = openPerfData(owner, mapped);
	try {
		return file?.read();
	} finally {
		file?.close();
	}
}
