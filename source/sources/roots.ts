import path from 'node:path';
import {closeSync, readdirSync, statSync} from 'node:fs';
import {
	openFile,
	isBelowRoot,
	openBelowRoot,
	openFileBelowRoot,
	pathOf,
	workingFolder,
} from '../jvm/system/below-root.js';
import {getOrCreate} from '../util/get-or-create.js';
import {attempt, closing, readOpen} from '../jvm/system/proc.js';
import {readJavaCommand} from '../jvm/identity/java-command.js';
import {Zip} from './zip.js';

/** Larger files are ignored; the longest source of the JDK has 0.5 MB. */
const maxSourceBytes = 2 * 1024 * 1024;

/** A folder or jar with sources or class files. */
export type SourceRoot = {
	/**
	Returns a source or class file by its path in the folders of its packages, and where it was found; `file`: its path,
	unless it is in a jar. A source may lie elsewhere if no other of its name has the same package statement.
	*/
	read(relative: string): {readonly bytes: Buffer; readonly found: string; readonly file?: string} | undefined;
};

/** Folders of a project that may hold the top-level packages. */
const usualFolders = [
	'',
	'src/main/java',
	'src/main/kotlin',
	'src/main/scala',
	'src/main/groovy',
	'src/test/java',
	'src',
	'java',
	'app/src/main/java',
];

/** Folders of a project in which builds leave class files. */
const classFolders = ['', 'target/classes', 'build/classes/kotlin/main', 'build/classes/java/main', 'out', 'classes'];

const maxSubprojects = 200;

/** Returns the root of a local folder: a folder of packages, a project, or a folder of projects. */
function folderRoot(folder: string): SourceRoot {
	let [sources, classes, byName] = [undefined, undefined, undefined] as [string[]?, string[]?, FilesByName?];
	return {
		read(relative) {
			if (isClass(relative)) {
				classes ??= basesIn(folder, classFolders);
				return readIn(classes, relative);
			}

			sources ??= basesIn(folder, usualFolders);
			const atPath = readIn(sources, relative);
			if (atPath) {
				return atPath;
			}

			byName ??= sourcesBelow(folder);
			const elsewhere = findByPackage(relative, byName, bytesOf);
			return elsewhere && {bytes: elsewhere.bytes, found: elsewhere.file, file: path.resolve(elsewhere.file)};
		},
	};
}

/** Returns the first file with this path below one of the folders. */
function readIn(bases: readonly string[], relative: string): ReturnType<SourceRoot['read']> {
	for (const base of bases) {
		const file = path.join(base, relative);
		const bytes = bytesOf(file);
		if (bytes) {
			return {bytes, found: file, file: path.resolve(file)};
		}
	}

	return undefined;
}

function basesIn(folder: string, usual: readonly string[]): string[] {
	const parts = attempt(() => readdirSync(folder), []).filter(name => !name.startsWith('.')).slice(0, maxSubprojects)
		.map(name => path.join(folder, name));
	const candidates = [folder, ...parts].flatMap(part => usual.map(name => path.join(part, name)));
	return candidates.filter(candidate => isFolder(candidate));
}

/** Paths of sources by their files' names. */
type FilesByName = ReadonlyMap<string, readonly string[]>;

const maxFolders = 5000;
const maxFiles = 50_000;
const maxOfOneName = 50;

/** Returns the sources in a folder and all below it, but not through symbolic links. */
function sourcesBelow(folder: string): FilesByName {
	const files: string[] = [];
	const folders = [folder];
	for (let at = 0; at < folders.length && files.length < maxFiles; at++) {
		for (const entry of attempt(() => readdirSync(folders[at], {withFileTypes: true}), [])) {
			const name = path.join(folders[at], entry.name);
			if (entry.isDirectory() && !entry.name.startsWith('.') && folders.length < maxFolders) {
				folders.push(name);
			} else if (entry.isFile() && isSource(entry.name)) {
				files.push(name);
			}
		}
	}

	return filesByName(files);
}

function filesByName(files: Iterable<string>): FilesByName {
	const byName = new Map<string, string[]>();
	for (const file of files) {
		const same = getOrCreate(byName, path.basename(file), () => []);
		if (same.length < maxOfOneName) {
			same.push(file);
		}
	}

	return byName;
}

