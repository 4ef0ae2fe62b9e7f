import {setTimeout as sleep} from 'node:timers/promises';

/** How long a test waits on a busy machine before it fails, milliseconds. */
export const patienceMs = 120_000;

/**
Between two looks, milliseconds: nine times as long as a look takes, so that looking leaves the CPU to what it looks at.
*/
const [leastPauseMs, mostPauseMs] = [20, 200];

/** Waits until a condition holds, and gives what it found; fails after a time that is long even for a busy machine. */
export async function until<T>(condition: () => T, timeoutMs = patienceMs): Promise<Exclude<T, false | undefined>> {
	return untilAsync(async () => condition(), timeoutMs);
}

/** The same for a condition that takes its time to look. */
export async function untilAsync<T>(
	condition: () => Promise<T>,
	timeoutMs = patienceMs,
): Promise<Exclude<T, false | undefined>> {
	const deadlineMs = performance.now() + timeoutMs;
	for (;;) {
		const beganMs = performance.now();
		const found = await condition();
		if (found !== undefined && found !== false) {
			return found as Exclude<T, false | undefined>;
		}

		const nowMs = performance.now();
		if (nowMs > deadlineMs) {
			throw new Error(`waited in vain for ${timeoutMs} ms: ${String(condition)}`);
		}

		await sleep(Math.min(mostPauseMs, Math.max(leastPauseMs, 9 * (nowMs - beganMs))));
	}
}
