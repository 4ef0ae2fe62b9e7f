import type {
	AgentTaskReport, CounterReading, LongStay, TasksNow, TaskStays,
} from '../../model/tasks/report.js';
import type {Probe} from '../../model/tasks/probe.js';
import {bucketCount} from '../../model/traces/report.js';
import {Numbers} from '../../model/traces/numbers.js';
import {phases} from '../../model/traces/report-bytes.js';

/*
The agent's reports of tasks: agent/src/main/java/tprof/agent/TaskReport.java has the other side of each line. They come
from the target, so nothing in them is trusted.
*/

/** Different from that of traces. */
const format = 101;
/** More than the agent ever writes. */
const most = {texts: 1000, kinds: 1000, workers: 5000, stays: 40_000, longest: 1000, readings: 10_000};

/** Reads a report of tasks that a probe follows. Throws RangeError for what is not one. */
export function parseTaskReport(bytes: Uint8Array, {states, points, counters}: Probe): AgentTaskReport {
	const from = new Numbers(bytes);
	if (from.number() !== format) {
		throw new RangeError('a report of an unknown format');
	}

	const phase = phases[from.below(phases.length + 1) - 1] ?? 'surveyed';
	const [command, startedAtMs, elapsedNs, wovenClasses, wovenMethods] = Array.from({length: 5}, () => from.number());
	const refused = from.list(most.texts, () => ({name: from.text(), reason: from.text()}));
	const [missingPoints, unloadedPoints] = Array.from({length: 2}, () => from.list(points.length, () => from.below(points.length)));
	const [oneIn, skipped, dropped, missed] = Array.from({length: 4}, () => from.number());
	const stays: TaskStays[] = [];
	for (let worker = from.number(); worker > 0; worker = from.number()) {
		if (stays.length === most.stays) {
			throw new RangeError('too many of them');
		}

		stays.push(readStays(from, worker - 1, states.length));
	}

	const now: TasksNow[] = [];
	for (let kind = from.number(); kind > 0; kind = from.number()) {
		if (now.length === most.stays) {
			throw new RangeError('too many of them');
		}

		now.push({
			kind: kind - 1, state: from.below(states.length), count: from.number(), sumNs: from.number(), oldestNs: from.number(),
		});
	}

	const longest = from.list(most.longest, (): LongStay => ({
		kind: from.number(), state: from.below(states.length), ageNs: from.number(), worker: from.text(),
	}));
	const readings = from.list(most.readings, (): CounterReading => ({counter: from.below(counters.length), of: from.text(), value: from.number()}));
	const kinds = from.list(most.kinds, () => from.text());
	const workers = from.list(most.workers, () => from.text());
	if ([...stays, ...now, ...longest].some(({kind}) => kind >= kinds.length) || stays.some(({worker}) => worker >= workers.length)) {
		throw new RangeError('a name that is not there');
	}

	return {
		phase, command, startedAtMs, elapsedNs, wovenClasses, wovenMethods, refused, missingPoints, unloadedPoints, oneIn, skipped, dropped, missed, stays, now, longest, readings, kinds, workers,
	};
}

function readStays(from: Numbers, worker: number, stateCount: number): TaskStays {
	const [kind, state] = [from.number(), from.below(stateCount)];
	const [count, totalNs, leastNs, mostNs] = Array.from({length: 4}, () => from.number());
	const buckets = new Float64Array(bucketCount);
	for (let left = from.below(bucketCount + 1); left > 0; left--) {
		const bucket = from.below(bucketCount);
		buckets[bucket] = from.number();
	}

	return {
		worker, kind, state, count, totalNs, leastNs, mostNs, buckets,
	};
}
