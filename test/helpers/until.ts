import {setTimeout as sleep} from 'node:timers/promises';
import {patienceMs} from './patience.js';

/**
Waits until a state that other processes bring about is there; fails when that takes too long even for a loaded machine.
*/
export async function until(condition: () => boolean, timeoutMs = patienceMs): Promise<void> {
	await untilAsync(async () => condition(), timeoutMs);
}

/** The same for a condition that takes its time to look. */
export async function untilAsync(condition: () => Promise<boolean>, timeoutMs = patienceMs): Promise<void> {
	const deadlineMs = performance.now() + timeoutMs;
	while (!await condition()) {
		if (performance.now() > deadlineMs) {
			throw new Error(`waited in vain for ${timeoutMs} ms`);
		}

		await sleep(10);
	}
}
