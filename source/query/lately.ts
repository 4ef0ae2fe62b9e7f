import type {Snapshot} from '../model/snapshot.js';
import type {Past} from './facts/window.js';

/** How sampling goes now, over the last ten seconds or so; figures that are not known yet are missing. */
export type Lately = {
	/** Samples per second of sampling. */
	readonly samplesPerS?: number;
	/** CPU time of our own process, percent of a core. */
	readonly ownCpuPercent?: number;
};

/** A shorter time says nothing about a rate. */
const leastMs = 500;

/** "Lately", milliseconds. */
const latelyMs = 10_000;

/** Our own start-up: code is loaded and compiled, which says nothing of what sampling costs. */
const startUpMs = 3000;

/**
What was reached in the last ten seconds up to `snapshot`, or since the first one while the session is young; our own
CPU time without that of our start-up.
*/
export function lately({refreshes}: Past, {session}: Snapshot): Lately {
	const begin = refreshes.findLast(({session: {takenAtMs}}) => session.takenAtMs - takenAtMs >= latelyMs) ?? refreshes.at(0);
	const started = refreshes.find(({session: {takenAtMs, startedAtMs}}) => takenAtMs - startedAtMs >= startUpMs);
	return begin
		? {
			samplesPerS: between(session, begin.session).samplesPerS,
			ownCpuPercent: started && between(session, started.session.takenAtMs > begin.session.takenAtMs ? started.session : begin.session).ownCpuPercent,
		}
		: {};
}

/** The same of a recording: over all of it. */
export function overall(snapshot: Snapshot): Lately {
	return during(snapshot, undefined);
}

/** The same of a window. */
export function during({session}: Snapshot, baseline: Snapshot | undefined): Lately {
	return between(session, baseline?.session ?? {
		samples: 0, durationMs: 0, selfCpuMs: 0, takenAtMs: session.startedAtMs,
	});
}

type Figures = Pick<Snapshot['session'], 'samples' | 'durationMs' | 'selfCpuMs' | 'takenAtMs'>;

function between(now: Figures, then: Figures): Lately {
	const sampledMs = now.durationMs - then.durationMs;
	const passedMs = now.takenAtMs - then.takenAtMs;
	return {
		samplesPerS: sampledMs >= leastMs ? 1000 * (now.samples - then.samples) / sampledMs : undefined,
		ownCpuPercent: passedMs >= leastMs ? 100 * Math.max(0, now.selfCpuMs - then.selfCpuMs) / passedMs : undefined,
	};
}
