import {HistogramList, histogramOf, readHistogram} from './histogram.js';
import {VarintReader} from './varints.js';
import {phases, refusals} from './trace-report-bytes.js';
import type {
	AgentTaskReport, CounterReading, LongStay, TasksNow, TaskStays,
} from './task-report.js';

/*
Reads the agent's reports of tasks; agent/src/main/java/tprof/agent/TaskReport.java writes them. They come from the target
and are untrusted. Saved files hold the same bytes.
*/

/** Format number, which differs from that of reports of traced methods. */
const agentFormat = 103;
/** More than the agent writes: a forged report must not exhaust our memory. */
const limits = {
	texts: 1000, faults: 2200, kinds: 1000, workers: 5000, stays: 40_000, longest: 1000, readings: 10_000,
};

/** The probe's lists that a report refers to by index. */
type ProbeLists = Readonly<Record<'states' | 'points' | 'counters', {readonly length: number}>>;

/** Reads a report of tasks and keeps its bytes. Throws RangeError if it is malformed. */
export function parseTaskReport(bytes: Uint8Array, {states, points, counters}: ProbeLists): AgentTaskReport {
	const from = new VarintReader(bytes);
	if (from.number() !== agentFormat) {
		throw new RangeError('unknown report format');
	}

	const phase = phases[from.below(phases.length + 1) - 1] ?? 'surveyed';
	const [command, startedAtMs, elapsedNs, wovenClasses, wovenMethods] = Array.from({length: 5}, () => from.number());
	const refused = refusals(from);
	const [missingPoints, unloadedPoints] = Array.from({length: 2}, () => from.list(points.length, () => from.below(points.length)));
	const [oneIn, skipped, dropped, missed] = Array.from({length: 4}, () => from.number());
	const faults = from.list(limits.faults, () => from.text());
	const stays = from.listToZero(limits.stays, worker => readStays(from, worker - 1, states.length));
	const now = from.listToZero(limits.stays, (kind): TasksNow => ({
		kind: kind - 1, state: from.below(states.length), count: from.number(), sumNs: from.number(), oldestNs: from.number(),
	}));
	const longest = from.list(limits.longest, (): LongStay => ({
		kind: from.number(), state: from.below(states.length), ageNs: from.number(), worker: from.text(),
	}));
	const readings = from.list(limits.readings, (): CounterReading => ({counter: from.below(counters.length), of: from.text(), value: from.number()}));
	const kinds = from.list(limits.kinds, () => from.text());
	const workers = from.list(limits.workers, () => from.text());
	if ([...stays, ...now, ...longest].some(({kind}) => kind >= kinds.length) || stays.some(({worker}) => worker >= workers.length)) {
		throw new RangeError('number out of bounds');
	}

	return {
		bytes, phase, command, startedAtMs, elapsedNs, wovenClasses, wovenMethods, refused, missingPoints, unloadedPoints, oneIn, skipped, dropped, missed, faults, stays, now, longest, readings, kinds, workers,
	};
}

function readStays(from: VarintReader, worker: number, stateCount: number): TaskStays {
	const [kind, state] = [from.number(), from.below(stateCount)];
	const [count, totalNs, leastNs, mostNs] = Array.from({length: 4}, () => from.number());
	const durations = new HistogramList();
	readHistogram(from, durations);

	return {
		worker, kind, state, count, totalNs, leastNs, mostNs, durations: histogramOf(durations.build(), 0),
	};
}
