import type {Snapshot} from '../../model/snapshot.js';

/** The stretches of time that a view can show; the ids of the z key's choices. */
export const windows = [
	{id: 'start', title: 'since start'},
	{id: 'reset', title: 'since reset'},
	{id: 'last-10s', title: 'last 10 s'},
	{id: 'refresh', title: 'last refresh'},
] as const;
export type WindowId = (typeof windows)[number]['id'];

/** Snapshots that windows begin at. Plain data, never changed: every function returns a new one. */
export type Past = {
	/** Oldest first; the last one is the newest snapshot that was shown. */
	readonly refreshes: readonly Snapshot[];
	readonly resets: readonly Snapshot[];
};

/** The past before the first refresh: every window begins at the session's start. */
export const noPast: Past = Object.freeze({refreshes: [], resets: []});

/** Length of the window `last-10s`. */
export const lastMs = 10_000;

/** Time between two snapshots that are kept for `last-10s`, which is at most that much too long. */
const keptEveryMs = 1000;

/** Resets that can be undone. */
const maxResets = 20;

/** Time as the target's samples tell it: it stands still while sampling does. */
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

export function undoReset(past: Past): Past {
	return {...past, resets: past.resets.slice(0, -1)};
}

/** The snapshot at which a window of `snapshot` begins; undefined: at the session's start. */
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

/** How sampling goes now, over the last ten seconds or so; figures that are not known yet are missing. */
export type SamplingRates = {
	/** Samples per second of sampling. */
	readonly samplesPerS?: number;
	/** CPU time of our own process, percent of a core. */
	readonly ownCpuPercent?: number;
};

/** A shorter time says nothing about a rate. */
const leastMs = 500;

/** "Lately", milliseconds. */
const recentMs = 10_000;

/** Our own start-up: code is loaded and compiled, which says nothing of what sampling costs. */
const startUpMs = 3000;

/** The rates of the last ten seconds, or since the first snapshot; own CPU time without that of the start. */
export function recentRates({refreshes}: Past, {session}: Snapshot): SamplingRates {
	const begin = refreshes.findLast(({session: {takenAtMs}}) => session.takenAtMs - takenAtMs >= recentMs) ?? refreshes.at(0);
	const started = refreshes.find(({session: {takenAtMs, startedAtMs}}) => takenAtMs - startedAtMs >= startUpMs);
	return begin
		? {
			samplesPerS: between(session, begin.session).samplesPerS,
			ownCpuPercent: started && between(session, started.session.takenAtMs > begin.session.takenAtMs ? started.session : begin.session).ownCpuPercent,
		}
		: {};
}

/** The same of a recording: over all of it. */
export function overallRates(snapshot: Snapshot): SamplingRates {
	return ratesOf(snapshot, undefined);
}

/** The same of a window. */
export function ratesOf({session}: Snapshot, since: Snapshot | undefined): SamplingRates {
	return between(session, since?.session ?? {
		samples: 0, durationMs: 0, selfCpuMs: 0, takenAtMs: session.startedAtMs,
	});
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
