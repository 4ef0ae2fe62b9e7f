import {
	closeSync, constants, fstatSync, openSync, readSync, readdirSync,
} from 'node:fs';
import {maxPerfDataBytes, parsePerfData, type PerfCounters} from './hsperfdata.js';

/** Anyone may make folders with such names in /tmp; no host has more users with JVMs than this. */
const maxFolders = 256;

type Owner = {readonly pid: number; readonly nsPid: number; readonly uid: number};

/** Opens the target's counters in its own /tmp: the folder is named after the user as the target knows it, the file after the pid as the target sees it. Undefined when there are none (-XX:-UsePerfData). */
export function openPerfData({pid, nsPid, uid}: Owner): PerfDataFile | undefined {
	const tmp = `/proc/${pid}/root/tmp`;
	let folders: string[];
	try {
		folders = readdirSync(tmp).filter(name => name.startsWith('hsperfdata_')).slice(0, maxFolders);
	} catch {
		return undefined;
	}

	for (const folder of folders) {
		let fd: number;
		try {
			fd = openSync(`${tmp}/${folder}/${nsPid}`, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
		} catch {
			continue;
		}

		const {size, uid: owner} = fstatSync(fd);
		const isOurs = fstatSync(fd).isFile() && (owner === uid || owner === 0) && size <= maxPerfDataBytes;
		if (isOurs) {
			return new PerfDataFile(fd, size);
		}

		closeSync(fd);
	}

	return undefined;
}

/** One JVM's open counters. */
export class PerfDataFile {
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
