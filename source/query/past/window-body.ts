import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {fromNames, namesOf} from '../../model/column-types.js';
import {sessionFigures} from '../../model/schema.js';
import type {SourceStatus} from '../../model/source.js';
import {aboutOf, withReports} from '../../model/saved-values.js';
import {readPools, savedPools} from '../../model/pool-reading.js';
import {VarintReader, VarintWriter} from '../../util/varints.js';
import {deltas, mergedDeltas, windowRegions, type Counts} from './deltas.js';

/*
A window as bytes, in the ring and in a recording: the session's figures at its end, and what changed in it.
docs/formats.md has the format.
*/

/** Facts of a moment beside the snapshot. */
export type MomentFacts = {
	readonly vitals: TargetVitals;
	/** Notes of the source on how it samples; `said` in files. */
	readonly sourceNotes: Pick<SourceStatus, 'note' | 'lineNote' | 'tracer'>;
};

/** A moment of the past. */
export type PastMoment = MomentFacts & {readonly snapshot: Snapshot};

/** Maximum bytes of JSON in a window. */
export const maxJsonBytes = 2 ** 20;

export type WindowBody = MomentFacts & {
	readonly figures: Readonly<Record<keyof typeof sessionFigures, number>>;
	readonly counts: Counts;
	/** See deltas.ts. */
	readonly changes: Uint8Array;
	/** Returns an agent's newest reports and the pools, if any. Throws RangeError. */
	reports(): Pick<Snapshot, 'traces' | 'tasks' | 'pools'>;
};

export const sessionFigureNames = namesOf(sessionFigures);

const bytes = new VarintWriter();

/** Returns the bytes of the window from `then` (undefined: from zeros) to `now`. */
export function windowBody(then: Snapshot | undefined, now: Snapshot, {vitals, sourceNotes}: MomentFacts): Uint8Array {
	const changes = deltas(then, now);
	const {traces, tasks, pools} = now;
	bytes.byteString(JSON.stringify({
		vitals,
		said: sourceNotes,
		...(tasks ? {tasks: aboutOf(tasks)} : {}),
		...(pools ? {pools: savedPools(pools)} : {}),
	}));
	for (const report of [traces, tasks]) {
		bytes.byteString(report?.bytes ?? new Uint8Array());
	}

	for (const name of sessionFigureNames) {
		bytes.exact(now.session[name]);
	}

	for (const region of windowRegions) {
		bytes.number(now[region].count);
	}

	bytes.bytes(changes);
	return bytes.take();
}

/** Reads a body. Throws RangeError or SyntaxError. */
export function readBody(body: Uint8Array): WindowBody {
	const from = new VarintReader(body);
	const {vitals = {}, said: sourceNotes = {}, tasks, pools} = JSON.parse(from.byteStringText(maxJsonBytes)) as
		& Pick<MomentFacts, 'vitals'>
		& {readonly said?: MomentFacts['sourceNotes']; readonly tasks?: unknown; readonly pools?: unknown};
	const [traced, followed] = [from.byteString(), from.byteString()];
	return {
		vitals,
		sourceNotes,
		reports: () => ({
			...withReports(traced, followed, tasks),
			...(pools === undefined ? {} : {pools: readPools(pools)}),
		}),
		figures: fromNames(sessionFigureNames, () => from.exact()),
		counts: fromNames(windowRegions, () => from.number()),
		changes: from.bytes(),
	};
}

/** Merges two consecutive windows. */
export function mergedBody(first: Uint8Array, second: Uint8Array): Uint8Array {
	const [{changes}, {changes: later}] = [readBody(first), readBody(second)];
	bytes.bytes(second.subarray(0, second.length - later.length));
	bytes.bytes(mergedDeltas(changes, later));
	return bytes.take();
}
