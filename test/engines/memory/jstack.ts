import {execFileSync} from 'node:child_process';
import path from 'node:path';
import {normalClassName} from '../../../source/model/class-name.js';
import {type Jdk} from '../../helpers/jvm.js';

/** One thread of a thread dump: frames as "Class.method(File:line)", -1 and -2 as in java.lang.StackTraceElement. */
export type DumpedThread = {
	readonly name: string;
	/** java.lang.Thread.getId; 0 for the JVM's own threads. */
	readonly id: number;
	readonly nativeId: number;
	readonly state: string;
	readonly isDaemon: boolean;
	readonly frames: string[];
	/** Address of the monitor that it waits to lock; and the frame that took each that it holds, by address. */
	wants?: string;
	readonly took: Map<string, string>;
	/** Id and frames of the virtual thread that it carries (24 and later). */
	mounted?: {readonly id: number; readonly frames: string[]};
};

/** Takes a thread dump with the JDK's own tool. */
export function jstack(jdk: Jdk, pid: number): DumpedThread[] {
	return parseDump(execFileSync(path.join(jdk.home, 'bin/jstack'), [String(pid)], {encoding: 'utf8', maxBuffer: 1 << 28}));
}

/** Reads what the tests' own programs print in a dump; names without line feeds. */
export function parseDump(text: string): DumpedThread[] {
	const threads: DumpedThread[] = [];
	let frames: string[] = [];
	for (const line of text.replaceAll(/(eliminated <owner is scalar replaced> \(a [^)]*\))\tat /g, '$1\n\tat ').split('\n')) {
		const header = /^"(.*)" (?:#(\d+) )?(?:\[\d+] )?(daemon )?(?:prio=\d+ )?os_prio=.*tid=0x[\da-f]+ (?:nid=(0x[\da-f]+|\d+))?/.exec(line);
		const frame = /^\tat (.+)\.([^.(]+)\((.*)\)$/.exec(line);
		const thread = threads.at(-1);
		if (header) {
			frames = [];
			threads.push({name: header[1], id: Number(header[2] ?? 0), nativeId: Number(header[4] ?? 0), state: '', isDaemon: header[3] !== undefined, frames, took: new Map()});
		} else if (line.startsWith('JNI global')) {
			break;
		} else if (frame && thread) {
			frames.push(frameText(frame[1], frame[2], frame[3]));
		} else if (thread && /^\t- (?:locked|waiting to lock) </.test(line)) {
			const [, verb, address] = /- (.*) <(0x[\da-f]+)>/.exec(line) ?? [];
			// The outermost frame comes last.
			thread.took.set(verb === 'locked' ? address : '', frames.at(-1)!);
			thread.wants = verb === 'locked' ? thread.wants : address;
		} else if (thread && line.startsWith('   java.lang.Thread.State: ')) {
			(thread as {state: string}).state = line.slice(27).split(' ')[0];
		} else if (thread && line.startsWith('   Mounted virtual thread #')) {
			frames = [];
			thread.mounted = {id: Number(line.slice(27)), frames};
		}
	}

	return threads;
}

/** The location has the module before the file from 9 on. */
function frameText(className: string, method: string, location: string): string {
	const place = location.replace(/^[^/]*\//, '');
	const [, file, line] = /^(.*):(\d+)$/.exec(place) ?? [undefined, place, '-1'];
	const [shownFile, shownLine] = place === 'Native Method' ? ['', '-2'] : [file === 'Unknown Source' ? '' : file, line];
	return `${normalClassName(className)}.${method}(${shownFile}:${shownLine})`;
}