/** The statement on a line of its own, in Java, Kotlin, Scala and Groovy. */
const packageStatement = /^[ \t]*package[ \t]+([\p{L}\p{N}_$.`]+)/mu;

/** It follows at most a licence and annotations. */
const maxBytesToPackage = 64 * 1024;

/** Returns the first source of this name whose package statement names the folders of its path, and its content. */
function findByPackage(relative: string, byName: FilesByName, read: (file: string) => Buffer | undefined) {
	const wanted = path.dirname(relative).replaceAll('/', '.');
	for (const file of byName.get(path.basename(relative)) ?? []) {
		const bytes = read(file);
		const [, found = '.'] = packageStatement.exec(bytes?.toString('utf8', 0, maxBytesToPackage) ?? '') ?? [];
		if (bytes && found.replaceAll('`', '') === wanted) {
			return {file, bytes};
		}
	}

	return undefined;
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
const isClass = (name: string) => name.endsWith('.class');

/** What kotlinc adds to each jar: only Kotlin's class files are of use. */
const isKotlinModule = (name: string) => name.startsWith('META-INF/') && name.endsWith('.kotlin_module');

/** Where class files lie in a Spring Boot jar and in a web archive. */
const innerClasses = /^(?:BOOT|WEB)-INF\/classes\//;

/**
Returns the root of a jar or zip; top-level packages of sources may be one folder down, as in a JDK's src.zip. `open`
opens the file at the first `read`; `name` is for display. An unreadable jar has nothing.
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

/** Opens a jar and maps the paths of its files to entry names. If it has any it stays open: they are read on demand. */
function openJar(jar: string, open: () => number): SourceRoot['read'] {
	let fd: number | undefined;
	try {
		fd = open();
		const zip = new Zip(fd, name => isSource(name) || isClass(name) || isKotlinModule(name), maxSourceBytes);
		const names = [...zip.names];
		const isKotlin = names.some(name => isKotlinModule(name));
		const sources = names.filter(name => isSource(name));
		const classes = isKotlin ? names.filter(name => isClass(name)) : [];
		const byPath = new Map(classes.map(name => [name.replace(innerClasses, ''), name]));
		for (const name of sources) {
			const withoutFirstFolder = name.slice(name.indexOf('/') + 1);
			byPath.set(name, name);
			if (!byPath.has(withoutFirstFolder)) {
				byPath.set(withoutFirstFolder, name);
			}
		}

		if (byPath.size === 0) {
			throw new Error('nothing of use');
		}

		const byName = filesByName(sources);
		const read = (name: string) => attempt(() => zip.read(name), undefined);
		return relative => {
			const atPath = byPath.get(relative);
			const {file = '', bytes} = atPath === undefined
				? findByPackage(relative, byName, read) ?? {}
				: {file: atPath, bytes: read(atPath)};
			return bytes && {bytes, found: `${jar}!/${file}`};
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
	return sourceJars(jarsOf(pid), path => isBelowRoot(pid, path)).map(path =>
		jarRoot(path, () => openFileBelowRoot(pid, path)));
}

/** Returns the class files of a process's class path, as the process sees them and never outside its root folder. */
export function classRoots(pid: number): readonly SourceRoot[] {
	return classPathOf(pid).slice(0, maxJars).map(entry => entry.endsWith('.jar')
		? jarRoot(entry, () => openFileBelowRoot(pid, entry))
		: {
			read(relative) {
				const found = `${entry}/${relative}`;
				const read = attempt(() => readOpen(openFileBelowRoot(pid, found), maxSourceBytes), undefined);
				return isClass(relative) && read && 'bytes' in read ? {bytes: read.bytes, found} : undefined;
			},
		});
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
	return classPathOf(pid).filter(entry => entry.endsWith('.jar'));
}

/** Returns the folders and jars of a process's class path, and the jars in its folders, as paths below its root. */
function classPathOf(pid: number): string[] {
	return attempt(() => {
		const folder = workingFolder(pid);
		return pathEntries(readJavaCommand(pid)).flatMap(entry => {
			const path = entry.startsWith('/') ? entry : `${folder}/${entry}`;
			return path.endsWith('.jar') ? [path] : [...jarsIn(pid, path), ...(path.endsWith('/*') ? [] : [path])];
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
