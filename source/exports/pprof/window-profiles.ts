import {Profile} from 'pprof-format';
import type {SessionStats, Snapshot} from '../../model/snapshot.js';
import {threadStates, type ThreadState} from '../../model/thread-state.js';
import {withoutNegativeCpu} from '../../query/counters/aligned.js';
import {Names} from './names.js';
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
	readonly state?: ThreadState;
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

		return {names, samples: [...sums].map(([locationId, ns]) => ({locationId, value: Math.round(ns)})).filter(({value}) => value > 0)};
	};

	const wallNsIn = (code: number) => (counter: number) => counters.state[counter] === code ? counters.ticks[counter] * nsPerTick : 0;
	const profiles: WindowProfile[] = [
		{name: 'process_cpu', type: 'cpu', ...sumsByStack(counter => counters.cpuNs[counter])},
		...threadStates.map((state, code) => ({name: 'wall', type: 'wall', state, ...sumsByStack(wallNsIn(code))}) as const),
	];
	return profiles.filter(({samples}) => samples.length > 0);
}

/** Returns a window's start (epoch), length and sampling period, in nanoseconds; backends refuse a period of 0. */
export function timesOf({startedAtMs, durationMs, requestedIntervalMs}: SessionStats): {readonly timeNanos: bigint; readonly durationNanos: number; readonly period: number} {
	return {timeNanos: BigInt(Math.round(startedAtMs)) * BigInt(nsPerMs), durationNanos: Math.round(durationMs * nsPerMs), period: Math.max(1, Math.round(requestedIntervalMs * nsPerMs))};
}

/** Returns a profile as pprof, not compressed. */
export function encodeProfile({type, samples, names}: WindowProfile, session: SessionStats): Uint8Array {
	const valueType = {type: names.text(type), unit: names.text('nanoseconds')};
	return new Profile({
		sampleType: [valueType],
		sample: samples.map(({locationId, value}) => ({locationId, value: [value]})),
		mapping: names.mappings,
		location: names.locations,
		function: names.functions,
		periodType: valueType,
		...timesOf(session),
		stringTable: names.strings,
	}).encode();
}
