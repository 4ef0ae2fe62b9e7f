/** At least and at most, microseconds, and the part of the time between two looks at most. */
const leastUs = 500;
const mostUs = 5000;
const part = 0.25;

/**
For how long the target is left alone just before it is looked at, microseconds, so long after the look before. While we
have a CPU its threads compete for the others, which long work stands better, and right after that those at work do what
comes next in a program that does the same again and again: so by lot, and for longer than such a round is likely to be.
*/
export function restLengthUs(sinceMs: number, random = Math.random): number {
	const longestUs = Math.min(mostUs, Math.max(2 * leastUs, sinceMs * 1000 * part));
	return Math.round(leastUs + (random() * (longestUs - leastUs)));
}
