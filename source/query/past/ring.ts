import {deflateRawSync, inflateRawSync} from 'node:zlib';
import {sumUpTo} from '../../model/sum.js';
import {lockKindCode} from '../../model/sample.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import type {Changing} from './deltas.js';
import {mergedBody, windowBody, type Beside, type Looked} from './window-body.js';

/** What the time line shows of a window, and when it ends. */
export type WindowFigures = {
	/** As the target's samples tell the time, epoch milliseconds: it stands still while sampling does. */
	readonly atMs: number;
	/** CPU time of all threads, and the time of which it is a share. */
	readonly cpuNs: number;
	readonly sampledMs: number;
	/** Thread samples that waited for a lock that another thread held; and samples. */
	readonly blockedTicks: number;
	readonly samples: number;
};

/**
A stretch of the session, and the moment that it ends at; it begins where the one before ends. `body`: how the session
stood then, and what changed since (window-body.ts).
*/
export type RingWindow = WindowFigures & {
	/** In memory, and whether deflated; or where it is read from. */
	readonly body: () => Uint8Array;
	readonly bytes: number;
	readonly isDeflated: boolean;
};

/** Counted since the session's start: CPU time of all threads, and thread samples that waited for another's lock. */
type Totals = {readonly cpuNs: number; readonly blockedTicks: number};

/** What a ring of a recording has beside its windows. */
type RecordedRing = {
	/** Names of the session's figures, and the columns that change, as the file has them. */
	readonly figures: readonly string[];
	readonly columns: readonly Changing[];
	/** Bodies that lead from nothing to the end of a window, by its index; -1: to that of the base. Without one: nothing was counted there. */
	readonly whole: ReadonlyMap<number, (() => Uint8Array) | undefined>;
	/** Indexes of windows that the one before does not lead to: what was between them is damaged. */
	readonly gaps: readonly number[];
	/** The moment, if its values may be used. Throws RangeError for others. */
	check(looked: Looked): Looked;
};

/** The last windows of a session: of a second for ten minutes, of ten seconds before that. Immutable. */
export type Ring = {
	/** Where the oldest window begins; undefined: where the session did. */
	readonly base: RingWindow | undefined;
	/** Oldest first. */
	readonly windows: readonly RingWindow[];
	/** So many of them, the oldest, are no longer merged with others. */
	readonly settled: number;
	/** What the newest window ended with; undefined before the first. */
	readonly newest: Snapshot | undefined;
	/** What was counted by then in all. */
	readonly totals: Totals;
	/** Only of a recording: how it is read. */
	readonly recording?: RecordedRing;
	/** Bytes of all windows, about. */
	readonly bytes: number;
};

export const emptyRing: Ring = Object.freeze({
	base: undefined, windows: [], settled: 0, newest: undefined, totals: {cpuNs: 0, blockedTicks: 0}, bytes: 0,
});

export type RingBounds = {
	/** A snapshot that is so much younger than the last window's end begins no new one: refreshes come a little early. */
	readonly leastMs: number;
	/** Windows older than this are merged to such of `coarseMs`, which begin and end at whole ones on the clock. */
	readonly fineForMs: number;
	readonly coarseMs: number;
	readonly maxBytes: number;
	readonly maxWindows: number;
};

export const usualBounds: RingBounds = {
	leastMs: 900, fineForMs: 600_000, coarseMs: 10_000, maxBytes: 24 * 1024 * 1024, maxWindows: 10_000,
};

/** What a window takes beside its body. */
const windowBytes = 250;

/** The ring with what was sampled since its newest window; the same ring when that is almost nothing. */
export function addToRing(ring: Ring, snapshot: Snapshot, {vitals = {}, said = {}}: Partial<Beside> = {}, bounds: RingBounds = usualBounds): Ring {
	const {session} = snapshot;
	const {newest} = ring;
	if (session.samples === (newest?.session.samples ?? 0) || (newest && session.takenAtMs - newest.session.takenAtMs < bounds.leastMs)) {
		return ring;
	}

	const totals = {cpuNs: cpuOf(snapshot), blockedTicks: blockedTicks(snapshot)};
	const window = windowOf(ring, snapshot, totals, {vitals, said});
	return bounded(coarsened({
		...ring, windows: [...ring.windows, window], newest: snapshot, totals, bytes: ring.bytes + sizeOf(window),
	}, bounds), bounds);
}

