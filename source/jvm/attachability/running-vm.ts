import {numberCounter, type PerfCounters} from '../counters/hsperfdata.js';
import type {AttachFlags} from '../counters/jvm-flags.js';
import {namedTask} from '../threads/native-ids.js';
import {parseStat, readProc, startMs} from '../system/proc.js';

/** The thread that every HotSpot has from its first moments to its last. */
export const vmThreadName = 'VM Thread';
/** The thread that HotSpot's handler of SIGQUIT wakes; the kernel keeps 15 bytes, JDK 27 leaves out the middle. */
const dispatcherNames = ['Signal Dispatch', 'Signal ..atcher'];
/** How far the JVM's clock and the kernel's start time, which counts ticks from a boot time in whole seconds, may differ. */
const clockToleranceMs = 2000;

/** What can be seen of a HotSpot VM in a process that has its library mapped. */
export type VmSigns = {
	/** A VM is running. A library that was loaded but not started is not one. */
	readonly isRunning: boolean;
	/** The VM has its thread for SIGQUIT: the handler of that signal is HotSpot's own. */
	readonly takesQuit: boolean;
	/** When the VM (or else the process) started, clock ticks after boot. */
	readonly startTicks: number;
};

/** Looks for a VM's own threads; JVMs that do not name their threads (early updates of JDK 8) are known by their counters. */
export function vmSigns(looked: {readonly pid: number; readonly startTicks: number}, counters: PerfCounters | undefined, flags: AttachFlags): VmSigns {
	const {pid, startTicks} = looked;
	const vmThread = namedTask(pid, [vmThreadName]);
	if (vmThread > 0) {
		return {isRunning: true, takesQuit: namedTask(pid, dispatcherNames) > 0, startTicks: parseStat(readProc(pid, `task/${vmThread}/stat`) ?? '')?.startTicks ?? startTicks};
	}

	const isRunning = areOwn(counters, startTicks);
	return {isRunning, takesQuit: isRunning && !flags.reducedSignals, startTicks};
}

/** Whether these counters are of a VM in this process that is up: a killed process leaves its file to the next pid. */
function areOwn(counters: PerfCounters | undefined, startTicks: number): boolean {
	return (numberCounter(counters, 'sun.rt.vmInitDoneTime') ?? 0) > 0
		&& (numberCounter(counters, 'sun.rt.createVmBeginTime') ?? 0) >= startMs(startTicks) - clockToleranceMs;
}

/** Up to this age a JVM that says it is not up yet is believed; a start-up agent (-javaagent) may take many seconds. */
const longestStartUpMs = 60_000;
/** A JVM that keeps no counters counts as up at this age. */
export const silentStartUpMs = 3000;
/** JDK 8 and 11 set up signals and attaching just after that counter: some milliseconds later, more on a loaded host. */
const afterDoneMs = 250;

/**
Whether a JVM that started at `startTicks` is still starting up. From the moment it handles SIGQUIT until its attach
mechanism is set up, it deletes any attach file and socket that it finds (seen on JDK 17 and 25), and a signal in that
time makes it print a thread dump to its own output. Its counter vmInitDoneTime is set after that, on JDK 8 and 11 a
moment before.
*/
export function isStartingUp(startTicks: number, counters: PerfCounters | undefined): boolean {
	const doneTime = numberCounter(counters, 'sun.rt.vmInitDoneTime');
	const ageMs = processAgeMs(startTicks);
	if (doneTime !== undefined && doneTime > 0) {
		return ageMs < silentStartUpMs && Date.now() - doneTime < afterDoneMs;
	}

	return ageMs < (counters ? longestStartUpMs : silentStartUpMs);
}

/** Age of a process in milliseconds, accurate to a second. */
export function processAgeMs(startTicks: number): number {
	return Date.now() - startMs(startTicks);
}
