import {bucketCount} from '../traces/report.js';
import {Numbers} from '../traces/numbers.js';
import {phases} from '../traces/report-bytes.js';
import {
	counterRoots, stateKinds, type Probe, type ProbeCounter, type TaskState,
} from './probe.js';
import type {
	AgentTaskReport, CounterReading, LongStay, TaskReport, TasksNow, TaskStays,
} from './report.js';

/*
The agent's reports of tasks: agent/src/main/java/tprof/agent/TaskReport.java has the other side of each line. They come
from the target, so nothing in them is trusted. Saved files hold the same (report-writer), behind what the probe says.
*/

/** Different from those of traces. */
const agentFormat = 101;
export const savedFormat = 102;
/** More than the agent ever writes. */
const most = {
	texts: 1000, kinds: 1000, workers: 5000, stays: 40_000, longest: 1000, readings: 10_000, states: 24, counters: 1000, moments: 1000,
};

/** Reads a report of tasks that a probe follows. Throws RangeError for what is not one. */
export function parseTaskReport(bytes: Uint8Array, probe: Probe): AgentTaskReport {
	const from = new Numbers(bytes);
	expectFormat(from, agentFormat);
	return readReport(from, probe);
}

/** What `writeTaskReport` wrote. Throws RangeError for anything else. */
export function parseSavedTasks(bytes: Uint8Array): TaskReport {
	const from = new Numbers(bytes);
	expectFormat(from, savedFormat);
	const probe = from.text();
	const states = from.list(most.states, (): TaskState => ({id: from.text(), title: from.text(), kind: stateKinds[from.below(stateKinds.length)]}));
	const counters = from.list(most.counters, (): ProbeCounter => ({
		name: from.text(), root: counterRoots[from.below(counterRoots.length)], className: from.text(), path: from.text(),
	}));
	const notes = from.list(most.texts, () => from.text());
	const history = from.list(most.moments, () => states.map(() => from.number()));
	return {
		...readReport(from, {states, counters, points: []}), probe, states, counters, notes, history,
	};
}

function expectFormat(from: Numbers, format: number): void {
	if (from.number() !== format) {
		throw new RangeError('a report of an unknown format');
	}
}

function readReport(from: Numbers, {states, points, counters}: Pick<Probe, 'states' | 'points' | 'counters'>): AgentTaskReport {
	const phase = phases[from.below(phases.length + 1) - 1] ?? 'surveyed';
	const [command, startedAtMs, elapsedNs, wovenClasses, wovenMethods] = Array.from({length: 5}, () => from.number());
	const refused = from.list(most.texts, () => ({name: from.text(), reason: from.text()}));
	const [missingPoints, unloadedPoints] = Array.from({length: 2}, () => from.list(points.length, () => from.below(points.length)));
	const [oneIn, skipped, dropped, missed] = Array.from({length: 4}, () => from.number());
	const stays = from.listToZero(most.stays, worker => readStays(from, worker - 1, states.length));
	const now = from.listToZero(most.stays, (kind): TasksNow => ({
		kind: kind - 1, state: from.below(states.length), count: from.number(), sumNs: from.number(), oldestNs: from.number(),
	}));
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
