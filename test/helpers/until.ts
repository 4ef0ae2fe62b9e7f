import {setTimeout as sleep} from 'node:timers/promises';
import {patienceMs} from './patience.js';

/**
Waits until a state that other processes bring about is there, and gives what the condition found; fails when that takes
too long even for a loaded machine.
*/
export async function until<T>(condition: () => T, timeoutMs = patienceMs): Promise<Exclude<T, false | undefined>> {
	return untilAsync(async () => condition(), timeoutMs);
}

/** The same for a condition that takes its time to look. */
export async function untilAsync<T>(condition: () => Promise<T>, timeoutMs = patienceMs): Promise<Exclude<T, false | undefined>> {
	const deadlineMs = performance.now() + timeoutMs;
	for (;;) {
		const found = await condition();
		if (found !== undefined && found !== false) {
			return found as Exclude<T, false | undefined>;
		}

		if (performance.now() > deadlineMs) {
			throw new Error(`waited in vain for ${timeoutMs} ms: ${String(condition)}`);
		}

		await sleep(10);
	}
}
