import type {SnapshotBuilder} from '../../model/snapshot-builder.js';

/** Frames of one stack: HotSpot's own limit for a trace is 1024 (MaxJavaStackTraceDepth), but the stack of a thread with a large -Xss goes beyond. */
export const maxDepth = 100_000;

/** Distinct stacks in a snapshot, callers included: 50,000 facts with 20 frames each that no other has; they take some 100 bytes each. */
export const maxNodes = 1_000_000;

/** Frames of all stacks, inlined ones written out: 50,000 facts with stacks of 200 frames. A few bytes can stand for many frames. */
export const maxFrames = 10_000_000;

/** Adds stacks to a snapshot until a file that lies about its size has gone too far: then throws RangeError. */
export function boundedStacks(builder: SnapshotBuilder): (frames: readonly number[]) => number {
	let frameSum = 0;
	return frames => {
		frameSum += frames.length;
		if (frames.length > maxDepth || frameSum > maxFrames) {
			throw new RangeError('stacks too deep');
		}

		const node = builder.addStack(frames);
		if (node > maxNodes) {
			throw new RangeError(`more than ${maxNodes} distinct stacks`);
		}

		return node;
	};
}

/** The frames of each location in turn, innermost first. Throws RangeError instead of making a stack deeper than `maxDepth`. */
export function joinedFrames<Location>(locations: readonly Location[], framesOf: (location: Location) => readonly number[]): number[] {
	const joined: number[] = [];
	for (const location of locations) {
		for (const frame of framesOf(location)) {
			joined.push(frame);
		}

		if (joined.length > maxDepth) {
			throw new RangeError('stacks too deep');
		}
	}

	return joined;
}
