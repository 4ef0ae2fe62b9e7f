import {getOrCreate} from '../../util/get-or-create.js';
import {normalClassName} from '../../model/class-name.js';
import {rootNode, unknownLine} from '../../model/frame.js';
import {threadFlag} from '../../model/sample.js';
import {maxDateMs} from '../../model/saved-values.js';
import {SnapshotBuilder} from '../../model/snapshot-builder.js';
import type {Snapshot} from '../../model/snapshot.js';
import {printable, safe, type Printable} from '../../util/printable.js';
import {stateCode, threadStates, type ThreadState} from '../../model/thread-state.js';
import {maxDepth, maxFrames, maxNodes, maxProfileThreads, tooMany} from '../common/limits.js';
import {labelKey, placeholders} from './profile-names.js';
import type {Profile} from './profile.js';

const nsPerMs = 1_000_000;

/** A thread id is a positive 32-bit integer. */
const maxNativeId = 2_147_483_647;

/** Label keys of profilers for a thread's name and native id, ours first. */
const threadLabels = [labelKey.thread, 'thread_name', 'thread name'];
const nativeIdLabels = [labelKey.tid, 'thread_id', 'thread id', 'os_thread_id'];

/** Returns the snapshot of another tool's profile, see `addSamples`. */
export function foreignSnapshot(profile: Profile): Snapshot {
	const builder = new SnapshotBuilder();
	const ticks = addSamples(builder, profile, {periodNs: checkedCount(profile.period), threadOf: threadsOf(builder)});
	return builder.build(factsOf(profile, ticks));
}

/** A profile that a backend merged: it has no labels, and its period is not that of sampling. */
export type MergedProfile = {
	readonly profile: Profile;
	/** The state of all threads in it; undefined if unknown. */
	readonly state?: ThreadState;
};

/** When a backend's profiles were sampled, and how: moments since the epoch, and times. */
export type MergedSpan = {
	readonly startMs: number;
	readonly endMs: number;
	/** For how much of that there are profiles. */
	readonly coveredMs: number;
	/** Undefined if unknown. */
	readonly periodMs: number | undefined;
};

/**
Returns one snapshot of profiles of CPU time or of thread time. Without a period there are no ticks of CPU time, a tick
of thread time is a millisecond, and no error is known. Throws RangeError.
*/
export function mergedSnapshot(profiles: readonly MergedProfile[], span: MergedSpan): Snapshot {
	const {periodMs, startMs, endMs, coveredMs} = span;
	const builder = new SnapshotBuilder();
	const threadOf = threadsOf(builder);
	for (const {profile, state} of profiles) {
		const unknownPeriodNs = profile.types.includes('cpu/nanoseconds') ? Infinity : nsPerMs;
		const periodNs = periodMs === undefined ? unknownPeriodNs : periodMs * nsPerMs;
		addSamples(builder, profile, {periodNs, threadOf, state});
	}

	const intervalMs = periodMs ?? 0;
	const session = {
		engine: safe`pprof`, timer: safe``,
		requestedIntervalMs: intervalMs, intervalMs, startedAtMs: startMs, takenAtMs: endMs,
		lastSampleAtMs: endMs, durationMs: coveredMs, samples: Math.max(1, Math.round(coveredMs / (periodMs ?? 1))),
	};
	const snapshot = builder.build({session});
	if (periodMs === undefined) {
		snapshot.counters.squaredUs.fill(0);
		snapshot.counters.squaredTicks.fill(0);
	}

	return snapshot;
}

type SampleRules = {
	/** The time that a tick counts for, unless the profile has ticks; Infinity: it has none. */
	readonly periodNs: number;
	readonly threadOf: ReturnType<typeof threadsOf>;
	/** The state of samples without a label for it. */
	readonly state?: ThreadState;
};

