/*
The JVM's performance counters, a memory-mapped file "hsperfdata_USER/PID" (perfMemory.hpp of OpenJDK, version 2 since
JDK 5). The JVM writes while we read, and the file may be anyone's: nothing in it is trusted.
*/
import {
	closeSync, fstatSync, readSync, readdirSync,
} from 'node:fs';
import type {TargetVitals} from '../../model/snapshot.js';
import {
	openBelowRoot, openFile, openFolderIn, pathOf,
} from '../system/below-root.js';

/** -XX:PerfDataMemorySize is 32 KB by default; the flag's bound is 32 MB. A larger file is something else. */
const maxPerfDataBytes = 32 * 1024 * 1024;
/** A JVM has about 250 counters; each takes 20 bytes at least. */
const maxEntries = 16_384;
/** Longest string value kept, bytes: command lines may be long (class paths), values longer than this are of no use. */
const maxStringBytes = 64 * 1024;

const magic = 0xCA_FE_C0_C0;
const headerBytes = 32;
const entryHeaderBytes = 20;
const littleEndian = 1;
const supportedMajor = 2;

/** Counters by name: numbers (64-bit ones as the nearest double) and strings, as the file has them (not yet printable). */
export type PerfCounters = ReadonlyMap<string, number | string>;

/** Parses a whole file, as far as its entries have possible sizes; undefined if it is not such a file. */
export function parsePerfData(bytes: Buffer): PerfCounters | undefined {
	if (bytes.length < headerBytes || bytes.readUInt32BE(0) !== magic || bytes[4] !== littleEndian || bytes[5] !== supportedMajor) {
		return undefined;
	}

	const u32 = (at: number) => bytes.readUInt32LE(at);
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

		if (nameStart < end && dataStart < end) {
			const name = bytes.toString('latin1', nameStart, stringEnd(bytes, nameStart, end));
			if (type === 'B' && vectorLength > 0) {
				const limit = Math.min(end, dataStart + Math.min(vectorLength, maxStringBytes));
				counters.set(name, bytes.toString('utf8', dataStart, stringEnd(bytes, dataStart, limit)));
			} else if (type === 'J' && vectorLength === 0 && dataStart + 8 <= end) {
				counters.set(name, Number(bytes.readBigInt64LE(dataStart)));
			}
		}

		at = end;
	}

	return counters;
}

function stringEnd(bytes: Buffer, start: number, limit: number): number {
	const end = bytes.indexOf(0, start);
	return end === -1 || end > limit ? limit : end;
}

/** A counter that is a string; empty when absent. */
export function stringCounter(counters: PerfCounters | undefined, name: string): string {
	const value = counters?.get(name);
	return typeof value === 'string' ? value : '';
}

/** A counter that is a number; undefined when absent. */
export function numberCounter(counters: PerfCounters | undefined, name: string): number | undefined {
	const value = counters?.get(name);
	return typeof value === 'number' ? value : undefined;
}

/** Sum of the counters with such names; undefined if there are none, or one has an impossible value. */
export function sumOf(counters: PerfCounters | undefined, names: RegExp): number | undefined {
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

/** Nobody has generations that are as alike by chance. */
const sharedBytes = 1024;

const usedNames = /^sun\.gc\.generation\.\d+\.space\.\d+\.used$/;
const capacityNames = /^sun\.gc\.generation\.\d+\.space\.\d+\.capacity$/;

/** Bytes over all spaces of all generations: the counters of the Java heap alone (metaspace has names of its own). */
export function heapOf(counters: PerfCounters | undefined): Pick<TargetVitals, 'heapUsedBytes' | 'heapCapacityBytes' | 'heapMaxBytes'> {
	// They are 0, which no heap is, until they are first updated by a collection or (G1) a new region.
	const used = sumOf(counters, usedNames);
	return {heapUsedBytes: used === 0 ? undefined : used, heapCapacityBytes: sumOf(counters, capacityNames), heapMaxBytes: mostOf(counters)};
}

/** Where objects begin, and how often the young generation was collected. */
export type Eden = {readonly usedBytes: number; readonly capacityBytes: number; readonly collections: number};

/** Undefined for a collector without eden (ZGC, Shenandoah). */
export function edenOf(counters: PerfCounters | undefined): Eden | undefined {
	const eden = 'sun.gc.generation.0.space.0';
	const [usedBytes, capacityBytes, collections] = [`${eden}.used`, `${eden}.capacity`, 'sun.gc.collector.0.invocations'].map(name => numberCounter(counters, name));
	return stringCounter(counters, `${eden}.name`) !== 'eden' || usedBytes === undefined || capacityBytes === undefined || collections === undefined
		? undefined
		: {usedBytes, capacityBytes, collections};
}

/** Collectors whose generations share the heap (G1, ZGC) give each all of it, but for some bytes; others its part. */
function mostOf(counters: PerfCounters | undefined): number | undefined {
	const [young, old] = [0, 1].map(generation => numberCounter(counters, `sun.gc.generation.${generation}.maxCapacity`));
	return young === undefined || old === undefined || Math.abs(young - old) < sharedBytes ? old ?? young : young + old;
}

/** Anyone may make folders with such names in /tmp; no host has more users with JVMs than this. */
const maxFolders = 256;

type Owner = {readonly pid: number; readonly nsPid: number; readonly uid: number};

/**
Opens the target's counters in its own /tmp: the folder is named after the user as the target knows it, the file after
the pid as the target sees it. Undefined if there are none (-XX:-UsePerfData).
*/
export function openPerfData(owner: Owner): PerfDataFile | undefined {
	let tmp: number;
	try {
		tmp = openBelowRoot(owner.pid, '/tmp');
	} catch {
		return undefined;
	}

	try {
		const folders = readdirSync(pathOf(tmp)).filter(name => name.startsWith('hsperfdata_')).slice(0, maxFolders);
		for (const folder of folders) {
			const found = openIn(tmp, folder, owner);
			if (found) {
				return found;
			}
		}

		return undefined;
	} catch {
		return undefined;
	} finally {
		closeSync(tmp);
	}
}

function openIn(tmp: number, name: string, {nsPid, uid}: Owner): PerfDataFile | undefined {
	let folder: number | undefined;
	try {
		folder = openFolderIn(tmp, name);
		const fd = openFile(`${pathOf(folder)}/${nsPid}`, 'as-is');
		const {size, uid: owner} = fstatSync(fd);
		if ((owner === uid || owner === 0) && size <= maxPerfDataBytes) {
			return new PerfDataFile(fd, size);
		}

		closeSync(fd);
		return undefined;
	} catch {
		return undefined;
	} finally {
		if (folder !== undefined) {
			closeSync(folder);
		}
	}
}

/** The open counters of one JVM. */
class PerfDataFile {
	readonly #fd: number;
	readonly #bytes: Buffer;

	constructor(fd: number, size: number) {
		this.#fd = fd;
		this.#bytes = Buffer.allocUnsafe(size);
	}

	/** The counters now; undefined when they cannot be read. */
	read(): PerfCounters | undefined {
		try {
			const count = readSync(this.#fd, this.#bytes, 0, this.#bytes.length, 0);
			return parsePerfData(this.#bytes.subarray(0, count));
		} catch {
			return undefined;
		}
	}

	close(): void {
		closeSync(this.#fd);
	}
}

/** The counters of a process now, in one go. */
export function readPerfData(owner: Owner): PerfCounters | undefined {
	const file = openPerfData(owner);
	try {
		return file?.read();
	} finally {
		file?.close();
	}
}
