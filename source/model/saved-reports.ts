import {counterRoots, stateKinds} from './task-probe.js';
import type {TaskReport} from './task-report.js';
import {parseTaskReport} from './task-report-bytes.js';
import type {TraceReport} from './trace-report.js';
import {parseReport} from './trace-report-bytes.js';
import {
	list, oneOf, record, text, within, type Document,
} from './saved-values.js';

/* What an agent reported, as it is saved: its own bytes, and of tasks what the probe says beside them. */

/** What there is of tasks beside the bytes of their report. */
export function aboutOf({probe, states, counters, notes, history}: TaskReport) {
	return {
		probe, states, counters, notes, history,
	};
}

/** What was saved of traced methods and of tasks; empty bytes where nothing was. Throws RangeError. */
export function withReports(traces: Uint8Array, tasks: Uint8Array, about: unknown): {readonly traces?: TraceReport; readonly tasks?: TaskReport} {
	return {
		...(traces.length > 0 ? {traces: parseReport(traces)} : {}),
		...(tasks.length > 0 ? {tasks: taskReports(record(about))(tasks)} : {}),
	};
}

/** The numbers of points are not asked of a saved report: its notes say what is wrong with them. */
const anyPoints = {length: 1000};

/** A function that reads reports of tasks: `saved` is what `aboutOf` gave. Throws RangeError. */
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
