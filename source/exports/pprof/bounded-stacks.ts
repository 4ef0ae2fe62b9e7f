import type {SnapshotBuilder} from '../../model/snapshot-builder.js';
import {maxDepth, maxFrames, maxNodes, tooMany} from './limits.js';

/** Adds stacks to a snapshot until a file that lies about its size has gone too far; then throws ExcessError. */
export function boundedStacks(builder: SnapshotBuilder): (frames: readonly number[]) => number {
	let frameSum = 0;
	return frames => {
		frameSum += frames.length;
		if (frames.length > maxDepth) {
			throw tooMany(maxDepth, 'frames in a stack');
		}

		if (frameSum > maxFrames) {
			throw tooMany(maxFrames, 'frames of all stacks');
		}

		const node = builder.addStack(frames);
		if (node > maxNodes) {
			throw tooMany(maxNodes, 'distinct stacks');
		}

		return node;
	};
}

/**
The frames of each location in turn, innermost first. Throws ExcessError instead of making a stack deeper than
`maxDepth`.
*/
export function joinedFrames<Location>(locations: readonly Location[], framesOf: (location: Location) => readonly number[]): number[] {
	const joined: number[] = [];
	for (const location of locations) {
		for (const frame of framesOf(location)) {
			joined.push(frame);
		}

		if (joined.length > maxDepth) {
			throw tooMany(maxDepth, 'frames in a stack');
		}
	}

	return joined;
}
