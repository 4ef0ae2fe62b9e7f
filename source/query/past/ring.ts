import {sumUpTo} from '../../model/sum.js';
import {fromNames, namesOf} from '../../model/column-types.js';
import {lockKindCode} from '../../model/sample.js';
import {sessionFigures} from '../../model/schema.js';
import type {SessionStats, Snapshot, TargetVitals} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {
	countsOf, deltas, merged, deflated, type Counts, type KeptChanges,
} from './deltas.js';

/** A moment of the session that windows begin and end at. */
export type Moment = {
	/** As the target's samples tell the time, epoch milliseconds: it stands still while sampling does. */
	readonly atMs: number;
	/** Those of the session, in the schema's order: as an object they would take twice the room. */
	readonly figures: readonly number[];
	readonly counts: Counts;
	readonly vitals: TargetVitals;
};

/** A stretch of the session, and the moment that it ends at; it begins where the one before ends, and what changed since. */
export type RingWindow = Moment & KeptChanges & {
	/** CPU time of all threads, and the time of which it is a share. */
	readonly cpuNs: number;
	readonly sampledMs: number;
	/** Thread samples that waited for a lock that another thread held; and samples. */
	readonly blockedTicks: number;
	readonly samples: number;
};

/** Counted since the session's start: CPU time of all threads, and thread samples that waited for another's lock. */
type Totals = {readonly cpuNs: number; readonly blockedTicks: number};

/** The last windows of a session: of a second for ten minutes, of ten seconds before that. Immutable. */
export type Ring = {
	/** Where the oldest window begins; undefined: where the session did. */
	readonly base: Moment | undefined;
	/** Oldest first. */
	readonly windows: readonly RingWindow[];
	/** So many of them, the oldest, are no longer merged with others. */
	readonly settled: number;
	/** What the newest window ended with; undefined before the first. */
	readonly newest: Snapshot | undefined;
	/** What was counted by then in all. */
	readonly totals: Totals;
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

/** What a window takes beside its changes. */
const windowBytes = 800;

const figureNames = namesOf(sessionFigures);

/** How the sampling itself had gone at a moment of the session that this is a later snapshot of. */
export function sessionAt({figures}: Moment, {session: {engine, timer}}: Snapshot): SessionStats {
	return {engine, timer, ...fromNames(figureNames, (_, index) => figures[index])};
}

/** The ring with what was sampled since its newest window; the same ring when that is almost nothing. */
export function addToRing(ring: Ring, snapshot: Snapshot, vitals: TargetVitals = {}, bounds: RingBounds = usualBounds): Ring {
	const {session} = snapshot;
	const {newest} = ring;
	if (session.samples === (newest?.session.samples ?? 0) || (newest && session.takenAtMs - newest.session.takenAtMs < bounds.leastMs)) {
		return ring;
	}

	const totals = {cpuNs: cpuOf(snapshot), blockedTicks: blockedTicks(snapshot)};
	const window = windowOf(ring, snapshot, totals, vitals);
	return bounded(coarsened({
		...ring, windows: [...ring.windows, window], newest: snapshot, totals, bytes: ring.bytes + sizeOf(window),
	}, bounds), bounds);
}

function sizeOf({changes}: RingWindow): number {
	return changes.length + windowBytes;
}

function windowOf({newest: then, totals: before}: Ring, now: Snapshot, totals: Totals, vitals: TargetVitals): RingWindow {
	const {session} = now;
	return {
		atMs: session.lastSampleAtMs || session.takenAtMs,
		figures: figureNames.map(name => session[name]),
		counts: countsOf(now),
		vitals,
		changes: deltas(then, now),
		isDeflated: false,
		cpuNs: totals.cpuNs - before.cpuNs,
		sampledMs: session.sampledMs - (then?.session.sampledMs ?? 0),
		blockedTicks: totals.blockedTicks - before.blockedTicks,
		samples: session.samples - (then?.session.samples ?? 0),
	};
}

function cpuOf({threads}: Snapshot): number {
	return sumUpTo(threads.count, thread => threads.cpuNs[thread]);
}

/** A thread that waits for a monitor is BLOCKED; for a lock of java.util.concurrent its holder must be known. */
function blockedTicks({counters, contention}: Snapshot): number {
	const {count, state, ticks} = counters;
	let sum = sumUpTo(contention.count, row => contention.lockKind[row] === lockKindCode.park && contention.owner[row] >= 0 ? contention.ticks[row] : 0);
	for (let counter = 0; counter < count; counter++) {
		sum += state[counter] === stateCode.BLOCKED ? ticks[counter] : 0;
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

function together(first: RingWindow, second: RingWindow): RingWindow {
	return {
		...second,
		changes: merged(first.changes, second.changes),
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

	const {atMs, figures, counts, vitals} = ring.windows[dropped - 1];
	return {
		...ring,
		base: {
			atMs, figures, counts, vitals,
		},
		windows: ring.windows.slice(dropped), settled: Math.max(0, ring.settled - dropped), bytes,
	};
}
