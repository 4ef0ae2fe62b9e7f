import {safe, type Printable} from '../../util/printable.js';
import {unattributed} from '../../model/frame.js';
import {engineName, type Snapshot} from '../../model/snapshot.js';
import {sumUpTo} from '../../util/sum.js';
import {stateCode} from '../../model/thread-state.js';
import {formatCount} from '../../query/columns/format.js';
import {costPercent} from '../../query/counters/share.js';
import {limitOf, starvedText, unattributedText} from '../../query/summary/summary.js';
import type {ScreenData} from '../state/screen-data.js';

/** A figure about sampling itself: the help lists all of them, the header the bad ones. */
type SamplingFigure = {
	readonly word: Printable;
	readonly meaning: string;
	value(data: ScreenData): string | undefined;
	/** Returns the header's text while the figure is bad, in about 20 cells; undefined otherwise. */
	bad?(data: ScreenData): Printable | undefined;
};

/** Percentages from which a figure is bad; `badTruncations`: truncated stacks per 100 samples. */
const badFailures = 5;
const badTruncations = 25;
const badCost = 5;
const badOwnCpu = 15;
/** With fewer samples, failures, truncated stacks and cost are not judged. */
const leastSamples = 50;

export const samplingFigures: readonly SamplingFigure[] = [
	{
		word: safe`engine`, meaning: 'how samples are taken, and how running threads are read',
		value: ({snapshot}) => snapshot && snapshot.session.engine !== '' ? engineName(snapshot.session) : undefined,
	},
	{
		word: safe`samples`,
		meaning: 'scans of all threads since the start; while nothing runs, one scan counts for up to twenty',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.samples),
	},
	{
		word: safe`late`, meaning: 'samples that were taken later than planned',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.late),
	},
	{
		word: safe`failed`,
		meaning: 'samples that could not be taken',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.failed),
		bad({snapshot}) {
			const {failed = 0, samples = 0} = snapshot?.session ?? {};
			const share = 100 * failed / Math.max(1, failed + samples);
			return failed + samples >= leastSamples && share >= badFailures
				? safe`${Math.round(share)}% of samples failed`
				: undefined;
		},
	},
	{
		word: safe`truncated`,
		meaning: 'stacks of which only a part is certain',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.incompleteStacks),
		bad({snapshot}) {
			const {incompleteStacks = 0, samples = 0} = snapshot?.session ?? {};
			return samples >= leastSamples && 100 * incompleteStacks >= badTruncations * samples
				? safe`${formatCount(incompleteStacks)} truncated stacks`
				: undefined;
		},
	},
	{
		word: safe`skipped`,
		meaning:
			'running threads whose stack could not be read: another tracer holds them, or they did not stop in time',
		value: ({snapshot}) => snapshot && formatCount(snapshot.session.refusedThreads + snapshot.session.lateThreads),
	},
	{
		word: safe`cost`,
		meaning: 'share of the time for which the target was stopped or interrupted for samples (--max-overhead)',
		value({snapshot}) {
			const cost = snapshot && costPercent(snapshot.session);
			return cost === undefined ? undefined : percent(cost);
		},
		bad({snapshot}) {
			const cost = (snapshot && costPercent(snapshot.session)) ?? 0;
			return cost >= badCost && snapshot!.session.samples >= leastSamples
				? safe`costs ${percent(cost)} of target`
				: undefined;
		},
	},
	{
		word: safe`own`,
		meaning: 'CPU time of tprof-top itself, as a share of a core (--max-cpu)',
		value: ({rates: {ownCpuPercent}}) => ownCpuPercent === undefined ? undefined : percent(ownCpuPercent),
		bad: ({rates: {ownCpuPercent = 0}}) =>
			ownCpuPercent >= badOwnCpu ? safe`own CPU ${percent(ownCpuPercent)}` : undefined,
	},
	{
		word: safe`events`,
		meaning: 'recorded by the processor\'s breakpoints (A, --events): allocation and the like; part of the cost above',
		value: ({status}) => status.eventsNote,
	},
	{
		word: safe`pause`,
		meaning: 'how long one stop lasts: the median, the 99th percentile, the worst',
		value({snapshot}) {
			const {pauseP50Us = 0, pauseP99Us = 0, pauseWorstUs = 0} = snapshot?.session ?? {};
			return pauseP99Us > 0
				? `${micros(pauseP50Us)}, p99 ${micros(pauseP99Us)}, worst ${micros(pauseWorstUs)}`
				: undefined;
		},
	},
];

function percent(value: number): Printable {
	return safe`${Number(value.toFixed(1))}%`;
}

