import type {Snapshot} from '../../model/snapshot.js';

/** The stretches of time that a view can show; the ids of the z key's choices. */
export const windows = [
	{id: 'start', title: 'since start'},
	{id: 'reset', title: 'since reset'},
	{id: 'last-10s', title: 'last 10 s'},
	{id: 'refresh', title: 'last refresh'},
] as const;
export type WindowId = (typeof windows)[number]['id'];

/** Snapshots at which windows begin. Immutable. */
export type WindowStarts = {
	/** Oldest first; the last one is the newest snapshot that was shown. */
	readonly refreshes: readonly Snapshot[];
	readonly resets: readonly Snapshot[];
};

export const noStarts: WindowStarts = Object.freeze({refreshes: [], resets: []});

/** Length of the window `last-10s`. */
export const lastTenSecondsMs = 10_000;

/** Minimum time between two snapshots kept for `last-10s`, and so the maximum error of that window's length. */
const keptEveryMs = 1000;

/** Resets that can be undone. */
const maxResets = 20;

function timeOf({session}: Snapshot): number {
	return session.lastSampleAtMs || session.takenAtMs;
}

/** Returns the starts with a snapshot that is shown; the same object if it has no new samples. */
export function remember(starts: WindowStarts, snapshot: Snapshot): WindowStarts {
	const newest = starts.refreshes.at(-1);
	if (newest?.session.samples === snapshot.session.samples) {
		return starts;
	}

	const kept: Snapshot[] = [];
	for (const candidate of starts.refreshes.slice(0, -1)) {
		const before = kept.at(-1);
		if (!before || timeOf(candidate) - timeOf(before) >= keptEveryMs) {
			kept.push(candidate);
		}
	}

	// Keep the one at which the last 10 s begin, but none before it.
	const first = Math.max(
		0,
		kept.findLastIndex(candidate => timeOf(snapshot) - timeOf(candidate) >= lastTenSecondsMs),
	);
	return {...starts, refreshes: [...kept.slice(first), ...(newest ? [newest] : []), snapshot]};
}

/** Returns the starts with a reset: the window `reset` begins at the snapshot. */
export function reset(starts: WindowStarts, snapshot: Snapshot): WindowStarts {
	return {...starts, resets: [...starts.resets, snapshot].slice(-maxResets)};
}

export function undoReset(starts: WindowStarts): WindowStarts {
	return {...starts, resets: starts.resets.slice(0, -1)};
}

/** Returns the snapshot at which a window that ends at `snapshot` begins; undefined: at the session's start. */
export function windowStart(window: WindowId, starts: WindowStarts, snapshot: Snapshot): Snapshot | undefined {
	const earlier = starts.refreshes.filter(candidate => candidate.session.samples < snapshot.session.samples);
	switch (window) {
		case 'start': {
			return undefined;
		}

		case 'reset': {
			return starts.resets.at(-1);
		}

		case 'last-10s': {
			return earlier.findLast(candidate => timeOf(snapshot) - timeOf(candidate) >= lastTenSecondsMs);
		}

		case 'refresh': {
			return earlier.at(-1);
		}
	}
}

/** Rates over some time; undefined if it is too short. */
export type SamplingRates = {
	/** Samples per second of sampling. */
	readonly samplesPerS?: number;
	/** tprof-top's own CPU time, percent of a core. */
	readonly ownCpuPercent?: number;
};

/** Minimum time for a rate. */
const leastMs = 500;

/** Time in which our code is loaded and compiled: the CPU time used then is not that of sampling. */
const startUpMs = 3000;

/** Returns the rates of the last ten seconds, or since the first snapshot; own CPU without start-up. */
export function recentRates({refreshes}: WindowStarts, {session}: Snapshot): SamplingRates {
	const begin = refreshes.findLast(({session: {takenAtMs}}) => session.takenAtMs - takenAtMs >= lastTenSecondsMs)
		?? refreshes.at(0);
	const started = refreshes.find(({session: {takenAtMs, startedAtMs}}) => takenAtMs - startedAtMs >= startUpMs);
	return begin
		? {
			samplesPerS: between(session, begin.session).samplesPerS,
			ownCpuPercent: started
				&& between(
					session,
					started.session.takenAtMs > begin.session.takenAtMs ? started.session : begin.session,
				).ownCpuPercent,
		}
		: {};
}

/** Returns the rates of a window, up to its last sample; `since` undefined: from the session's start. */
export function ratesOf({session}: Snapshot, since: Snapshot | undefined): SamplingRates {
	const then = since?.session ?? {samples: 0, sampledMs: 0, selfCpuMs: 0, takenAtMs: session.startedAtMs};
	return between({...session, durationMs: session.sampledMs}, {...then, durationMs: then.sampledMs});
}

type Figures = Pick<Snapshot['session'], 'samples' | 'durationMs' | 'selfCpuMs' | 'takenAtMs'>;

function between(now: Figures, then: Figures): SamplingRates {
	const sampledMs = now.durationMs - then.durationMs;
	const passedMs = now.takenAtMs - then.takenAtMs;
	return {
		samplesPerS: sampledMs >= leastMs ? 1000 * (now.samples - then.samples) / sampledMs : undefined,
		ownCpuPercent: passedMs >= leastMs ? 100 * Math.max(0, now.selfCpuMs - then.selfCpuMs) / passedMs : undefined,
	};
}