function sizeOf({bytes}: RingWindow): number {
	return bytes + windowBytes;
}

function windowOf({newest: then, totals: before}: Ring, now: Snapshot, totals: Totals, beside: Beside): RingWindow {
	const {session} = now;
	return {
		atMs: session.lastSampleAtMs || session.takenAtMs,
		cpuNs: totals.cpuNs - before.cpuNs,
		sampledMs: session.sampledMs - (then?.session.sampledMs ?? 0),
		blockedTicks: totals.blockedTicks - before.blockedTicks,
		samples: session.samples - (then?.session.samples ?? 0),
		...kept(windowBody(then, now, beside)),
	};
}

function kept(body: Uint8Array): Pick<RingWindow, 'body' | 'bytes' | 'isDeflated'> {
	return {body: () => body, bytes: body.length, isDeflated: false};
}

/** A window with 4 KB to look back in and little memory while it deflates: what changes is some kilobytes at most. */
const deflating = {windowBits: 12, memLevel: 5};

/** The window in fewer bytes; as it is where there would be more. */
function deflated(window: RingWindow): RingWindow {
	// What zlib gives is a part of a buffer of 16 KB.
	const fewer = new Uint8Array(deflateRawSync(window.body(), deflating));
	return fewer.length < window.bytes ? {...window, body: () => inflateRawSync(fewer), bytes: fewer.length, isDeflated: true} : window;
}

function cpuOf({threads}: Snapshot): number {
	return sumUpTo(threads.count, thread => threads.cpuNs[thread]);
}

/** A thread that waits for a monitor is BLOCKED; for a lock of java.util.concurrent its holder must be known. */
function blockedTicks({counters, contention}: Snapshot): number {
	const {count, state, ticks} = counters;
	let sum = sumUpTo(contention.count, row => contention.lockKind[row] === lockKindCode.park && contention.owner[row] >= 0 ? contention.ticks[row] : 0);
	for (let counter = 0; counter < count; counter++) {
		sum += Number(state[counter] === stateCode.BLOCKED) * ticks[counter];
	}

	return sum;
}

/** Merges what is old enough, window by window, and deflates what is complete. */
function coarsened(ring: Ring, {fineForMs, coarseMs}: RingBounds): Ring {
	const oldMs = ring.windows.at(-1)!.atMs - fineForMs;
	if (!(ring.windows[ring.settled]?.atMs <= oldMs)) {
		return ring;
	}

	const windows = [...ring.windows];
	let {settled, bytes} = ring;
	while (settled < windows.length && windows[settled].atMs <= oldMs) {
		const [before, window] = [windows[settled - 1] as RingWindow | undefined, windows[settled]];
		if (before && Math.ceil(before.atMs / coarseMs) === Math.ceil(window.atMs / coarseMs)) {
			const one = together(before, window);
			bytes += sizeOf(one) - sizeOf(before) - sizeOf(window);
			windows.splice(settled - 1, 2, one);
		} else {
			if (before) {
				windows[settled - 1] = deflated(before);
				bytes += sizeOf(windows[settled - 1]) - sizeOf(before);
			}

			settled++;
		}
	}

	return {
		...ring, windows, settled, bytes,
	};
}

/** Two windows, one after the other, as one. */
export function together(first: RingWindow, second: RingWindow): RingWindow {
	return {
		...second,
		...kept(mergedBody(first.body(), second.body())),
		cpuNs: first.cpuNs + second.cpuNs,
		sampledMs: first.sampledMs + second.sampledMs,
		blockedTicks: first.blockedTicks + second.blockedTicks,
		samples: first.samples + second.samples,
	};
}

/** Leaves out the oldest windows for which there is no room. */
function bounded(ring: Ring, {maxBytes, maxWindows}: RingBounds): Ring {
	let {bytes} = ring;
	let dropped = 0;
	while (dropped < ring.windows.length - 1 && (bytes > maxBytes || ring.windows.length - dropped > maxWindows)) {
		bytes -= sizeOf(ring.windows[dropped++]);
	}

	if (dropped === 0) {
		return ring;
	}

	return {
		...ring, base: ring.windows[dropped - 1], windows: ring.windows.slice(dropped), settled: Math.max(0, ring.settled - dropped), bytes,
	};
}
