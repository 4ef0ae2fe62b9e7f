import {deflateRawSync, inflateRawSync} from 'node:zlib';
import {fromNames} from '../../model/column-types.js';
import {sumOf, sumUpTo} from '../../util/sum.js';
import {lockKindCode} from '../../model/sample.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {mergedBody, windowBody, type MomentFacts, type PastMoment} from './window-body.js';

/** A window's end, and what the time line shows of it. */
export type WindowFigures = {
	/** Time of the last sample, epoch milliseconds. */
	readonly atMs: number;
	/** CPU time of all threads, and the time of which it is a share. */
	readonly cpuNs: number;
	readonly sampledMs: number;
	/** Thread samples that waited for a lock held by another thread. */
	readonly blockedTicks: number;
	readonly samples: number;
};

/** A part of the session, from the end of the window before it. */
export type RingWindow = WindowFigures & {
	/** Returns the session's figures at its end and what changed in it (window-body.ts), unpacked. */
	readonly body: () => Uint8Array;
	/** Bytes of the body in memory or in the file. */
	readonly bytes: number;
};

/** How the windows of a recording are read. */
type RecordedRing = {
	/** By a window's index, -1 for the base: the changes from zeros to its end; undefined: all is zero there. */
	readonly whole: ReadonlyMap<number, (() => Uint8Array) | undefined>;
	/** Indexes of windows before which some are missing. */
	readonly gaps: readonly number[];
	/** Returns the moment after checking its values. Throws RangeError. */
	check(moment: PastMoment): PastMoment;
};

/** The last windows of a session: of a second for ten minutes, of ten seconds before that. Immutable. */
export type Ring = {
	/** The window that ends where the oldest one begins; undefined if the oldest begins at the session's start. */
	readonly base: RingWindow | undefined;
	/** Oldest first. */
	readonly windows: readonly RingWindow[];
	/** Number of the oldest windows that were merged into coarse ones. All but the newest of them are deflated. */
	readonly settled: number;
	/** The session at the end of the newest window. */
	readonly newest: Snapshot | undefined;
	readonly recording?: RecordedRing;
};

export const emptyRing: Ring = Object.freeze({base: undefined, windows: [], settled: 0, newest: undefined});

export type RingBounds = {
	/** Minimum length of a window; below a second, because refreshes may come early. */
	readonly leastMs: number;
	/** Windows older than `fineForMs` are merged into ones of `coarseMs`, aligned to the clock. */
	readonly fineForMs: number;
	readonly coarseMs: number;
	readonly maxBytes: number;
	readonly maxWindows: number;
};

export const usualBounds: RingBounds = {
	leastMs: 900, fineForMs: 600_000, coarseMs: 10_000, maxBytes: 24 * 1024 * 1024, maxWindows: 10_000,
};

/** Returns the ring with a window of what was sampled since its newest one; the same ring if that is too little. */
export function addToRing(
	ring: Ring,
	snapshot: Snapshot,
	{vitals = {}, sourceNotes = {}}: Partial<MomentFacts> = {},
	bounds: RingBounds = usualBounds,
): Ring {
	const {session} = snapshot;
	const {newest} = ring;
	if (
		session.samples === (newest?.session.samples ?? 0)
		|| (newest && Math.abs(session.takenAtMs - newest.session.takenAtMs) < bounds.leastMs)
	) {
		return ring;
	}

	return bounded(
		coarsened({
			...ring,
			windows: [...ring.windows, windowOf(ring, snapshot, {vitals, sourceNotes})],
			newest: snapshot,
		}, bounds),
		bounds,
	);
}

function windowOf({newest: then, windows}: Ring, now: Snapshot, facts: MomentFacts): RingWindow {
	const {session} = now;
	return {
		// The clock may be set back.
		atMs: Math.max(session.lastSampleAtMs || session.takenAtMs, (windows.at(-1)?.atMs ?? 0) + 1),
		cpuNs: cpuOf(now) - (then ? cpuOf(then) : 0),
		sampledMs: session.sampledMs - (then?.session.sampledMs ?? 0),
		blockedTicks: blockedTicksOf(now) - (then ? blockedTicksOf(then) : 0),
		samples: session.samples - (then?.session.samples ?? 0),
		...kept(windowBody(then, now, facts)),
	};
}

function kept(body: Uint8Array): Pick<RingWindow, 'body' | 'bytes'> {
	return {body: () => body, bytes: body.length};
}

/** A body is some kilobytes: more memory would compress it no better. */
const deflating = {windowBits: 12, memLevel: 5};

/** Returns the window with its body deflated, if that is smaller. */
function deflated(window: RingWindow): RingWindow {
	// A copy: zlib returns a part of a buffer of 16 KB.
	const fewer = new Uint8Array(deflateRawSync(window.body(), deflating));
	return fewer.length < window.bytes ? {...window, body: () => inflateRawSync(fewer), bytes: fewer.length} : window;
}

function cpuOf({threads}: Snapshot): number {
	return sumUpTo(threads.count, thread => threads.cpuNs[thread]);
}

/** A thread that waits for a monitor is BLOCKED; for a lock of java.util.concurrent its holder must be known. */
function blockedTicksOf({counters: {count, state, ticks}, contention}: Snapshot): number {
	return sumUpTo(count, counter => state[counter] === stateCode.BLOCKED ? ticks[counter] : 0)
		+ sumUpTo(
			contention.count,
			row =>
				contention.lockKind[row] === lockKindCode.park && contention.owner[row] >= 0
					? contention.ticks[row]
					: 0,
		);
}

/** Merges old windows, and deflates the coarse windows that are complete. */
function coarsened(ring: Ring, {fineForMs, coarseMs}: RingBounds): Ring {
	const oldMs = ring.windows.at(-1)!.atMs - fineForMs;
	if (!(ring.windows[ring.settled]?.atMs <= oldMs)) {
		return ring;
	}

	const windows = [...ring.windows];
	let {settled} = ring;
	while (settled < windows.length && windows[settled].atMs <= oldMs) {
		const [before, window] = [windows[settled - 1] as RingWindow | undefined, windows[settled]];
		if (before && Math.ceil(before.atMs / coarseMs) === Math.ceil(window.atMs / coarseMs)) {
			windows.splice(settled - 1, 2, together(before, window));
		} else {
			if (before) {
				windows[settled - 1] = deflated(before);
			}

			settled++;
		}
	}

	return {...ring, windows, settled};
}

/** Merges two consecutive windows. */
export function together(first: RingWindow, second: RingWindow): RingWindow {
	return {
		...second,
		...kept(mergedBody(first.body(), second.body())),
		...fromNames(['cpuNs', 'sampledMs', 'blockedTicks', 'samples'], figure => first[figure] + second[figure]),
	};
}

/** Estimated bytes of a window beside its body. */
const windowBytes = 250;

/** Drops the oldest windows beyond the bounds. */
function bounded({windows, base, settled, newest}: Ring, {maxBytes, maxWindows}: RingBounds): Ring {
	let bytes = sumOf(windows, window => window.bytes + windowBytes);
	let dropped = 0;
	while (dropped < windows.length - 1 && (bytes > maxBytes || windows.length - dropped > maxWindows)) {
		bytes -= windows[dropped++].bytes + windowBytes;
	}

	return {
		base: windows[dropped - 1] ?? base,
		windows: windows.slice(dropped),
		settled: Math.max(0, settled - dropped),
		newest,
	};
}
