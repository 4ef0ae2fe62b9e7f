import {readJavaCommand} from '../identity/java-command.js';
import {readProcStrings} from '../system/proc.js';
import {readPerfData, type PerfCounters, stringCounter} from './hsperfdata.js';

/** HotSpot flags that decide whether and how one may attach. */
export type AttachFlags = {
	/** -XX:+DisableAttachMechanism: a SIGQUIT would print a thread dump to the target's output. */
	readonly attachDisabled: boolean;
	/** -Xrs: the JVM leaves SIGQUIT alone, so the signal would kill it; its attach listener runs from start-up. */
	readonly reducedSignals: boolean;
};

/** Variables the JVM (or, for JDK_JAVA_OPTIONS, the launcher) takes options from, before the command line and after it. */
const before = ['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS'] as const;
const after = ['_JAVA_OPTIONS'] as const;

type Owner = {readonly pid: number; readonly nsPid: number; readonly uid: number};

/** Options in order from arguments and environment strings ("NAME=value"), as HotSpot ranks them (arguments.cpp): the last mention counts. */
function optionsOf(args: readonly string[], environment: readonly string[]): string[] {
	const words = (name: string) => wordsOf(environment.find(text => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? '');
	return [...before.flatMap(name => words(name)), ...args, ...after.flatMap(name => words(name))];
}

export function parseAttachFlags(args: readonly string[], environment: readonly string[]): AttachFlags {
	const options = optionsOf(args, environment);
	return {
		attachDisabled: isOn(options, {on: ['-XX:+DisableAttachMechanism'], off: ['-XX:-DisableAttachMechanism']}) ?? false,
		reducedSignals: isOn(options, {on: ['-Xrs', '-XX:+ReduceSignalUsage'], off: ['-XX:-ReduceSignalUsage']}) ?? false,
	};
}

/**
The options of a running process: from its own record where it keeps one (hsperfdata), in which the variables' options are
in their places already, otherwise from its command line, and its environment if we may read it.
*/
function readOptions(owner: Owner, counters: PerfCounters | undefined): string[] {
	const recorded = [...wordsOf(stringCounter(counters, 'java.rt.vmFlags')), ...wordsOf(stringCounter(counters, 'java.rt.vmArgs'))];
	return recorded.length > 0 ? recorded : optionsOf(readJavaCommand(owner.pid).vmArgs, readProcStrings(owner.pid, 'environ'));
}

export function readAttachFlags(owner: Owner, counters: PerfCounters | undefined): AttachFlags {
	return parseAttachFlags(readOptions(owner, counters), []);
}

/** Whether agents may be loaded (-XX:+EnableDynamicAgentLoading, JDK 9 and later); undefined where nothing was said. */
export function readDynamicAgentLoading(owner: Owner): boolean | undefined {
	return isOn(readOptions(owner, readPerfData(owner)), {on: ['-XX:+EnableDynamicAgentLoading'], off: ['-XX:-EnableDynamicAgentLoading']});
}

function wordsOf(text: string): string[] {
	return text.split(/\s+/).map(word => word.replaceAll(/["']/g, '')).filter(Boolean);
}

/** What the last mention of a flag says; undefined without one. */
function isOn(words: readonly string[], {on, off}: {readonly on: readonly string[]; readonly off: readonly string[]}): boolean | undefined {
	const word = words.findLast(candidate => on.includes(candidate) || off.includes(candidate));
	return word === undefined ? undefined : on.includes(word);
}