/**
Adds a profile's samples, CPU time, stacks, and the threads and states in its labels. Returns the number of ticks.
Throws RangeError if it has no samples of threads.
*/
function addSamples(builder: SnapshotBuilder, profile: Profile, rules: SampleRules): number {
	const {periodNs, threadOf, state: usualState = 'RUNNABLE'} = rules;
	const figuresOf = sampleReader(profile, periodNs);
	const stackOf = stacksOf(builder, profile);
	let [ticksSum, cpuSumNs] = [0, 0];
	for (const {locationIds, values, labels} of profile.samples()) {
		if (values.length !== profile.types.length) {
			throw new RangeError('a sample without values');
		}

		const {ticks, cpuNs} = figuresOf(values);
		ticksSum += ticks;
		cpuSumNs += cpuNs;
		if (ticksSum > Number.MAX_SAFE_INTEGER) {
			throw tooMany(Number.MAX_SAFE_INTEGER, 'ticks');
		}

		const state = threadStates.indexOf(labels.get(labelKey.state)?.text as ThreadState);
		if (ticks > 0 || cpuNs > 0) {
			const placeholder = placeholderOf(profile, locationIds);
			const node = placeholder === undefined ? stackOf(locationIds) : rootNode;
			builder.count(
				threadOf(labels, placeholder),
				node,
				state === -1 ? stateCode[usualState] : state,
				ticks,
				cpuNs,
			);
		}
	}

	if (ticksSum === 0 && cpuSumNs === 0) {
		throw new RangeError('it holds no samples');
	}

	return ticksSum;
}

/** Returns the placeholder that tprof-top wrote for a sample without a stack; undefined if it has a stack. */
function placeholderOf(profile: Profile, locationIds: readonly number[]): string | undefined {
	const name = locationIds.length === 1 ? profile.frames(locationIds[0])[0].functionName : undefined;
	return Object.values(placeholders).find(placeholder => placeholder === name);
}

type SampleReader = (values: readonly number[]) => {ticks: number; cpuNs: number};

/** Returns a function that reads ticks and CPU nanoseconds from a sample's values. */
function sampleReader({types}: Profile, periodNs: number): SampleReader {
	const ticksIndex = types.findIndex(type => type === 'ticks/count' || type === 'samples/count');
	const cpuIndex = types.indexOf('cpu/nanoseconds');
	const timeIndex = cpuIndex === -1 ? types.indexOf('wall/nanoseconds') : cpuIndex;
	if (ticksIndex === -1 && (timeIndex === -1 || periodNs === 0)) {
		throw new RangeError(`it holds ${types.slice(0, 4).join(', ') || 'nothing'}, not samples of threads`);
	}

	const valueAt = (values: readonly number[], index: number) => {
		if (index === -1) {
			return 0;
		}

		if (values[index] < 0) {
			throw new RangeError('it is the difference of two profiles');
		}

		return checkedCount(values[index]);
	};

	let remainderNs = 0;
	const ticksOf = (timeNs: number) => {
		if (periodNs === Infinity) {
			return 0;
		}

		const ticks = Math.round((timeNs + remainderNs) / periodNs);
		// Samples of less than half a period each would otherwise count for nothing.
		remainderNs += timeNs - (ticks * periodNs);
		return ticks;
	};

	return values => ({
		ticks: ticksIndex === -1 ? ticksOf(valueAt(values, timeIndex)) : valueAt(values, ticksIndex),
		cpuNs: valueAt(values, cpuIndex),
	});
}

/** A sample's labels by their keys. */
type Labels = ReadonlyMap<string, {text: Printable; num: number}>;

