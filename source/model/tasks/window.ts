import {reportSince} from '../records-in-window.js';
import type {TaskReport, TaskStays} from './report.js';

/** As the agent has it (TaskWorkers.java). */
const ended = '(ended threads)';

/**
The report of what came after `baseline`; all of it where that is of other tasks, or of none. What a worker had counted
before is part of what ended threads counted when it has ended.
*/
export function tasksInWindow(report: TaskReport, baseline: TaskReport | undefined): TaskReport {
	return reportSince(report, baseline, ['skipped', 'dropped', 'missed'], before => ({stays: staysSince(report, before)}));
}

function staysSince(report: TaskReport, baseline: TaskReport): TaskStays[] {
	const live = new Set(report.workers);
	const before = new Map<string, {count: number; totalNs: number; buckets: Float64Array}>();
	for (const {worker, kind, state, count, totalNs, buckets} of baseline.stays) {
		const name = baseline.workers[worker];
		const key = keyOf(live.has(name) ? name : ended, baseline.kinds[kind], state);
		const known = before.get(key);
		before.set(key, {count: count + (known?.count ?? 0), totalNs: totalNs + (known?.totalNs ?? 0), buckets: known ? known.buckets.map((value, index) => value + buckets[index]) : buckets});
	}

	return report.stays.map(stays => lessThose(stays, before, keyOf(report.workers[stays.worker], report.kinds[stays.kind], stays.state))).filter(({count}) => count > 0);
}

function keyOf(worker: string, kind: string, state: number): string {
	return [state, worker, kind].join('\0');
}

/** Several workers may have one name: what the first of them has not counted is taken from the next. */
function lessThose(stays: TaskStays, before: Map<string, {count: number; totalNs: number; buckets: Float64Array}>, key: string): TaskStays {
	const then = before.get(key);
	if (!then) {
		return stays;
	}

	const taken = {count: Math.min(stays.count, then.count), totalNs: Math.min(stays.totalNs, then.totalNs), buckets: then.buckets.map((value, index) => Math.min(value, stays.buckets[index]))};
	before.set(key, {count: then.count - taken.count, totalNs: then.totalNs - taken.totalNs, buckets: then.buckets.map((value, index) => value - taken.buckets[index])});
	return {
		...stays, count: stays.count - taken.count, totalNs: stays.totalNs - taken.totalNs, buckets: stays.buckets.map((value, index) => value - taken.buckets[index]),
	};
}
