import {isDeepStrictEqual} from 'node:util';
import {fromNames, namesOf, type Columns} from '../../model/column-types.js';
import {lockKinds} from '../../model/sample.js';
import {
	bounds, savedObject, targetOf, savedText, valueOrNone, withReports, aboutOf, type Document, type Sizes,
} from '../../model/saved-values.js';
import {eventKinds, sessionFigures} from '../../model/schema.js';
import type {Snapshot, TargetVitals} from '../../model/snapshot.js';
import {printable} from '../../util/printable.js';
import {threadStates} from '../../model/thread-state.js';
import {VarintReader, VarintWriter} from '../../util/varints.js';
import {columnsOfRegion, windowRegions, type Counts} from '../../query/past/deltas.js';
import {fromZeros, momentFrom, type SessionFacts} from '../../query/past/look-back.js';
import {
	sessionFigureNames, maxJsonBytes, readBody, windowBody, type MomentFacts, type PastMoment,
} from '../../query/past/window-body.js';
import {version} from '../../util/version.js';
import {checkStacks, maxContention, maxSamples, maxProfileThreads, tooMany} from '../common/limits.js';
import {contentOf, noNames, partsOf} from './blocks.js';
import {ReadNames} from './recorded-names.js';

/* A moment of a session as bytes, which are untrusted when they are read. docs/formats.md has the format. */

/**
Names of the numbers in a window, in order, and of codes. A reader refuses files with other names, but not those with
fewer kinds of events.
*/
const layout = {
	figures: sessionFigureNames,
	columns: fromNames(windowRegions, region => namesOf(columnsOfRegion[region])),
	states: threadStates,
	lockKinds,
};

/** Returns a session's target and engine, `layout` and the kinds of events, as JSON. */
export function sessionJson({target, session: {engine, timer}}: Snapshot): string {
	return JSON.stringify({tool: 'tprof-top', version, target, engine, timer, ...layout, eventKinds});
}

/** Reads what `sessionJson` wrote. Throws RangeError or SyntaxError. */
export function readSession(json: string): Omit<SessionFacts, 'dictionary'> {
	const about = savedObject(JSON.parse(json));
	const kinds = about.eventKinds;
	const areKindsKnown = Array.isArray(kinds) && isDeepStrictEqual(kinds, eventKinds.slice(0, kinds.length));
	if (!areKindsKnown || !Object.entries(layout).every(([name, names]) => isDeepStrictEqual(about[name], names))) {
		throw new RangeError('it is of another version of tprof-top');
	}

	return {
		target: targetOf(savedObject(about.target)),
		session: {engine: savedText(about.engine), timer: savedText(about.timer)},
	};
}

/** Throws RangeError if a moment has too many rows. */
export function checkCounts({counters, contention, events, threads}: Counts): void {
	const limits = [
		[counters, maxSamples, 'samples'],
		[contention, maxContention, 'waits'],
		[events, maxSamples, 'events'],
		[threads, maxProfileThreads, 'threads'],
	] as const;
	for (const [count, most, called] of limits) {
		if (count > most) {
			throw tooMany(most, called);
		}
	}
}

/** Returns the moment with printable texts after checking the bounds of each value. Throws RangeError. */
export function checked({snapshot, vitals, sourceNotes}: PastMoment, names: ReadNames): PastMoment {
	const {dictionary, threads, session} = snapshot;
	const sizes: Sizes = {
		strings: dictionary.strings.length,
		frames: dictionary.frameCount,
		nodes: dictionary.nodeCount,
		threads: threads.count,
	};
	for (const region of windowRegions) {
		const {count, ...arrays} = snapshot[region];
		for (const [name, {unit, ...column}] of Object.entries<Columns[string]>(columnsOfRegion[region])) {
			const [min, max] = bounds[unit](sizes);
			const least = 'isSigned' in column ? -max : min;
			const values = (arrays as unknown as Readonly<Record<string, Float64Array>>)[name];
			for (let index = 0; index < count; index++) {
				if (!(values[index] >= least && values[index] <= max)) {
					throw new RangeError('a number is out of range');
				}
			}
		}
	}

	checkStacks(names.depths, snapshot.counters);
	checkStacks(names.depths, snapshot.events);
	const figures = Object
		.fromEntries(sessionFigureNames.map(name =>
			[name, valueOrNone(sessionFigures[name].unit, session[name], sizes)]));
	return {
		snapshot: {
			...snapshot,
			session: {...session, ...figures},
		},
		vitals: checkedVitals(savedObject(vitals)),
		sourceNotes: checkedTexts(savedObject(sourceNotes)),
	};
}

/** Names of figures that may be below 0. */
const growthName = /Growth(?:Bytes)?PerMin$/;

function checkedVitals({gcCause, recentGcCause, minuteGcCause, openMostly, ...vitals}: Document): TargetVitals {
	const isFigure = (value: unknown) => typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER;
	const figures: TargetVitals = Object.fromEntries(Object.entries(vitals).filter(([name, value]) =>
		['isStopped', 'isFrozen', 'isDirectUnknown'].includes(name)
		|| isFigure(growthName.test(name) && typeof value === 'number' ? Math.abs(value) : value)));
	return {...figures, ...checkedTexts({gcCause, recentGcCause, minuteGcCause, openMostly})};
}

function checkedTexts(sourceNotes: Document): MomentFacts['sourceNotes'] {
	const texts = Object.entries(sourceNotes).filter(([, value]) => typeof value === 'string');
	return Object.fromEntries(texts.map(([name, value]) => [name, printable(String(value))]));
}

const bytes = new VarintWriter();

/** Returns a snapshot as bytes; if it is of a window, with an agent's reports at its start. */
export function snapshotBytes(snapshot: Snapshot): Uint8Array {
	const {dictionary, traces, tasks} = snapshot;
	bytes.byteString(sessionJson(snapshot));
	for (const report of [traces, tasks]) {
		bytes.byteString(report?.since?.bytes ?? new Uint8Array());
	}

	bytes.bytes(contentOf(dictionary, noNames, windowBody(undefined, snapshot, {vitals: {}, sourceNotes: {}})));
	return bytes.take();
}

/** Reads what `snapshotBytes` wrote. Throws RangeError or SyntaxError. */
export function readSnapshot(saved: Uint8Array): Snapshot {
	const from = new VarintReader(saved);
	const session = readSession(from.byteStringText(maxJsonBytes));
	const [tracesBefore, tasksBefore] = [from.byteString(), from.byteString()];
	const {names: named, body} = partsOf(from.bytes());
	const names = new ReadNames();
	if (!names.take(named)) {
		throw new RangeError('names are missing');
	}

	const end = readBody(body);
	checkCounts(end.counts);
	const {snapshot} = checked(
		momentFrom(fromZeros(end.counts, end), {...session, dictionary: names.dictionary()}, end),
		names,
	);
	const {traces, tasks} = snapshot;
	const before = withReports(tracesBefore, tasksBefore, tasks && aboutOf(tasks));
	return {
		...snapshot,
		...(traces && before.traces ? {traces: {...traces, since: before.traces}} : {}),
		...(tasks && before.tasks ? {tasks: {...tasks, since: before.tasks}} : {}),
	};
}
