import {Profile} from 'pprof-format';
import {rootNode} from '../../model/frame.js';
import type {Counters, SessionStats, Snapshot} from '../../model/snapshot.js';
import {sumUpTo} from '../../util/sum.js';
import {stateCode, threadStates, type ThreadState} from '../../model/thread-state.js';
import {withoutNegativeCpu} from '../../query/counters/aligned.js';
import {isWaitForWork, shownState} from '../../query/counters/waiting-stacks.js';
import {Names} from './profile-names.js';
import {stacksOf} from './write.js';

const nsPerMs = 1e6;

/**
CPU time, or the threads' time in a state, by stack. One value a sample and no labels, as a backend keeps a series for
each set of labels.
*/
type WindowProfile = {
	/** Pyroscope's name of its kind. */
	readonly name: 'process_cpu' | 'wall';
	readonly type: 'cpu' | 'wall';
	/** See `shownState`. */
	readonly state?: ThreadState;
	/** The time that a sample counts for; of CPU time about the mean, as backends keep a series for each. */
	readonly periodMs: number;
	/** Nanoseconds by stack, innermost location first. */
	readonly samples: ReadonlyArray<{readonly locationId: number[]; readonly value: number}>;
	readonly names: Names;
};

/** Returns the profiles of a window that have samples. `namesOf` returns the names of each, which may be shared. */
export function windowProfiles(window: Snapshot, namesOf = () => new Names()): WindowProfile[] {
	const counters = withoutNegativeCpu(window.dictionary, window.counters);
	const nsPerTick = window.session.requestedIntervalMs * nsPerMs;
	const sumsByStack = (nsOf: (counter: number) => number): Pick<WindowProfile, 'samples' | 'names'> => {
		const names = namesOf();
		const stackOf = stacksOf(window, names);
		const sums = new Map<number[], number>();
		for (let counter = 0; counter < counters.count; counter++) {
			const ns = nsOf(counter);
			if (ns !== 0) {
				const stack = stackOf(counter);
				sums.set(stack, (sums.get(stack) ?? 0) + ns);
			}
		}

		return {
			names,
			samples: [...sums].map(([locationId, ns]) => ({locationId, value: Math.round(ns)})).filter(({value}) =>
				value > 0),
		};
	};

	const wallNsIn = (state: ThreadState) => (counter: number) =>
		stateOf(window, counters, counter) === state ? counters.ticks[counter] * nsPerTick : 0;
	// Backends refuse a period of 0.
	const wallPeriodMs = Math.max(0.001, window.session.requestedIntervalMs);
	const profiles: WindowProfile[] = [
		{
			name: 'process_cpu', type: 'cpu', periodMs: cpuPeriodMs(counters) ?? wallPeriodMs,
			...sumsByStack(counter => counters.cpuNs[counter]),
		},
		...threadStates.map(state => ({
			name: 'wall', type: 'wall', state, periodMs: wallPeriodMs, ...sumsByStack(wallNsIn(state)),
		}) as const),
	];
	return profiles.filter(({samples}) => samples.length > 0);
}

/** Returns the mean CPU time of a recorded sample as 1, 2 or 5 times a power of 10; undefined if none was recorded. */
function cpuPeriodMs({count, cpuNs, squaredUs}: Snapshot['counters']): number | undefined {
	const sumNs = sumUpTo(count, at => squaredUs[at] > 0 ? cpuNs[at] : 0);
	const ms = sumUpTo(count, at => squaredUs[at]) / sumNs;
	if (!(ms > 0 && Number.isFinite(ms))) {
		return undefined;
	}

	const exponent = Math.floor(Math.log10(ms));
	const distance = (digit: number) => Math.abs(Math.log10(ms) - exponent - Math.log10(digit));
	const [nearest] = [1, 2, 5, 10].toSorted((a, b) => distance(a) - distance(b));
	// A negative power of 10 is not exact.
	return exponent < 0 ? nearest / (10 ** -exponent) : nearest * (10 ** exponent);
}

/**
Returns the state of a counter's samples as the views show it, by the default rule for own code. A thread without Java
frames, such as DestroyJavaVM, is RUNNABLE to the JVM for all its life. It waits, and what CPU time it uses is in the
profile of that.
*/
function stateOf({dictionary}: Snapshot, {state, node}: Counters, counter: number): ThreadState {
	return node[counter] === rootNode && state[counter] === stateCode.RUNNABLE
		? 'IDLE'
		: shownState(threadStates[state[counter]], isWaitForWork(dictionary, node[counter], state[counter], {}));
}

/** Returns a window's start (epoch) and length, nanoseconds. */
export function timesOf({startedAtMs, durationMs}: SessionStats) {
	const timeNanos = BigInt(Math.round(startedAtMs)) * BigInt(nsPerMs);
	return {timeNanos, durationNanos: Math.round(durationMs * nsPerMs)};
}

/** Returns a profile as pprof, not compressed. */
export function encodeProfile({type, periodMs, samples, names}: WindowProfile, session: SessionStats): Uint8Array {
	const valueType = {type: names.text(type), unit: names.text('nanoseconds')};
	return new Profile({
		sampleType: [valueType],
		sample: samples.map(({locationId, value}) => ({locationId, value: [value]})),
		mapping: names.mappings,
		location: names.locations,
		function: names.functions,
		periodType: valueType,
		period: Math.round(periodMs * nsPerMs),
		...timesOf(session),
		stringTable: names.strings,
	}).encode();
}
