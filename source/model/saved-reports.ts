import {counterRoots, stateKinds} from './task-probe.js';
import type {TaskReport} from './task-report.js';
import {parseTaskReport} from './task-report-bytes.js';
import type {TraceReport} from './trace-report.js';
import {parseReport} from './trace-report-bytes.js';
import {
	list, oneOf, record, text, within, type Document,
} from './saved-values.js';

/* An agent's reports as they are saved: its own bytes and, for tasks, facts of the probe. */

/** Returns what is saved of tasks beside the bytes. */
export function aboutOf({probe, states, counters, notes, history}: TaskReport) {
	return {
		probe, states, counters, notes, history,
	};
}

/** Returns the saved reports; empty bytes: none. Throws RangeError. */
export function withReports(traces: Uint8Array, tasks: Uint8Array, about: unknown): {readonly traces?: TraceReport; readonly tasks?: TaskReport} {
	return {
		...(traces.length > 0 ? {traces: parseReport(traces)} : {}),
		...(tasks.length > 0 ? {tasks: taskReports(record(about))(tasks)} : {}),
	};
}

/** The number of points is not saved: the report's notes already have what is wrong with them. */
const anyPoints = {length: 1000};

/** Returns a function that reads reports of tasks; `saved`: the result of `aboutOf`. Throws RangeError. */
export function taskReports(saved: Document): (bytes: Uint8Array) => TaskReport {
	const states = list(saved.states).map(state => record(state)).map(({id, title, kind}) => ({id: text(id), title: text(title), kind: oneOf(stateKinds, kind)}));
	const counters = list(saved.counters).map(counter => record(counter)).map(({name, root, className, path}) => ({
		name: text(name), root: oneOf(counterRoots, root), className: text(className), path: text(path),
	}));
	const notes = list(saved.notes).map(note => text(note));
	const history = list(saved.history).map(counts => states.map((_, state) => within(list(counts)[state], 0, Number.MAX_SAFE_INTEGER)));
	return bytes => ({
		...parseTaskReport(bytes, {states, counters, points: anyPoints}), probe: text(saved.probe), states, counters, notes, history,
	});
}
