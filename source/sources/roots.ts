import {
	closeSync, readdirSync, statSync,
} from 'node:fs';
import path from 'node:path';
import {openFile} from '../jvm/system/below-root.js';
import {readOpen} from '../jvm/system/proc.js';
import {Zip} from './zip.js';

/** Sources are shorter; the JDK's longest has 0.5 MB. */
const maxSourceBytes = 2 * 1024 * 1024;

/** Where sources are looked for. */
export type SourceRoot = {
	/** The content of a path below it and where that was found; `file`: the file itself, where it is one of ours. */
	read(relative: string): {readonly bytes: Buffer; readonly found: string; readonly file?: string} | undefined;
};

/** Folders of projects that packages begin in. */
const usualFolders = ['', 'src/main/java', 'src/main/kotlin', 'src/main/scala', 'src/main/groovy', 'src/test/java', 'src', 'java', 'app/src/main/java'];

/** Folders looked into of a project of many parts. */
const maxParts = 200;

/** A folder of our own: packages begin in it, or where projects have them, or so in a folder of it. */
function folderRoot(folder: string): SourceRoot {
	let bases: readonly string[] | undefined;
	return {
		read(relative) {
			bases ??= basesIn(folder);
			for (const base of bases) {
				const file = path.join(base, relative);
				const bytes = bytesOf(file);
				if (bytes) {
					return {bytes, found: file, file: path.resolve(file)};
				}
			}

			return undefined;
		},
	};
}

function basesIn(folder: string): string[] {
	const parts = namesIn(folder).filter(name => !name.startsWith('.')).slice(0, maxParts).map(name => path.join(folder, name));
	return [folder, ...parts].flatMap(part => usualFolders.map(usual => path.join(part, usual))).filter(candidate => isFolder(candidate));
}

function namesIn(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}

function isFolder(name: string): boolean {
	try {
		return statSync(name).isDirectory();
	} catch {
		return false;
	}
}

/** The bytes of a file; undefined where it cannot be read, is no regular file, or is larger than a source is. */
function bytesOf(file: string): Buffer | undefined {
	try {
		const read = readOpen(openFile(file), maxSourceBytes + 1);
		return 'bytes' in read && read.bytes.length <= maxSourceBytes ? read.bytes : undefined;
	} catch {
		return undefined;
	}
}

/** Names in a jar of sources. */
const isSource = (name: string) => /\.(?:java|kt|scala|groovy|clj)$/.test(name);

/**
A jar or zip of sources: packages begin in it, or, as in a JDK's src.zip, in its folders. `open` opens the file, when it
is first asked for something; `name`: what people know it by. One that cannot be read has nothing.
*/
export function jarRoot(name: string, open: () => number): SourceRoot {
	let opened: {readonly zip: Zip; readonly byPath: ReadonlyMap<string, string>} | undefined | 'closed';
	return {
		read(relative) {
			opened ??= openJar(open) ?? 'closed';
			if (opened === 'closed') {
				return undefined;
			}

			const inside = opened.byPath.get(relative);
			try {
				const bytes = inside === undefined ? undefined : opened.zip.read(inside);
				return bytes && {bytes, found: `${name}!/${inside}`};
			} catch {
				return undefined;
			}
		},
	};
}

/** It stays open: sources are read from it on demand. */
function openJar(open: () => number): {readonly zip: Zip; readonly byPath: ReadonlyMap<string, string>} | undefined {
	let fd: number | undefined;
	try {
		fd = open();
		const zip = new Zip(fd, isSource, maxSourceBytes);
		const byPath = new Map<string, string>();
		for (const name of zip.names) {
			const withoutFirst = name.slice(name.indexOf('/') + 1);
			byPath.set(name, name);
			if (!byPath.has(withoutFirst)) {
				byPath.set(withoutFirst, name);
			}
		}

		return {zip, byPath};
	} catch {
		if (fd !== undefined) {
			closeSync(fd);
		}

		return undefined;
	}
}

/** The root that an option names: a folder, or a jar. */
export function rootOf(name: string): SourceRoot {
	return isFolder(name) ? folderRoot(name) : jarRoot(name, () => openFile(name));
}
