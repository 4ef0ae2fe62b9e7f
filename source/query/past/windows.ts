import type {Snapshot} from '../../model/snapshot.js';

/** The stretches of time that a view can show; the ids of the z key's choices. */
export const windows = [
	{id: 'start', title: 'since start'},
	{id: 'reset', title: 'since reset'},
	{id: 'last-10s', title: 'last 10 s'},
	{id: 'refresh', title: 'last refresh'},
] as const;
export type WindowId = (typeof windows)[number]['id'];

/**
Snapshots kept to begin windows at. Plain data, never changed: every function returns a new one.
Snapshots share what only grows, so that one costs little more than its counters.
*/
export type Past = {
	/** Oldest first; the last one is the newest snapshot that was shown. */
	readonly refreshes: readonly Snapshot[];
	/** The newest last. */
	readonly resets: readonly Snapshot[];
};

/** The past before the first refresh: every window begins at the session's start. */
export const noPast: Past = Object.freeze({refreshes: [], resets: []});

/** Length of the window `last-10s`. */
const lastMs = 10_000;

/**
Time between two snapshots that are kept for `last-10s`: the window is at most that much too long, and 12 of them are
enough.
*/
const keptEveryMs = 1000;

/** Resets that can be undone. */
const maxResets = 20;

/**
Time as the target's samples tell it: it stands still while sampling does, so that a paused or ended session keeps its
last windows.
*/
function timeOf({session}: Snapshot): number {
	return session.lastSampleAtMs || session.takenAtMs;
}

/** The past with a snapshot that is shown from now on; the same past when nothing was sampled since the last one. */
export function remember(past: Past, snapshot: Snapshot): Past {
	const newest = past.refreshes.at(-1);
	if (newest?.session.samples === snapshot.session.samples) {
		return past;
	}

	const kept: Snapshot[] = [];
	for (const candidate of past.refreshes.slice(0, -1)) {
		const before = kept.at(-1);
		if (!before || timeOf(candidate) - timeOf(before) >= keptEveryMs) {
			kept.push(candidate);
		}
	}

	// The one that begins the last 10 s stays, those before it are not needed any more.
	const first = Math.max(0, kept.findLastIndex(candidate => timeOf(snapshot) - timeOf(candidate) >= lastMs));
	return {...past, refreshes: [...kept.slice(first), ...(newest ? [newest] : []), snapshot]};
}

/** The past with a reset at a snapshot: the window `reset` begins there. */
export function reset(past: Past, snapshot: Snapshot): Past {
	return {...past, resets: [...past.resets, snapshot].slice(-maxResets)};
}

/** The past without the last reset. */
export function undoReset(past: Past): Past {
	return {...past, resets: past.resets.slice(0, -1)};
}

/**
The snapshot at which a window of `snapshot` begins; undefined: at the session's start. `past` may have `snapshot`
already.
*/
export function windowStart(window: WindowId, past: Past, snapshot: Snapshot): Snapshot | undefined {
	const earlier = past.refreshes.filter(candidate => candidate.session.samples < snapshot.session.samples);
	switch (window) {
		case 'start': {
			return undefined;
		}

		case 'reset': {
			return past.resets.at(-1);
		}

		case 'last-10s': {
			return earlier.findLast(candidate => timeOf(snapshot) - timeOf(candidate) >= lastMs);
		}

		case 'refresh': {
			return earlier.at(-1);
		}
	}
}
