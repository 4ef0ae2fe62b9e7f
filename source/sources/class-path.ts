import {closeSync, readdirSync} from 'node:fs';
import {readJavaCommand} from '../jvm/identity/java-command.js';
import {
	isBelowRoot, openBelowRoot, openFileBelowRoot, pathOf, workingFolder,
} from '../jvm/system/below-root.js';
import {jarRoot, type SourceRoot} from './roots.js';

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
