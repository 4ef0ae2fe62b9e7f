import {numberCounter, type PerfCounters} from '../counters/hsperfdata.js';
import type {AttachFlags} from '../counters/jvm-flags.js';
import {namedTask} from '../threads/named-task.js';
import {parseStat, readProc, startMs} from '../system/proc.js';

/** The thread that every HotSpot has from its first moments to its last. */
export const vmThreadName = 'VM Thread';
/**
The thread to which HotSpot's handler of SIGQUIT hands on; the kernel keeps 15 bytes, and JDK 27 leaves out the middle.
*/
const dispatcherNames = ['Signal Dispatch', 'Signal ..atcher'];
/**
The JVM's clock and the kernel's start time, which is to a tick after a boot time in whole seconds, may differ by so
much.
*/
const clockToleranceMs = 2000;

/** What shows of a HotSpot VM in a process that has its library mapped. */
export type VmSigns = {
	/** A VM runs. A library that was loaded and not started makes none. */
	readonly isRunning: boolean;
	/**
	The VM has its thread for SIGQUIT: a handler for that signal is HotSpot's own, and not one of the program around it.
	*/
	readonly takesQuit: boolean;
	/** When the VM (or else the process) started, clock ticks after boot. */
	readonly startTicks: number;
};

/**
Looks for a VM's own threads; JVMs that do not name their threads (early updates of JDK 8) are known by their counters.
*/
export function vmSigns(looked: {readonly pid: number; readonly startTicks: number}, counters: PerfCounters | undefined, flags: AttachFlags): VmSigns {
	const {pid, startTicks} = looked;
	const vmThread = namedTask(pid, [vmThreadName]);
	if (vmThread > 0) {
		return {isRunning: true, takesQuit: namedTask(pid, dispatcherNames) > 0, startTicks: parseStat(readProc(pid, `task/${vmThread}/stat`) ?? '')?.startTicks ?? startTicks};
	}

	const isRunning = areOwn(counters, startTicks);
	return {isRunning, takesQuit: isRunning && !flags.reducedSignals, startTicks};
}

/**
Whether counters are those of a VM in this very process, which is up; a process that was killed leaves its file to the
next one of that pid.
*/
function areOwn(counters: PerfCounters | undefined, startTicks: number): boolean {
	return (numberCounter(counters, 'sun.rt.vmInitDoneTime') ?? 0) > 0
		&& (numberCounter(counters, 'sun.rt.createVmBeginTime') ?? 0) >= startMs(startTicks) - clockToleranceMs;
}
