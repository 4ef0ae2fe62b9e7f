import {
	closeSync, fstatSync, readSync, readdirSync,
} from 'node:fs';
import {
	openBelowRoot, openFile, openFolderIn, pathOf,
} from '../system/below-root.js';
import {maxPerfDataBytes, parsePerfData, type PerfCounters} from './hsperfdata.js';

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
