/**
A circle of threads must have stood still for three samples, between these times in milliseconds. An engine that reads
one thread after the other may see two threads that take turns at a lock wait for each other in one sample, as the lock
went over in between; in three in a row it does not. Where samples are rarer than that, they are dumps of one moment.
*/
const leastSamples = 3;
const leastMs = 100;
const mostMs = 300;

/** How long threads must have waited for each other to be in a deadlock, milliseconds, where samples are so far apart. */
export function deadlockAgeMs(intervalMs: number): number {
	return Math.min(mostMs, Math.max(leastMs, leastSamples * intervalMs));
}