function micros(us: number): string {
	return us < 1000 ? `${Math.round(us)}us` : `${Number((us / 1000).toFixed(us < 10_000 ? 1 : 0))}ms`;
}

type Warning = {
	/** For the header: about 35 cells, which leaves room for samples and cost on 80 columns. */
	readonly short: Printable;
	/** For the help, which wraps it: what is wrong and what to do. */
	readonly whole: Printable;
};

/** Samples are sparse if their interval is at least this long, and at least this multiple of the requested interval. */
const sparseMs = 2000;
const sparseFactor = 2;

/** With a shorter session, or less CPU time of Java threads, the share of unattributed CPU time is mostly chance. */
const minDurationMs = 2000;
const minCpuMs = 200;

/** All warnings, the most urgent first: 80 columns show only the first that applies, a wide header and the help all. */
const rules: ReadonlyArray<(data: ScreenData) => Warning | undefined> = [
	({status: {eventsRefusal}}) =>
		eventsRefusal && {
			short: safe`no events: ${eventsRefusal}`, whole: safe`Events are not recorded: ${eventsRefusal}.`,
		},
	({snapshot, status: {tracer}}) => {
		const {refusedThreads = 0} = snapshot?.session ?? {};
		return !snapshot || refusedThreads === 0
			? undefined
			: {
				short: safe`${share(refusedThreads, runningTicks(snapshot))} ${
					tracer
						? safe`without stack: ${tracer.replace(/ \(process (\d+)\)$/, safe` $1`)}`
						: 'of running samples have no stack'
				}`,
				whole: safe`${refusedThreads} thread samples have no stack: ${
					tracer
						? safe`not sampled while ${tracer} is attached to the threads`
						: 'a debugger or another profiler is attached to the threads, or permission to stop them was lost'
				}. Their CPU time is at (running).(stack unknown).`,
			};
	},
	({snapshot}) => {
		const {otherTicks = 0} = snapshot?.session ?? {};
		return otherTicks === 0
			? undefined
			: {
				short: safe`table full: ${formatCount(otherTicks)} at (other)`,
				whole:
					safe`The table of samples is full: ${otherTicks} thread samples with new stacks are counted under (other).`,
			};
	},
	({snapshot, since}) => {
		const text = snapshot ? starvedText(snapshot, since) : safe``;
		return text === ''
			? undefined
			: {short: text, whole: safe`${text}. Figures of this time rest on almost no samples.`};
	},
	({snapshot, rates: {samplesPerS}}) => {
		const {intervalMs = 0, requestedIntervalMs = 0, threadSamples = 0, sampleTicks = 0} = snapshot?.session ?? {};
		const isSparse = snapshot !== undefined && requestedIntervalMs > 0 && intervalMs >= sparseMs
			&& intervalMs >= sparseFactor * requestedIntervalMs;
		if (!isSparse) {
			return undefined;
		}

		const everyS = Math.round((samplesPerS ? Math.max(1000 / samplesPerS, intervalMs) : intervalMs) / 1000);
		const option = limitOf(snapshot.session);
		return {
			short: safe`one sample every ${everyS} s: ${option}`,
			whole: safe`A sample of ${
				Math.round(threadSamples / Math.max(1, sampleTicks))
			} threads costs so much that one is taken every ${everyS} s, not every ${
				Number((requestedIntervalMs / 1000).toFixed(2))
			} s: more would ${
				option === '--max-cpu' ? 'use more CPU time of our own' : 'stop the target for longer'
			} than ${option} allows. Raise it for more samples; shares from few samples are rough.`,
		};
	},
	({summary, snapshot}) => {
		const missing = summary && unattributedText(summary);
		const isUncertain = !summary || (snapshot?.session.durationMs ?? 0) < minDurationMs
			|| summary.javaCpuPercent * summary.windowMs / 100 < minCpuMs;
		return isUncertain || !missing
			? undefined
			: {
				short: missing.split(':')[0],
				whole:
					safe`${missing}. It is not known which lines used this CPU time: it is shown as ${unattributed.className}.`,
			};
	},
];

/** Returns the warnings that apply now, the most urgent first. */
export function warningsOf(data: ScreenData): Warning[] {
	return rules.map(rule => rule(data)).filter(warning => warning !== undefined);
}

/** Returns the number of samples of running threads: only these are stopped. */
function runningTicks({counters}: Snapshot): number {
	return sumUpTo(
		counters.count,
		counter => counters.state[counter] === stateCode.RUNNABLE ? counters.ticks[counter] : 0,
	);
}

function share(part: number, whole: number): Printable {
	const percent = whole > part ? 100 * part / whole : 100;
	return percent < 1 ? safe`<1%` : safe`${Math.round(percent)}%`;
}
