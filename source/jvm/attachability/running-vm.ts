import {numberCounter, type PerfCounters} from '../counters/hsperfdata.js';
import type {AttachFlags} from '../counters/jvm-flags.js';
import {namedTask} from '../threads/native-ids.js';
import {parseStat, readProc, startMs} from '../system/proc.js';

/** The thread that every HotSpot VM has from start to end. */
export const vmThreadName = 'VM Thread';
/** The thread that HotSpot's SIGQUIT handler wakes; the kernel keeps 15 bytes, and JDK 27 elides the middle. */
const dispatcherNames = ['Signal Dispatch', 'Signal ..atcher'];
/** Tolerance between the JVM's clock and the kernel's start time, which counts from a boot time in whole seconds. */
const clockToleranceMs = 2000;

/** The status of a HotSpot VM in a process that has its library mapped. */
export type VmStatus = {
	/** A VM is running, not just its library loaded. */
	readonly isRunning: boolean;
	/** The VM has its thread for SIGQUIT, so the signal's handler is HotSpot's. */
	readonly handlesSigquit: boolean;
	/** Start of the VM (or else of the process), clock ticks after boot. */
	readonly startTicks: number;
};

/** Looks for the VM's own threads or, as early updates of JDK 8 do not name them, at its counters. */
export function vmStatusOf({pid, startTicks}: {readonly pid: number; readonly startTicks: number}, counters: PerfCounters | undefined, flags: AttachFlags): VmStatus {
	const vmThread = namedTask(pid, [vmThreadName]);
	if (vmThread > 0) {
		return {isRunning: true, handlesSigquit: namedTask(pid, dispatcherNames) > 0, startTicks: parseStat(readProc(pid, `task/${vmThread}/stat`) ?? '')?.startTicks ?? startTicks};
	}

	const isRunning = areCurrent(counters, startTicks);
	return {isRunning, handlesSigquit: isRunning && !flags.reducedSignals, startTicks};
}

/** Whether the counters are of an initialised VM in this process, not left by a killed one with the same pid. */
function areCurrent(counters: PerfCounters | undefined, startTicks: number): boolean {
	return (numberCounter(counters, 'sun.rt.vmInitDoneTime') ?? 0) > 0
		&& (numberCounter(counters, 'sun.rt.createVmBeginTime') ?? 0) >= startMs(startTicks) - clockToleranceMs;
}

/** Age up to which a JVM whose counters say so is starting up; a start-up agent (-javaagent) may take many seconds. */
const maxStartUpMs = 60_000;
/** Age at which a JVM without counters counts as started. */
export const startUpWithoutCountersMs = 3000;
/** JDK 8 and 11 set up signals and attaching some milliseconds after vmInitDoneTime, later on a loaded host. */
const afterDoneMs = 250;

/**
Whether a JVM that started at `startTicks` is still starting up. Between handling SIGQUIT and setting up its attach
mechanism, it deletes any attach file and socket that it finds (JDK 17 and 25), and a signal makes it print a thread dump
to its own output. It sets its counter vmInitDoneTime after that; JDK 8 and 11 do just before.
*/
export function isStartingUp(startTicks: number, counters: PerfCounters | undefined): boolean {
	const doneTime = numberCounter(counters, 'sun.rt.vmInitDoneTime');
	const ageMs = processAgeMs(startTicks);
	if (doneTime !== undefined && doneTime > 0) {
		// The age bounds this if the clock was set back.
		return ageMs < startUpWithoutCountersMs && Date.now() - doneTime < afterDoneMs;
	}

	return ageMs < (counters ? maxStartUpMs : startUpWithoutCountersMs);
}

/** Returns the age of a process in milliseconds, accurate to a second. */
export function processAgeMs(startTicks: number): number {
	return Date.now() - startMs(startTicks);
}
