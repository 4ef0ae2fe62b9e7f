/*
What a profile may hold at most, so that opening any file takes less than 500 MB and ten seconds
(test/commands/open.test.ts). The table that a session counts in (table/layout) is the yardstick; for a full one, or one
with deep stacks, the bounds here come first.
*/
/** Bytes of a profile, compressed and not: a small file can claim any size. */
export const maxProfileBytes = 64 * 1024 * 1024;

/** Samples; ours have one for each counter. */
export const maxSamples = 524_288;

/** Locations, and the lines of all of them together. */
export const maxLocations = 100_000;

/** Frames, values and labels of all samples, before inlined calls are written out. */
export const maxSampleItems = 6_000_000;

/** Frames of one stack: that of a thread with a large -Xss goes beyond HotSpot's 1024 (MaxJavaStackTraceDepth). */
export const maxDepth = 100_000;

/** The same with inlined calls written out: a few bytes can stand for many frames. */
export const maxFrames = 6_000_000;

/** Frames of a session of ours: as many as the table has room for. */
export const maxOwnFrames = 131_072;

/** Distinct stacks in a snapshot, callers included. */
export const maxNodes = 524_288;

/** Threads in a snapshot: twice what Linux starts by default on a small machine (kernel.pid_max 32,768). */
export const maxThreads = 65_536;

/** Counters of who held up whom. */
export const maxContention = 65_536;

/** Characters of the names of all lines together, a function's name counted at each of its lines. */
export const maxNameCharacters = 16_000_000;

/** A profile with more of something than may be opened; the message says of what. */
export class ExcessError extends RangeError {}

/** The error for more than `most` of what `called` (a plural) says. */
export function tooMany(most: number, called: string): ExcessError {
	return new ExcessError(`more than ${most.toLocaleString('en')} ${called}`);
}
