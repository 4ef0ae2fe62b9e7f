import {numberCounter, type PerfCounters} from '../counters/hsperfdata.js';
import {startMs} from '../system/proc.js';

/** Up to this age a JVM that says it is not up yet is believed; a start-up agent (-javaagent) may take many seconds. */
const longestStartUpMs = 60_000;
/**
A JVM that keeps no counters counts as up at this age: handlers and listener were in place after 110 ms at most on an
idle host.
*/
export const silentStartUpMs = 3000;
/**
JDK 8 and 11 set up signals and attaching just after that counter: some milliseconds later, more on a loaded host.
*/
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
