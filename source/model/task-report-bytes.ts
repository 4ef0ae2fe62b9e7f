import {
	HistogramList, histogramOf, readHistogram, writeHistogram,
} from './histogram.js';
import {Bytes, Numbers} from './varints.js';
import {phases, refusals, writeRefusals} from './trace-report-bytes.js';
import {
	counterRoots, stateKinds, type Probe, type ProbeCounter, type TaskState,
} from './task-probe.js';
import type {
	AgentTaskReport, CounterReading, LongStay, TaskReport, TasksNow, TaskStays,
} from './task-report.js';

/*
The agent's reports of tasks: agent/src/main/java/tprof/agent/TaskReport.java has the other side of each line. They come
from the target, so nothing in them is trusted. Saved files hold the same, behind what the probe says.
*/

/** Different from those of traces. */
const agentFormat = 103;
const savedFormat = 104;
/** More than the agent ever writes. */
const most = {
	texts: 1000, faults: 2200, kinds: 1000, workers: 5000, stays: 40_000, longest: 1000, readings: 10_000, states: 24, counters: 1000, moments: 1000,
};

/** Reads a report of tasks that a probe follows. Throws RangeError for what is not one. */
export function parseTaskReport(bytes: Uint8Array, probe: Probe): AgentTaskReport {
	const from = new Numbers(bytes);
	if (from.number() !== agentFormat) {
		throw new RangeError('a report of an unknown format');
	}

	return readReport(from, probe);
}

/** What `writeTaskReport` wrote. Throws RangeError for anything else. */
export function parseSavedTasks(bytes: Uint8Array): TaskReport {
	const from = new Numbers(bytes);
	if (from.number() !== savedFormat) {
		throw new RangeError('a report of an unknown format');
	}

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

function readReport(from: Numbers, {states, points, counters}: Pick<Probe, 'states' | 'points' | 'counters'>): AgentTaskReport {
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
		phase, command, startedAtMs, elapsedNs, wovenClasses, wovenMethods, refused, missingPoints, unloadedPoints, oneIn, skipped, dropped, missed, faults, stays, now, longest, readings, kinds, workers,
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

/** A report as bytes for a file, which `parseSavedTasks` reads back; but for points without a method, of which its notes tell. */
export function writeTaskReport(report: TaskReport): Uint8Array {
	const to = new Bytes();
	to.numbers(savedFormat);
	writeProbe(to, report);
	to.numbers(phases.indexOf(report.phase) + 1, report.command, report.startedAtMs, report.elapsedNs, report.wovenClasses, report.wovenMethods);
	writeRefusals(to, report.refused);
	// No points.
	to.numbers(0, 0);
	to.numbers(report.oneIn, report.skipped, report.dropped, report.missed);
	to.textList(report.faults);
	for (const stays of report.stays) {
		writeStays(to, stays);
	}

	to.numbers(0);
	for (const {kind, state, count, sumNs, oldestNs} of report.now) {
		to.numbers(kind + 1, state, count, sumNs, oldestNs);
	}

	to.numbers(0);
	to.list(report.longest, ({kind, state, ageNs, worker}) => {
		to.numbers(kind, state, ageNs);
		to.texts(worker);
	});
	to.list(report.readings, ({counter, of, value}) => {
		to.numbers(counter);
		to.texts(of);
		to.numbers(value);
	});
	for (const names of [report.kinds, report.workers]) {
		to.textList(names);
	}

	return to.take();
}

function writeProbe(to: Bytes, {probe, states, counters, notes, history}: TaskReport): void {
	to.texts(probe);
	to.list(states, ({id, title, kind}) => {
		to.texts(id, title);
		to.numbers(stateKinds.indexOf(kind));
	});
	to.list(counters, ({name, root, className, path}) => {
		to.texts(name);
		to.numbers(counterRoots.indexOf(root));
		to.texts(className, path);
	});
	to.textList(notes);
	to.list(history, counts => {
		to.numbers(...counts);
	});
}

function writeStays(to: Bytes, {worker, kind, state, count, totalNs, leastNs, mostNs, durations}: TaskStays): void {
	to.numbers(worker + 1, kind, state, count, totalNs, leastNs, mostNs);
	writeHistogram(to, durations);
}
