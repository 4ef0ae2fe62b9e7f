import {noFrame, rootNode} from '../../model/frame.js';
import {lockKinds} from '../../model/sample.js';
import type {SessionStats, Snapshot, TargetFacts} from '../../model/snapshot.js';
import {threadStates} from '../../model/thread-state.js';

/** How the comment begins: pprof tools print no comment that starts with `#`. */
export const sessionCommentPrefix = '#tprof-top-session ';

/** The comment's own version; a reader refuses a higher one. */
export const sessionSchema = 1;

/** What the profile's tables cannot say: lines below 1 other than "unknown", class names that hold no dot split, locations that stand for "no Java frames". */
export type Peculiarities = {
	/** Location id, line. */
	readonly lines: ReadonlyArray<readonly [number, number]>;
	/** Function id, length of the class name in the function's name. */
	readonly classLengths: ReadonlyArray<readonly [number, number]>;
	/** Location ids. */
	readonly noFrames: readonly number[];
};

/**
A thread as it stands in the newest sample. `stack` is an index into samples followed by `stacks`, -1 for no Java frames; frames are location ids, 0 for none; threads are indices, -1 for none;
states and lock kinds are codes.
*/
export type SavedThread = {
	readonly key: number;
	readonly nativeId: number;
	readonly name: string;
	readonly flags: number;
	readonly alive: boolean;
	readonly state: number;
	readonly stack: number;
	readonly sinceMs: number;
	readonly lockKind: number;
	readonly lockClass: string;
	readonly lockOwner: number;
	readonly lockOwnerFrame: number;
	readonly carrier: number;
};

/** A counter of who held up whom; references as in `SavedThread`. */
export type SavedContention = {
	readonly thread: number;
	readonly stack: number;
	readonly lockKind: number;
	readonly lockClass: string;
	readonly owner: number;
	readonly ownerStack: number;
	readonly ownerFrame: number;
	readonly ticks: number;
};

export type SavedSession = Peculiarities & {
	/** Of the profile that the comment was written with, see `profileDigest`. */
	readonly digest: string;
	readonly target: TargetFacts;
	readonly session: SessionStats;
	readonly threads: readonly SavedThread[];
	readonly contention: readonly SavedContention[];
	/** Stacks that no sample has, as location ids, innermost first. */
	readonly stacks: readonly number[][];
};

/** How the writer numbers samples, stacks and locations. */
export type FrameIndex = {
	readonly samples: number;
	readonly sampleOfNode: ReadonlyMap<number, number>;
	location(frame: number): number;
	stack(node: number): number[];
};

/** The comment's data but for its digest, for a profile that is being written. */
export function savedSessionOf(snapshot: Snapshot, index: FrameIndex): Omit<SavedSession, keyof Peculiarities | 'digest'> {
	const {target, session, threads, contention, dictionary: {strings}} = snapshot;
	const stacks: number[][] = [];
	const extra = new Map<number, number>();
	const stackOf = (node: number): number => {
		if (node === rootNode) {
			return -1;
		}

		const known = index.sampleOfNode.get(node) ?? extra.get(node);
		if (known !== undefined) {
			return known;
		}

		const added = index.samples + stacks.push(index.stack(node)) - 1;
		extra.set(node, added);
		return added;
	};

	const locationOf = (frame: number) => frame === noFrame ? 0 : index.location(frame);
	return {
		target,
		session: saneStats(session),
		threads: rows(threads.count, i => ({
			key: threads.key[i], nativeId: Math.max(threads.nativeId[i], 0), name: strings[threads.name[i]], flags: threads.flags[i], alive: threads.alive[i] === 1, state: threads.state[i],
			stack: stackOf(threads.node[i]), sinceMs: sane(threads.sinceMs[i]), lockKind: threads.lockKind[i], lockClass: strings[threads.lockClass[i]], lockOwner: threads.lockOwner[i],
			lockOwnerFrame: locationOf(threads.lockOwnerFrame[i]), carrier: threads.carrier[i],
		})),
		contention: rows(contention.count, i => ({
			thread: contention.thread[i], stack: stackOf(contention.node[i]), lockKind: contention.lockKind[i], lockClass: strings[contention.lockClass[i]], owner: contention.owner[i],
			ownerStack: stackOf(contention.ownerNode[i]), ownerFrame: locationOf(contention.ownerFrame[i]), ticks: contention.ticks[i],
		})),
		stacks,
	};
}

/** The comment as one line. Rows are arrays in the order of the types above; states and lock kinds are names. */
export function encodeSession(saved: SavedSession): string {
	const {digest, target, session, lines, classLengths, noFrames, stacks} = saved;
	return sessionCommentPrefix + JSON.stringify({
		schema: sessionSchema, digest, target, session, lines, classLengths, noFrames, stacks,
		threads: saved.threads.map(thread => [
			thread.key,
			thread.nativeId,
			thread.name,
			thread.flags,
			thread.alive ? 1 : 0,
			threadStates[thread.state],
			thread.stack,
			thread.sinceMs,
			lockKinds[thread.lockKind],
			thread.lockClass,
			thread.lockOwner,
			thread.lockOwnerFrame,
			thread.carrier,
		]),
		contention: saved.contention.map(row => [row.thread, row.stack, lockKinds[row.lockKind], row.lockClass, row.owner, row.ownerStack, row.ownerFrame, row.ticks]),
	});
}

function rows<Row>(count: number, row: (index: number) => Row): Row[] {
	return Array.from({length: count}, (_, index) => row(index));
}

/** Figures that a reader accepts: what could not be measured (NaN) must not make a file that does not open again. */
function saneStats(session: SessionStats): SessionStats {
	return Object.fromEntries(Object.entries(session).map(([name, value]) => [name, typeof value === 'number' ? sane(value) : value])) as SessionStats;
}

/** The number, or 0 for a negative one, an infinite one or none. */
export function sane(value: number): number {
	return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
}
