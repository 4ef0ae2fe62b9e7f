import {engineName} from '../../model/snapshot.js';
import {formatCount} from '../../query/columns/format.js';
import type {ScreenData} from '../state/screen-data.js';

/** A figure about sampling itself: the help lists all of them, the header the bad ones. */
type SamplingFigure = {
	readonly word: string;
	readonly meaning: string;
	/** Returns its value; undefined if unknown. */
	value(data: ScreenData): string | undefined;
	/** Returns the header's text while the figure is bad, in about 20 cells; undefined otherwise. */
	bad?(data: ScreenData): string | undefined;
};

/** Shares, in percent, from which a figure is bad. */
const badFailures = 5;
const badTruncations = 25;
const badCost = 5;
const badOwnCpu = 15;

/** Least number of samples for a share to count as bad. */
const leastSamples = 50;

/** In the order of the help. */
export const samplingFigures: readonly SamplingFigure[] = [
	{
		word: 'engine', meaning: 'how samples are taken, and how running threads are read',
		value: ({snapshot}) => snapshot && snapshot.session.engine !== '' ? engineName(snapshot.session) : undefined,
	},
	{
		word: 'samples', meaning: 'scans of all threads since the start; while nothing runs, one scan counts for up to four',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.samples),
	},
	{
		word: 'late', meaning: 'samples that were taken later than planned',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.late),
	},
	{
		word: 'failed', meaning: 'samples that could not be taken',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.failed),
		bad({snapshot}) {
			const {failed = 0, samples = 0} = snapshot?.session ?? {};
			const share = 100 * failed / Math.max(1, failed + samples);
			return failed + samples >= leastSamples && share >= badFailures ? `${Math.round(share)}% of samples failed` : undefined;
		},
	},
	{
		word: 'truncated', meaning: 'stacks of which only a part is certain',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.incompleteStacks),
		bad({snapshot}) {
			const {incompleteStacks = 0, samples = 0} = snapshot?.session ?? {};
			return samples >= leastSamples && 100 * incompleteStacks >= badTruncations * samples ? `${formatCount(incompleteStacks)} truncated stacks` : undefined;
		},
	},
	{
		word: 'skipped', meaning: 'running threads whose stack could not be read: another tracer holds them, or they did not stop in time',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.refusedThreads + snapshot.session.lateThreads),
	},
	{
		word: 'cost', meaning: 'share of the time for which the target was stopped or interrupted for samples (--max-overhead)',
		value: ({snapshot}) => percent(costOf(snapshot)),
		bad: ({snapshot}) => (costOf(snapshot) ?? 0) >= badCost && snapshot!.session.samples >= leastSamples ? `costs ${percent(costOf(snapshot))} of target` : undefined,
	},
	{
		word: 'own', meaning: 'CPU time of tprof-top itself, as a share of a core (--max-cpu)',
		value: ({lately: {ownCpuPercent}}) => percent(ownCpuPercent),
		bad: ({lately: {ownCpuPercent = 0}}) => ownCpuPercent >= badOwnCpu ? `own CPU ${percent(ownCpuPercent)}` : undefined,
	},
	{
		word: 'pause', meaning: 'how long one stop lasts: the median, the 99th percentile, the worst',
		value({snapshot}) {
			const {pauseP50Us = 0, pauseP99Us = 0, pauseWorstUs = 0} = snapshot?.session ?? {};
			return pauseP99Us > 0 ? `${micros(pauseP50Us)}, p99 ${micros(pauseP99Us)}, worst ${micros(pauseWorstUs)}` : undefined;
		},
	},
];

function costOf(snapshot: ScreenData['snapshot']): number | undefined {
	const {durationMs = 0, targetStoppedMs = 0, targetInterruptedMs = 0} = snapshot?.session ?? {};
	return durationMs > 0 ? 100 * (targetStoppedMs + targetInterruptedMs) / durationMs : undefined;
}

function percent(value: number | undefined): string | undefined {
	return value === undefined ? undefined : `${Number(value.toFixed(1))}%`;
}

function micros(us: number): string {
	return us < 1000 ? `${Math.round(us)}us` : `${Number((us / 1000).toFixed(us < 10_000 ? 1 : 0))}ms`;
}