/** Returns a function that adds the thread in a sample's labels, if new, and returns its index. */
function threadsOf(builder: SnapshotBuilder): (labels: Labels, placeholder: string | undefined) => number {
	const threads = new Map<string, number>();
	return (labels, placeholder) => {
		const name = threadLabels.map(key => labels.get(key)?.text).find(text => text !== undefined && text !== '')
			?? safe`all threads`;
		const nativeId
			= nativeIdLabels.map(key => labels.get(key)?.num).find(number =>
				number !== undefined && number > 0 && number <= maxNativeId) ?? 0;
		const javaId = labels.get(labelKey.javaId)?.num ?? 0;
		const identity = JSON.stringify([name, nativeId, javaId]);
		return getOrCreate(threads, identity, () => {
			if (threads.size === maxProfileThreads) {
				throw tooMany(maxProfileThreads, 'threads');
			}

			// A key must be unique, which another tool's ids need not be.
			return builder.addThread({
				key: threads.size + 1,
				nativeId,
				name,
				flags: flagsOf(placeholder),
				alive: false,
			});
		});
	};
}

function flagsOf(placeholder: string | undefined): number {
	if (placeholder === placeholders.vm) {
		return threadFlag.vmInternal;
	}

	return placeholder === placeholders.jit ? threadFlag.compiler : 0;
}

/** Returns a function that adds a stack of locations and returns its node; it throws if the stacks exceed a limit. */
function stacksOf(builder: SnapshotBuilder, profile: Profile): (locationIds: readonly number[]) => number {
	const frames = new Map<number, readonly number[]>();
	const framesAt = (locationId: number) =>
		getOrCreate(frames, locationId, () =>
			profile.frames(locationId).map(({functionName, file, line}) => {
				// No method's name has a dot (JVMS 4.2.2).
				const dot = functionName.lastIndexOf('.');
				const className = functionName.slice(0, Math.max(dot, 0));
				const visible = printable(file === '' ? fromInternalName(className) : className);
				const method = functionName.slice(dot + 1);
				return builder.addFrame(visible, method, baseName(file), line > 0 ? line : unknownLine);
			}));

	let frameSum = 0;
	return locationIds => {
		const stack: number[] = [];
		for (const locationId of locationIds) {
			for (const frame of framesAt(locationId)) {
				stack.push(frame);
			}

			if (stack.length > maxDepth) {
				throw tooMany(maxDepth, 'frames in a stack');
			}
		}

		frameSum += stack.length;
		if (frameSum > maxFrames) {
			throw tooMany(maxFrames, 'frames of all stacks');
		}

		const node = builder.addStack(stack);
		if (node > maxNodes) {
			throw tooMany(maxNodes, 'distinct stacks');
		}

		return node;
	};
}

/**
Returns a class's name with dots if it is one as in class files, as async-profiler and so pyroscope-java write it:
`com/acme/Order$$Lambda.0x00007f0001000a00`. Other names are returned as they are.
*/
function fromInternalName(className: string): string {
	return /^[^/\s]+(?:\/[^/\s]+)+$/.test(className)
		? normalClassName(className.replace(/\.(0x[\da-f]+)$/i, '+$1')).replaceAll('/', '.')
		: className;
}

function factsOf({period, timeNs, durationNs, program}: Profile, ticks: number) {
	const intervalMs = checkedCount(period) / nsPerMs;
	const startedAtMs = Math.min(Math.max(Math.floor(timeNs / nsPerMs), 0), maxDateMs);
	const durationMs = Math.max(durationNs / nsPerMs, 0);
	const takenAtMs = Math.min(Math.floor(startedAtMs + durationMs), maxDateMs);
	return {
		target: {mainClass: baseName(program)},
		session: {
			engine: safe`pprof`,
			timer: safe``,
			requestedIntervalMs: intervalMs,
			intervalMs,
			startedAtMs,
			takenAtMs,
			durationMs,
			sampledMs: durationMs,
			lastSampleAtMs: takenAtMs,
			samples: intervalMs > 0 && durationMs > 0 ? Math.round(durationMs / intervalMs) : ticks,
		},
	};
}

function baseName(path: Printable): Printable {
	return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}

/** Returns the number; throws if it is not a safe integer of at least 0. */
function checkedCount(number: number): number {
	if (!Number.isSafeInteger(number) || number < 0) {
		throw new RangeError('a number out of range');
	}

	return number;
}
