/**
So many failures in a row are what a busy target gives; from then on there is something wrong, and trying often would
only add to it.
*/
const patience = 3;
const longestMs = 5000;

/**
How long to wait after the `failures`-th failed sample in a row: the interval at first, then twice as long each time, up
to five seconds or the interval.
*/
export function backoffMs(failures: number, intervalMs: number): number {
	const doublings = Math.max(0, failures - patience + 1);
	return Math.max(intervalMs, Math.min(longestMs, intervalMs * (2 ** Math.min(doublings, 20))));
}
