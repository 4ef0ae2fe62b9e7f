import type {Snapshot} from '../../model/snapshot.js';
import type {Past} from './windows.js';

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

/**
What was reached in the last ten seconds up to `snapshot`, or since the first one while the session is young; our own
CPU time without that of our start-up.
*/
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
