import {readJavaCommand} from '../identity/java-command.js';
import {readProcStrings} from '../system/proc.js';
import {readPerfData, type PerfCounters, stringCounter} from './hsperfdata.js';

/** HotSpot flags that decide whether and how one may attach. */
export type AttachFlags = {
	/**
	-XX:+DisableAttachMechanism: every SIGQUIT would print a thread dump to the target's output, and no socket would
	ever appear.
	*/
	readonly attachDisabled: boolean;
	/** -Xrs: the JVM leaves SIGQUIT alone, so the signal would kill it; its attach listener runs from start-up. */
	readonly reducedSignals: boolean;
};

/**
Variables the JVM (or, for JDK_JAVA_OPTIONS, the launcher) takes options from, and whether they come before the command
line. The last mention of a flag wins.
*/
const before = ['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS'] as const;
const after = ['_JAVA_OPTIONS'] as const;

/** Reads the flags in order from arguments and environment strings ("NAME=value"), as HotSpot ranks them (arguments.cpp). */
export function parseAttachFlags(args: readonly string[], environment: readonly string[]): AttachFlags {
	const words = (name: string) => wordsOf(environment.find(text => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? '');
	const all = [...before.flatMap(name => words(name)), ...args, ...after.flatMap(name => words(name))];
	return {
		attachDisabled: isOn(all, {on: ['-XX:+DisableAttachMechanism'], off: ['-XX:-DisableAttachMechanism']}),
		reducedSignals: isOn(all, {on: ['-Xrs', '-XX:+ReduceSignalUsage'], off: ['-XX:-ReduceSignalUsage']}),
	};
}

/**
The flags of a running process: from its own record of them where it keeps one (hsperfdata), otherwise from its command
line, and its environment if we may read it.
*/
export function readAttachFlags(owner: {readonly pid: number; readonly nsPid: number; readonly uid: number}, counters: PerfCounters | undefined = readPerfData(owner)): AttachFlags {
	// In HotSpot's record the variables' options are in their places already; reading them again does not change which
	// mention is the last.
	const recorded = [...wordsOf(stringCounter(counters, 'java.rt.vmFlags')), ...wordsOf(stringCounter(counters, 'java.rt.vmArgs'))];
	const environment = readProcStrings(owner.pid, 'environ');
	return recorded.length > 0 ? parseAttachFlags(recorded, []) : parseAttachFlags(readJavaCommand(owner.pid).vmArgs, environment);
}

/**
Whether agents may be loaded into a running process (-XX:+EnableDynamicAgentLoading, JDK 9 and later), as far as it was
said when the process was started; undefined where nothing was.
*/
export function readDynamicAgentLoading(owner: {readonly pid: number; readonly nsPid: number; readonly uid: number}): boolean | undefined {
	const counters = readPerfData(owner);
	const words = [
		...wordsOf(readProcStrings(owner.pid, 'environ').filter(text => /^(?:JAVA_TOOL_OPTIONS|JDK_JAVA_OPTIONS)=/.test(text)).join(' ').replaceAll('=', ' ')),
		...wordsOf(stringCounter(counters, 'java.rt.vmFlags')),
		...wordsOf(stringCounter(counters, 'java.rt.vmArgs')),
		...readJavaCommand(owner.pid).vmArgs,
	];
	const word = words.findLast(candidate => /^-XX:[+-]EnableDynamicAgentLoading$/.test(candidate));
	return word === undefined ? undefined : word.startsWith('-XX:+');
}

function wordsOf(text: string): string[] {
	return text.split(/\s+/).map(word => word.replaceAll(/["']/g, '')).filter(Boolean);
}

function isOn(words: readonly string[], flag: {readonly on: readonly string[]; readonly off: readonly string[]}): boolean {
	const word = words.findLast(candidate => flag.on.includes(candidate) || flag.off.includes(candidate));
	return word !== undefined && flag.on.includes(word);
}
