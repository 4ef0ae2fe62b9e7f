import {histogramsFrom} from '../../source/model/histogram.js';
import type {TaskReport} from '../../source/model/task-report.js';
import type {TraceReport} from '../../source/model/trace-report.js';

/** In buckets of 2^19, 2^16 and 2^18 nanoseconds. */
const durations = histogramsFrom([[], [[381 + 18, 4]], [[321 + 10, 10]], [[361 + 19, 1]]].map(pairs => ({bucket: Uint16Array.from(pairs, ([bucket]) => bucket), count: Float64Array.from(pairs, ([, count]) => count)})));

/** Two methods: `outer` calls `in<&>ner` and itself. Two seconds of it. */
export const report: TraceReport = {
	phase: 'tracing', command: 1, startedAtMs: 1000, elapsedNs: 2e9,
	survey: {
		classes: 1, methods: 2, names: [], refused: [], unmatched: [],
	},
	wovenClasses: 1, wovenMethods: 2, refused: [], lostCalls: 0, traces: 4, threads: 1,
	methods: [{className: 'a.B', method: 'outer', parameters: ''}, {className: 'a.B', method: 'in<&>ner', parameters: 'int, java.lang.String[]'}],
	nodes: {
		count: 4, parent: Int32Array.of(0, 0, 1, 1), method: Int32Array.of(-1, 0, 1, 0), calls: Float64Array.of(0, 4, 10, 1), exceptions: Float64Array.of(0, 1, 0, 0),
		cumulativeNs: Float64Array.of(0, 4e6, 1e6, 5e5), ownNs: Float64Array.of(0, 2.5e6, 1e6, 5e5), leastNs: Float64Array.of(0, 9e5, 7e4, 5e5), mostNs: Float64Array.of(0, 1.1e6, 3e5, 5e5), durations,
	},
	byThread: [{
		number: 4, name: 't "1"',
		ways: [{
			node: 1, calls: 4, exceptions: 1, cumulativeNs: 4e6, ownNs: 2.5e6, mostNs: 1.1e6,
		}, {
			node: 3, calls: 1, exceptions: 0, cumulativeNs: 5e5, ownNs: 5e5, mostNs: 5e5,
		}],
	}, {
		number: 0, name: '(ended threads)',
		ways: [{
			node: 2, calls: 10, exceptions: 0, cumulativeNs: 1e6, ownNs: 1e6, mostNs: 3e5,
		}],
	}],
	activeCount: 1,
	active: [{
		thread: 't "1"', method: 0, ageNs: 5e6, depth: 1,
	}],
	slowest: [{
		key: '1000-1', startedAtMs: 1000, thread: 't "1"', durationNs: 2e6, left: 0,
		actions: [{kind: 'START', method: 0, atNs: 0}, {kind: 'START', method: 1, atNs: 5e5}, {kind: 'END', method: 1, atNs: 7e5}, {kind: 'EXCEPTION', method: 0, atNs: 2e6}],
	}],
};

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
