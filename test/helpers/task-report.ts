import type {TaskReport} from '../../source/model/task-report.js';

const stay = {
	worker: 0, count: 2, totalNs: 3e6, leastNs: 1e6, mostNs: 2e6, durations: {bucket: Uint16Array.of(400), count: Float64Array.of(2)},
};

/** Jobs of one kind that wait and are done, two seconds of it. */
export const taskReport: TaskReport = {
	phase: 'tracing', command: 1, startedAtMs: 1000, elapsedNs: 2e9, wovenClasses: 1, wovenMethods: 2, refused: [], missingPoints: [], unloadedPoints: [],
	oneIn: 1, skipped: 0, dropped: 0, missed: 0, faults: [], probe: 'jobs', counters: [], notes: [], history: [], readings: [], longest: [], kinds: ['a.Job'], workers: ['pool-1-thread-1'],
	states: [{id: 'queued', title: 'in the queue', kind: 'waiting'}, {id: 'done', title: 'done', kind: 'end'}],
	stays: [{...stay, kind: 0, state: 0}, {...stay, kind: 0, state: 1, totalNs: 5e6}],
	now: [{
		kind: 0, state: 0, count: 1, sumNs: 4e6, oldestNs: 4e6,
	}],
};
