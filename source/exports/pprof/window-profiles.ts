import {Profile} from 'pprof-format';
import {rootNode} from '../../model/frame.js';
import type {Counters, SessionStats, Snapshot} from '../../model/snapshot.js';
import {sumUpTo} from '../../util/sum.js';
import {stateCode, threadStates, type ThreadState} from '../../model/thread-state.js';
import {withoutNegativeCpu} from '../../query/counters/aligned.js';
import {allocatedInWindow, exceptionsInWindow, startsInWindow} from '../../query/counters/allocated.js';
import {allStatesMask} from '../../query/counters/scope.js';
import {isWaitForWork, shownState} from '../../query/counters/waiting-stacks.js';
import {Names} from './profile-names.js';
import {stacksOf} from './write.js';

const nsPerMs = 1e6;

/** What the values of a profile are, and what its period is in. */
type ValueType = {readonly type: string; readonly unit: string};

const time = (type: string): Pick<WindowProfile, 'value' | 'periodType'> => ({
	value: {type, unit: 'nanoseconds'}, periodType: {type, unit: 'nanoseconds'},
});

/**
CPU time, the threads' time in a state, or what events of a kind count for, by stack. One value a sample and no labels,
as a backend keeps a series for each set of labels.
*/
type WindowProfile = {
	/** Pyroscope's name of its kind, if it has one. */
	readonly name: 'process_cpu' | 'wall' | 'memory' | 'exceptions' | 'thread_starts';
	readonly value: ValueType;
	readonly periodType: ValueType;
	/** See `shownState`. */
	readonly state?: ThreadState;
	/**
	The time that a sample counts for, of CPU time about the mean, as backends keep a series for each; undefined for
	events, which have no such time.
	*/
	readonly periodMs?: number;
	/** Values by stack, innermost location first. */
	readonly samples: ReadonlyArray<{readonly locationId: number[]; readonly value: number}>;
	readonly names: Names;
};

/**
Returns the profiles of a window that have samples. `namesOf` returns the names of each, which may be shared. Those of
events are named as by Go's profiler and the pprof format: Pyroscope knows `memory:alloc_space`.
*/
export function windowProfiles(window: Snapshot, namesOf = () => new Names()): WindowProfile[] {
	const {dictionary, session: {requestedIntervalMs}} = window;
	const counters = withoutNegativeCpu(dictionary, window.counters);
	const nsPerTick = requestedIntervalMs * nsPerMs;
	const sumsByStack = (of: Counters, valueOf: (counter: number) => number) =>
		sumsOf({...window, counters: of}, namesOf(), valueOf);
	const wallNsIn = (state: ThreadState) => (counter: number) =>
		stateOf(window, counters, counter) === state ? counters.ticks[counter] * nsPerTick : 0;
	const whole = {stateMask: allStatesMask, threads: undefined};
	const [bytes, exceptions, starts] = [allocatedInWindow, exceptionsInWindow, startsInWindow].map(of =>
		of(window, undefined, whole));
	// Backends refuse a period of 0.
	const wallPeriodMs = Math.max(0.001, requestedIntervalMs);
	const profiles: WindowProfile[] = [
		{
			name: 'process_cpu', ...time('cpu'), periodMs: cpuPeriodMs(counters) ?? wallPeriodMs,
			...sumsByStack(counters, counter => counters.cpuNs[counter]),
		},
		...threadStates.map(state => ({
			name: 'wall', ...time('wall'), state, periodMs: wallPeriodMs, ...sumsByStack(counters, wallNsIn(state)),
		}) as const),
		{
			name: 'memory', value: {type: 'alloc_space', unit: 'bytes'}, periodType: {type: 'space', unit: 'bytes'},
			...sumsByStack(bytes, counter => bytes.cpuNs[counter]),
		},
		...([['exceptions', exceptions], ['thread_starts', starts]] as const).map(([type, counted]) => ({
			name: type,
			value: {type, unit: 'count'},
			periodType: {type, unit: 'count'},
			...sumsByStack(counted, counter => counted.cpuNs[counter]),
		})),
	];
	return profiles.filter(({samples}) => samples.length > 0);
}

/** Returns the sums of a figure of a window's counters by stack, without those that are not above 0. */
function sumsOf(
	window: Snapshot,
	names: Names,
	valueOf: (counter: number) => number,
): Pick<WindowProfile, 'samples' | 'names'> {
	const stackOf = stacksOf(window, names);
	const sums = new Map<number[], number>();
	for (let counter = 0; counter < window.counters.count; counter++) {
		const value = valueOf(counter);
		if (value !== 0) {
			const stack = stackOf(counter);
			sums.set(stack, (sums.get(stack) ?? 0) + value);
		}
	}

	return {
		names,
		samples: [...sums].map(([locationId, sum]) => ({locationId, value: Math.round(sum)})).filter(({value}) =>
			value > 0),
	};
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

/**
Returns the period of a profile in the unit of its type. It is 1 for events: a sample has what its events represent.
*/
export function periodOf({periodMs}: Pick<WindowProfile, 'periodMs'>): number {
	return periodMs === undefined ? 1 : Math.round(periodMs * nsPerMs);
}

/** Returns a profile as pprof, not compressed. */
export function encodeProfile(profile: WindowProfile, session: SessionStats): Uint8Array {
	const {value, periodType, samples, names} = profile;
	const typeOf = ({type, unit}: ValueType) => ({type: names.text(type), unit: names.text(unit)});
	return new Profile({
		sampleType: [typeOf(value)],
		sample: samples.map(({locationId, value}) => ({locationId, value: [value]})),
		mapping: names.mappings,
		location: names.locations,
		function: names.functions,
		periodType: typeOf(periodType),
		period: periodOf(profile),
		...timesOf(session),
		stringTable: names.strings,
	}).encode();
}
