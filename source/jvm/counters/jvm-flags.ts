import {readJavaCommand} from '../identity/java-command.js';
import {readProcStrings} from '../system/proc.js';
import type {ProcessIds} from '../target.js';
import {readPerfData, type PerfCounters, stringCounter} from './hsperfdata.js';

/** HotSpot flags that decide whether and how a client may attach. */
export type AttachFlags = {
	/** -XX:+DisableAttachMechanism: a SIGQUIT would print a thread dump to the target's output. */
	readonly attachDisabled: boolean;
	/** -Xrs: the JVM does not handle SIGQUIT, which would kill it; its attach listener runs from start-up. */
	readonly reducedSignals: boolean;
};

/** Environment variables with options that come before those of the command line, and after (arguments.cpp, args.c). */
const variablesBefore = ['JAVA_TOOL_OPTIONS', 'JDK_JAVA_OPTIONS'] as const;
const variablesAfter = ['_JAVA_OPTIONS'] as const;

/** Returns the options in arguments and environment strings ("NAME=value"), in HotSpot's order: the last one counts. */
function optionsOf(args: readonly string[], environment: readonly string[]): string[] {
	const words = (name: string) =>
		wordsOf(environment.find(text => text.startsWith(`${name}=`))?.slice(name.length + 1) ?? '');
	return [...variablesBefore.flatMap(name => words(name)), ...args, ...variablesAfter.flatMap(name => words(name))];
}

/** Returns the flags that these arguments and environment strings ("NAME=value") set. */
export function parseAttachFlags(args: readonly string[], environment: readonly string[]): AttachFlags {
	const options = optionsOf(args, environment);
	return {
		attachDisabled:
			lastSetting(options, {on: ['-XX:+DisableAttachMechanism'], off: ['-XX:-DisableAttachMechanism']}) ?? false,
		reducedSignals: lastSetting(options, {on: ['-Xrs', '-XX:+ReduceSignalUsage'], off: ['-XX:-ReduceSignalUsage']})
			?? false,
	};
}

/**
Returns the options of a running process: from its counters, if any, in which those of the variables are already in
order; otherwise from its command line and, if readable, its environment.
*/
function readOptions(owner: ProcessIds, counters: PerfCounters | undefined): string[] {
	const inCounters = ['java.rt.vmFlags', 'java.rt.vmArgs'].flatMap(name => wordsOf(stringCounter(counters, name)));
	return inCounters.length > 0
		? inCounters
		: optionsOf(readJavaCommand(owner.pid).vmArgs, readProcStrings(owner.pid, 'environ'));
}

/** Returns the flags of a running process. `counters`: its own, if any. */
export function readAttachFlags(owner: ProcessIds, counters: PerfCounters | undefined): AttachFlags {
	// The options include those of the environment.
	return parseAttachFlags(readOptions(owner, counters), []);
}

/** Whether agents may be loaded (-XX:+EnableDynamicAgentLoading, JDK 9 and later); undefined if no option sets it. */
export function readDynamicAgentLoading(owner: ProcessIds): boolean | undefined {
	return lastSetting(readOptions(owner, readPerfData(owner)), {
		on: ['-XX:+EnableDynamicAgentLoading'],
		off: ['-XX:-EnableDynamicAgentLoading'],
	});
}

/** Returns -XX:MaxMetaspaceSize in bytes; undefined if no option sets it. */
export function readMaxMetaspace(owner: ProcessIds): number | undefined {
	const options = readOptions(owner, readPerfData(owner));
	const settings = options.map(option => /^-XX:MaxMetaspaceSize=(\d+)([kmgtKMGT]?)$/.exec(option));
	const [, count, unit] = settings.findLast(Boolean) ?? [];
	return count === undefined ? undefined : Number(count) * (1024 ** ' kmgt'.indexOf(unit.toLowerCase() || ' '));
}

/** Returns the options that begin with -X: without system properties and agents' options, which may hold secrets. */
export function readTuningFlags(owner: ProcessIds): string[] {
	return readOptions(owner, readPerfData(owner)).filter(option => option.startsWith('-X'));
}

function wordsOf(text: string): string[] {
	return text.split(/\s+/).map(word => word.replaceAll(/["']/g, '')).filter(Boolean);
}

/** Returns whether the last option for a flag turns it on; undefined if there is none. */
function lastSetting(
	words: readonly string[],
	{on, off}: {readonly on: readonly string[]; readonly off: readonly string[]},
): boolean | undefined {
	const word = words.findLast(candidate => on.includes(candidate) || off.includes(candidate));
	return word === undefined ? undefined : on.includes(word);
}
