import {fstatSync, openSync} from 'node:fs';
import {attempt, closing, readAt, readBytes} from '../system/proc.js';
import {isBelowRoot, readTextBelowRoot} from '../system/below-root.js';

/** vm.max_map_count allows some 6 MB by default. */
const maxMapsBytes = 32 * 1024 * 1024;

/** The line of a mapped libjvm.so, and its path. */
const jvmLine = /^[^/\n]*(\/(?:.*\/)?libjvm\.so)(?: \(deleted\))?$/m;

export type Libraries = {
	/** Path of HotSpot's libjvm.so in /proc/PID/maps. */
	readonly libjvm?: string;
	/** OpenJ9's own library is mapped (its libjvm.so only redirects). */
	readonly openJ9: boolean;
	/** The launcher's library (libjli.so) is mapped: `java` is running, whether or not libjvm.so is there yet. */
	readonly launcher: boolean;
	/** The counter files (hsperfdata) that the process maps for writing, as it does its own. */
	readonly counterFiles: readonly MappedCounters[];
};

/** A mapping of a counter file, hsperfdata_USER/PID: `folder` and `name` are what the process called them. */
export type MappedCounters = {
	readonly start: number;
	readonly bytes: number;
	readonly inode: number;
	readonly folder: string;
	readonly name: string;
};

/**
A line of /proc/PID/maps (proc(5)): range, rights, offset, device, inode, path. Tools such as jps map the files of other
JVMs without the right to write.
*/
const counterLine = new RegExp([
	/^([\da-f]+)-([\da-f]+) rw-s 0+ \S+ (\d+) +/,
	/\/(?:.*\/)?(hsperfdata_[^/\n]*)\/(\d+)(?: \(deleted\))?$/,
].map(({source}) => source).join(''), 'gm');

function counterFilesIn(maps: string): MappedCounters[] {
	return [...maps.matchAll(counterLine)].map(([, from, to, inode, folder, name]) => {
		const start = Number.parseInt(from, 16);
		return {
			start, bytes: Number.parseInt(to, 16) - start, inode: Number(inode), folder, name,
		};
	});
}

/** Searches /proc/PID/maps for a JVM's files; returns the error's code if unreadable. Throws if out of files. */
export function readLibraries(pid: number): Libraries | {readonly code: string} {
	const read = readBytes(`/proc/${pid}/maps`, maxMapsBytes);
	if ('code' in read) {
		return read;
	}

	const {bytes} = read;
	const libjvm = bytes.includes('/libjvm.so') ? jvmLine.exec(bytes.toString('utf8'))?.[1] : undefined;
	const counterFiles = bytes.includes('/hsperfdata_') ? counterFilesIn(bytes.toString('utf8')) : [];
	return {
		libjvm, openJ9: bytes.includes('/libj9vm'), launcher: bytes.includes('/libjli.so'), counterFiles,
	};
}

/** A release file has 1 to 3 KB. */
const maxReleaseFileBytes = 64 * 1024;

/** Returns the Java version of the JDK that contains a process's libjvm.so; empty if unknown. */
export function jdkVersionOf(libjvm: string, pid: number): string {
	// JDK 9 and later: HOME/lib/server/libjvm.so; JDK 8: HOME/jre/lib/ARCHITECTURE/server/libjvm.so; a JRE 8: the same
	// without jre.
	const folders = libjvm.split('/').slice(0, -1);
	const homes = [2, 3, 4].map(levelsUp => folders.slice(0, -levelsUp).join('/'));
	for (const home of homes) {
		const version = /^JAVA_VERSION="([^"]{1,64})"/m
			.exec(readTextBelowRoot(pid, `${home}/release`, maxReleaseFileBytes) ?? '');
		if (version) {
			return version[1];
		}
	}

	const isBefore9 = homes.some(home => isBelowRoot(pid, `${home}/lib/rt.jar`));
	if (isBefore9) {
		return '1.8.0';
	}

	// The JDK's folder is often named after its version.
	return /\/(?:java|jdk|jre|openjdk|zulu|temurin|corretto|graalvm)[-_]?(?:jdk|jre|openjdk)?[-_]?((?:1\.)?\d+[\d._]*)/i
		.exec(libjvm)?.[1] ?? '';
}

/** The ELF section in which GraalVM's native-image keeps the heap that it built, as the table of names has it. */
const heapSection = '\0.svm_heap\0';
/** The names of sections, and their table of 64 bytes a section, are at the end of an executable (elf(5)): a few KB. */
const endBytes = 256 * 1024;

/** Whether a process's executable was made by GraalVM's native-image; false if it cannot be read. */
export function isNativeImage(pid: number): boolean {
	return attempt(
		() =>
			closing(openSync(`/proc/${pid}/exe`, 'r'), fd =>
				readAt(fd, Math.max(0, fstatSync(fd).size - endBytes), endBytes).includes(heapSection)),
		false,
	);
}
