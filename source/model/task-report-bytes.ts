import {HistogramList, histogramOf, readHistogram} from './histogram.js';
import {Numbers} from './varints.js';
import {phases, refusals} from './trace-report-bytes.js';
import type {
	AgentTaskReport, CounterReading, LongStay, TasksNow, TaskStays,
} from './task-report.js';

/*
The agent's reports of tasks: agent/src/main/java/tprof/agent/TaskReport.java has the other side of each line. They come
from the target, so nothing in them is trusted. Saved files hold the same bytes.
*/

/** Different from those of traces. */
const agentFormat = 103;
/** More than the agent ever writes. */
const most = {
	texts: 1000, faults: 2200, kinds: 1000, workers: 5000, stays: 40_000, longest: 1000, readings: 10_000,
};

/** How many there are of what a report refers to by number, such as a probe. */
type Numbered = Readonly<Record<'states' | 'points' | 'counters', {readonly length: number}>>;

/** Reads a report of tasks, whose bytes it keeps. Throws RangeError for what is not one. */
export function parseTaskReport(bytes: Uint8Array, {states, points, counters}: Numbered): AgentTaskReport {
	const from = new Numbers(bytes);
	if (from.number() !== agentFormat) {
		throw new RangeError('a report of an unknown format');
	}

	const phase = phases[from.below(phases.length + 1) - 1] ?? 'surveyed';
	const [command, startedAtMs, elapsedNs, wovenClasses, wovenMethods] = Array.from({length: 5}, () => from.number());
	const refused = refusals(from);
	const [missingPoints, unloadedPoints] = Array.from({length: 2}, () => from.list(points.length, () => from.below(points.length)));
	const [oneIn, skipped, dropped, missed] = Array.from({length: 4}, () => from.number());
	const faults = from.list(most.faults, () => from.text());
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
		bytes, phase, command, startedAtMs, elapsedNs, wovenClasses, wovenMethods, refused, missingPoints, unloadedPoints, oneIn, skipped, dropped, missed, faults, stays, now, longest, readings, kinds, workers,
	};
}

function readStays(from: Numbers, worker: number, stateCount: number): TaskStays {
	const [kind, state] = [from.number(), from.below(stateCount)];
	const [count, totalNs, leastNs, mostNs] = Array.from({length: 4}, () => from.number());
	const durations = new HistogramList();
	readHistogram(from, durations);

	return {
		worker, kind, state, count, totalNs, leastNs, mostNs, durations: histogramOf(durations.taken(), 0),
	};
}
