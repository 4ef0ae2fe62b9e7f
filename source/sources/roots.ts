import path from 'node:path';
import {closeSync, readdirSync, statSync} from 'node:fs';
import {openFile, isBelowRoot, openBelowRoot, openFileBelowRoot, pathOf, workingFolder} from '../jvm/system/below-root.js';
import {attempt, closing, readOpen} from '../jvm/system/proc.js';
import {readJavaCommand} from '../jvm/identity/java-command.js';
import {Zip} from './zip.js';

/** Larger files are ignored; the longest source of the JDK has 0.5 MB. */
const maxSourceBytes = 2 * 1024 * 1024;

/** A folder or jar with sources. */
export type SourceRoot = {
	/** Returns a source by its path below the root, and where it was found; `file`: its path, unless it is in a jar. */
	read(relative: string): {readonly bytes: Buffer; readonly found: string; readonly file?: string} | undefined;
};

/** Folders of a project that may hold the top-level packages. */
const usualFolders = ['', 'src/main/java', 'src/main/kotlin', 'src/main/scala', 'src/main/groovy', 'src/test/java', 'src', 'java', 'app/src/main/java'];

const maxSubprojects = 200;

/** Returns the root of a local folder: a folder of packages, a project, or a folder of projects. */
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
	const parts = attempt(() => readdirSync(folder), []).filter(name => !name.startsWith('.')).slice(0, maxSubprojects).map(name => path.join(folder, name));
	return [folder, ...parts].flatMap(part => usualFolders.map(usual => path.join(part, usual))).filter(candidate => isFolder(candidate));
}

function isFolder(name: string): boolean {
	return attempt(() => statSync(name).isDirectory(), false);
}

/** Returns the bytes of a file; undefined if it is unreadable, not a regular file, or longer than `maxSourceBytes`. */
function bytesOf(file: string): Buffer | undefined {
	const read = attempt(() => readOpen(openFile(file), maxSourceBytes + 1), undefined);
	return read && 'bytes' in read && read.bytes.length <= maxSourceBytes ? read.bytes : undefined;
}

const isSource = (name: string) => /\.(?:java|kt|scala|groovy|clj)$/.test(name);

/**
Returns the root of a jar or zip of sources; top-level packages may be one folder down, as in a JDK's src.zip. `open`
opens the file at the first `read`; `name` is for display. An unreadable jar has no sources.
*/
function jarRoot(name: string, open: () => number): SourceRoot {
	let readJar: SourceRoot['read'] | undefined;
	return {
		read(relative) {
			readJar ??= openJar(name, open);
			return readJar(relative);
		},
	};
}

/** Opens a jar and maps the paths of its sources to entry names. It stays open: sources are read on demand. */
function openJar(jar: string, open: () => number): SourceRoot['read'] {
	let fd: number | undefined;
	try {
		fd = open();
		const zip = new Zip(fd, isSource, maxSourceBytes);
		const byPath = new Map<string, string>();
		for (const name of zip.names) {
			const withoutFirstFolder = name.slice(name.indexOf('/') + 1);
			byPath.set(name, name);
			if (!byPath.has(withoutFirstFolder)) {
				byPath.set(withoutFirstFolder, name);
			}
		}

		return relative => {
			const inside = byPath.get(relative);
			const bytes = inside === undefined ? undefined : attempt(() => zip.read(inside), undefined);
			return bytes && {bytes, found: `${jar}!/${inside}`};
		};
	} catch {
		if (fd !== undefined) {
			closeSync(fd);
		}

		return () => undefined;
	}
}

/** Returns the root for a value of --source: a folder or a jar. */
export function rootOf(name: string): SourceRoot {
	return isFolder(name) ? folderRoot(name) : jarRoot(name, () => openFile(name));
}

/** Maximum number of jars on a class path, whose folders may hold any number. */
const maxJars = 500;
/** Each takes a file descriptor. */
const maxSourceJars = 100;

/** Options whose next argument is a class path or module path. */
const pathOptions = new Set(['-cp', '-classpath', '--class-path', '-p', '--module-path']);

/**
Returns the source jars (`x-sources.jar`) beside the jars of a process's class path, as the process sees them and never
outside its root folder. Each is opened at its first use.
*/
export function targetRoots(pid: number): readonly SourceRoot[] {
	return sourceJars(jarsOf(pid), path => isBelowRoot(pid, path)).map(path => jarRoot(path, () => openFileBelowRoot(pid, path)));
}

/** Returns the existing source jars beside these jars. */
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

/** Returns the jars of a process's class path, as absolute paths below its root. */
function jarsOf(pid: number): string[] {
	return attempt(() => {
		const folder = workingFolder(pid);
		return pathEntries(readJavaCommand(pid)).flatMap(entry => {
			const path = entry.startsWith('/') ? entry : `${folder}/${entry}`;
			return path.endsWith('.jar') ? [path] : jarsIn(pid, path);
		});
	}, []);
}

/** Returns the entries of the class path and module path on a java command line. */
export function pathEntries({main, vmArgs}: {readonly main: string; readonly vmArgs: readonly string[]}): string[] {
	const paths = vmArgs.flatMap((arg, index) => {
		const [, option, value] = /^(--class-path|--module-path)=(.*)$/.exec(arg) ?? [];
		return option ? [value] : (pathOptions.has(arg) ? [vmArgs[index + 1] ?? ''] : []);
	});
	return [...(main.endsWith('.jar') ? [main] : []), ...paths.flatMap(path => path.split(':'))].filter(Boolean);
}

/** Returns the jars in a folder: an entry "lib/*" of a class path, or a folder on a module path. */
function jarsIn(pid: number, path: string): string[] {
	const folder = path.endsWith('/*') ? path.slice(0, -2) : path;
	const names = attempt(() => closing(openBelowRoot(pid, folder), fd => readdirSync(pathOf(fd))), []);
	return names.filter(name => name.endsWith('.jar')).slice(0, maxJars).map(name => `${folder}/${name}`);
}
