import {otherFrame, rootNode} from '../../model/frame.js';
import {within} from '../../model/saved-values.js';
import type {Counters, Dictionary} from '../../model/snapshot.js';
import {sumOf, sumUpTo} from '../../util/sum.js';

/*
Limits of profiles and recordings, so that opening any file takes less than 500 MB and ten seconds
(test/commands/open.jvm.test.ts). They are near those of the table (table/table-layout); a full table, or one with deep
stacks, may exceed them.
*/

/** Bytes of a profile, compressed and decompressed: a small file can expand to any size. */
export const maxProfileBytes = 64 * 1024 * 1024;

/** Samples of a profile; those that we write have one for each counter. */
export const maxSamples = 524_288;

/** Locations, and the lines of all of them together. */
export const maxLocations = 100_000;

/** Texts: names of functions, files and labels. */
export const maxStrings = 400_000;

/** Frames, values and labels of all samples, before inlined calls are expanded. */
export const maxSampleItems = 6_000_000;

/** Frames of one stack: with a large -Xss it may exceed HotSpot's 1024 (MaxJavaStackTraceDepth). */
export const maxDepth = 100_000;

/** Frames of all samples, after inlined calls are expanded: a few bytes can become many frames. */
export const maxFrames = 6_000_000;

/** Frames of our own sessions: the table's capacity. */
export const maxOwnFrames = 131_072;

/** Distinct stacks in a snapshot, callers included. */
export const maxNodes = 524_288;

/** Threads in a snapshot: twice what Linux allows by default on a small machine (kernel.pid_max 32,768). */
export const maxProfileThreads = 65_536;

/** Rows of contention in a snapshot. */
export const maxContention = 65_536;

/** Characters in the names of all lines; a function's name counts for each of its lines. */
export const maxNameCharacters = 16_000_000;

/** A profile or a recording exceeds a limit; the message says which. */
export class ExcessError extends RangeError {}

/** Returns the error for more than `limit` of something, in the plural. */
export function tooMany(limit: number, plural: string): ExcessError {
	return new ExcessError(`more than ${limit.toLocaleString('en')} ${plural}`);
}

/** Returns the depth of each stack of a file, by node. Throws RangeError without first entries, or beyond a limit. */
export function depthsOf(dictionary: Dictionary): Int32Array {
	const {strings, frameCount, frameClass, frameMethod, frameFile, nodeCount, nodeParent} = dictionary;
	if (strings[0] !== '' || frameCount <= otherFrame || nodeCount <= rootNode) {
		throw new RangeError('first entries are missing');
	}

	const lengthOf = (name: number) => strings[name].length;
	if (
		sumUpTo(frameCount, frame =>
			lengthOf(frameClass[frame]) + lengthOf(frameMethod[frame]) + lengthOf(frameFile[frame])) > maxNameCharacters
	) {
		throw tooMany(maxNameCharacters, 'characters in names');
	}

	const depths = new Int32Array(nodeCount);
	for (let node = rootNode + 1; node < nodeCount; node++) {
		// Callers precede their callees.
		depths[node] = depths[within(nodeParent[node], 0, node - 1)] + 1;
		if (depths[node] > maxDepth) {
			throw tooMany(maxDepth, 'frames in a stack');
		}
	}

	return depths;
}

/** Throws RangeError if the stacks of all counters together have too many frames. */
export function checkStacks(depths: Int32Array, {node, count}: Pick<Counters, 'node' | 'count'>): void {
	if (sumOf(node.subarray(0, count), at => depths[at]) > maxFrames) {
		throw tooMany(maxFrames, 'frames of all stacks');
	}
}
