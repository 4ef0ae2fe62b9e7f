import {Bytes} from '../traces/bytes.js';
import {bucketCount} from '../traces/report.js';
import {phases} from '../traces/report-bytes.js';
import {counterRoots, stateKinds} from './probe.js';
import type {TaskReport, TaskStays} from './report.js';
import {savedFormat} from './report-bytes.js';

/** A report as bytes for a file, which `parseSavedTasks` reads back; but for points without a method, of which its notes tell. */
export function writeTaskReport(report: TaskReport): Uint8Array {
	const to = new Bytes();
	to.numbers(savedFormat);
	writeProbe(to, report);
	to.numbers(phases.indexOf(report.phase) + 1, report.command, report.startedAtMs, report.elapsedNs, report.wovenClasses, report.wovenMethods);
	to.list(report.refused, ({name, reason}) => {
		to.texts(name, reason);
	});
	// No points.
	to.numbers(0, 0);
	to.numbers(report.oneIn, report.skipped, report.dropped, report.missed);
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
		to.list(names, name => {
			to.texts(name);
		});
	}

	return to.taken();
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
	to.list(notes, note => {
		to.texts(note);
	});
	to.list(history, counts => {
		to.numbers(...counts);
	});
}

function writeStays(to: Bytes, {worker, kind, state, count, totalNs, leastNs, mostNs, buckets}: TaskStays): void {
	to.numbers(worker + 1, kind, state, count, totalNs, leastNs, mostNs);
	to.sparse(buckets.subarray(0, bucketCount));
}
