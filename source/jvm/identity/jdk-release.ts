import {isBelowRoot, openFileBelowRoot} from '../system/below-root.js';
import {readOpen} from '../system/proc.js';

/** A release file has about 1 KB, or 3 KB with a long list of modules. */
const maxReleaseFileBytes = 64 * 1024;

/** Feature release of a Java version: 8 for "1.8.0_504", 17 for "17.0.15"; 0 if the text is not a version. */
export function featureRelease(version: string): number {
	return Number(/^(?:1\.)?(\d{1,3})(?!\d)/.exec(version)?.[1] ?? 0);
}

/**
The Java version of the JDK that a libjvm.so belongs to, from the files around it; empty if they do not say. `libjvm` is
a path of the process `pid`.
*/
export function versionAround(libjvm: string, pid: number): string {
	// JDK 9 and later: HOME/lib/server/libjvm.so; JDK 8: HOME/jre/lib/ARCHITECTURE/server/libjvm.so, or the same
	// without jre in a JRE.
	const folders = libjvm.split('/').slice(0, -1);
	const homes = [2, 3, 4].map(up => folders.slice(0, -up).join('/'));
	for (const home of homes) {
		const version = /^JAVA_VERSION="([^"]{1,64})"/m.exec(textOf(pid, `${home}/release`));
		if (version) {
			return version[1];
		}
	}

	// The class library's archive, which JDK 9 removed.
	if (homes.some(home => isBelowRoot(pid, `${home}/lib/rt.jar`))) {
		return '1.8.0';
	}

	return /\/(?:java|jdk|jre|openjdk|zulu|temurin|corretto|graalvm)[-_]?(?:jdk|jre|openjdk)?[-_]?((?:1\.)?\d+[\d._]*)/i.exec(libjvm)?.[1] ?? '';
}

function textOf(pid: number, path: string): string {
	try {
		const read = readOpen(openFileBelowRoot(pid, path), maxReleaseFileBytes);
		return 'bytes' in read ? read.bytes.toString('utf8') : '';
	} catch {
		return '';
	}
}
