import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import {formatCount} from '../../query/columns/format.js';
import {muchUnseen} from '../../query/summary.js';
import type {ScreenData} from '../state/screen-data.js';

/** Something that whoever reads the figures must know, as long as it is so. */
export type Warning = {
	/** For the header: about 35 cells, so that samples and cost stand beside it on 80 columns. */
	readonly short: string;
	/** For the help, where it is wrapped: what it is about and what to do. */
	readonly whole: string;
};

/** Samples that are so far apart, and so many times as far as asked for, are worth a warning. */
const sparseMs = 2000;
const sparseTimes = 2;

/**
In the first seconds all CPU time waits for the first records and sightings, and of next to none a share says nothing.
*/
const youngMs = 2000;
const tellingCpuMs = 200;

/** Gives a warning while there is a reason for it. */
type Rule = (data: ScreenData) => Warning | undefined;

/**
All warnings there are, the most urgent first: the header of 80 columns shows the first that holds, a wide one and the
help show all.
*/
const rules: readonly Rule[] = [
	({snapshot, status: {tracer}}) => {
		const {refusedThreads = 0} = snapshot?.session ?? {};
		return !snapshot || refusedThreads === 0
			? undefined
			: {
				short: `${share(refusedThreads, runningTicks(snapshot))} ${tracer ? `without stack: ${tracer.replace(/ \(process (\d+)\)$/, ' $1')}` : 'of running samples have no stack'}`,
				whole: `${refusedThreads} thread samples have no stack: ${tracer ? `${tracer} is attached to the threads, and they are left alone until it is gone` : 'a debugger or another profiler is attached to the threads, or permission to stop them was lost'}. Their CPU time is at (running).(stack unknown).`,
			};
	},
	({snapshot}) => {
		const {otherTicks = 0} = snapshot?.session ?? {};
		return otherTicks === 0
			? undefined
			: {
				short: `table full: ${formatCount(otherTicks)} at (other)`,
				whole: `The table of samples is full: ${otherTicks} thread samples with new stacks are counted under (other).`,
			};
	},
	({snapshot, lately: {samplesPerS}}) => {
		const {intervalMs = 0, cpuIntervalMs = 0, requestedIntervalMs = 0, threadSamples = 0, samples = 0} = snapshot?.session ?? {};
		const isSparse = requestedIntervalMs > 0 && intervalMs >= sparseMs && intervalMs >= sparseTimes * requestedIntervalMs;
		if (!isSparse) {
			return undefined;
		}

		const everyS = Math.round((samplesPerS ? Math.max(1000 / samplesPerS, intervalMs) : intervalMs) / 1000);
		const isOwn = cpuIntervalMs >= intervalMs;
		const option = isOwn ? '--max-cpu' : '--max-overhead';
		return {
			short: `one sample every ${everyS} s: ${option}`,
			whole: `A sample of ${Math.round(threadSamples / Math.max(1, samples))} threads costs so much that one is taken every ${everyS} s, not every ${Number((requestedIntervalMs / 1000).toFixed(2))} s: more would ${isOwn ? 'use more CPU time of our own' : 'stop the target for longer'} than ${option} allows. Raise it for more samples; shares of few are rough.`,
		};
	},
	({summary, snapshot}) => {
		const {unseenCpuPercent = 0, javaCpuPercent = 0, windowMs = 0} = summary ?? {};
		const isYoung = (snapshot?.session.durationMs ?? 0) < youngMs || javaCpuPercent * windowMs / 100 < tellingCpuMs;
		return isYoung || unseenCpuPercent < muchUnseen
			? undefined
			: {
				short: `${Math.round(unseenCpuPercent)}% of CPU placed by rule`,
				whole: `${Math.round(unseenCpuPercent)}% of the CPU time was used where nobody saw it: between samples, by threads that were then found waiting, or in system calls that only root may record. It counts at the native call that a thread is found in, or at (running).(not seen).`,
			};
	},
];

/** What holds now, the most urgent first. */
export function warningsOf(data: ScreenData): Warning[] {
	return rules.map(rule => rule(data)).filter(warning => warning !== undefined);
}

/** Samples of running threads: those that wait are never stopped, however many there are. */
function runningTicks({facts}: Snapshot): number {
	let sum = 0;
	for (let fact = 0; fact < facts.count; fact++) {
		sum += facts.state[fact] === stateCode.RUNNABLE ? facts.ticks[fact] : 0;
	}

	return sum;
}

function share(part: number, whole: number): string {
	const percent = whole > part ? 100 * part / whole : 100;
	return percent < 1 ? '<1%' : `${Math.round(percent)}%`;
}
