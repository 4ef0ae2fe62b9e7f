import path from 'node:path';
import {closeSync, readdirSync, statSync} from 'node:fs';
import {openFile, isBelowRoot, openBelowRoot, openFileBelowRoot, pathOf, workingFolder} from '../jvm/system/below-root.js';
import {readOpen} from '../jvm/system/proc.js';
import {readJavaCommand} from '../jvm/identity/java-command.js';
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
function jarRoot(name: string, open: () => number): SourceRoot {
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

/** Jars of a class path that are looked beside; a directory of jars may have any number. */
const maxJars = 500;
/** Source jars that are opened, each of which takes a file descriptor. */
const maxSourceJars = 100;

/** Options that have a class path or module path in the next argument, or after "=". */
const pathOptions = new Set(['-cp', '-classpath', '--class-path', '-p', '--module-path']);

/**
The jars with sources (`x-sources.jar`) that lie beside the jars of a process's class path, seen from the process itself
and never outside its root folder. Each is opened when it is first asked for something.
*/
export function targetRoots(pid: number): readonly SourceRoot[] {
	return sourceJars(jarsOf(pid), path => isBelowRoot(pid, path)).map(path => jarRoot(path, () => openFileBelowRoot(pid, path)));
}

/** The jars with sources beside jars. */
export function sourceJars(jars: readonly string[], isThere: (path: string) => boolean): readonly string[] {
	const found: string[] = [];
	for (const jar of jars.slice(0, maxJars)) {
		const beside = `${jar.slice(0, -'.jar'.length)}-sources.jar`;
		if (found.length < maxSourceJars && !jar.endsWith('-sources.jar') && isThere(beside)) {
			found.push(beside);
		}
	}

	return found;
}

/** The jars of its class path, absolute paths below its own root. */
function jarsOf(pid: number): string[] {
	try {
		const folder = workingFolder(pid);
		return pathEntries(readJavaCommand(pid)).flatMap(entry => {
			const path = entry.startsWith('/') ? entry : `${folder}/${entry}`;
			return path.endsWith('.jar') ? [path] : jarsIn(pid, path);
		});
	} catch {
		return [];
	}
}

/** What a java command line has on its class path and module path. */
export function pathEntries({main, vmArgs}: {readonly main: string; readonly vmArgs: readonly string[]}): string[] {
	const paths = vmArgs.flatMap((arg, index) => {
		const [, option, value] = /^(--class-path|--module-path)=(.*)$/.exec(arg) ?? [];
		return option ? [value] : (pathOptions.has(arg) ? [vmArgs[index + 1] ?? ''] : []);
	});
	return [...(main.endsWith('.jar') ? [main] : []), ...paths.flatMap(path => path.split(':'))].filter(Boolean);
}

/** The jars in a folder: of "lib/*", or of a module path. */
function jarsIn(pid: number, path: string): string[] {
	const folder = path.endsWith('/*') ? path.slice(0, -2) : path;
	try {
		const fd = openBelowRoot(pid, folder);
		try {
			return readdirSync(pathOf(fd)).filter(name => name.endsWith('.jar')).slice(0, maxJars).map(name => `${folder}/${name}`);
		} finally {
			closeSync(fd);
		}
	} catch {
		return [];
	}
}
