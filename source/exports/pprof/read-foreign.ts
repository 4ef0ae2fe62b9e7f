import {rootNode, unknownLine} from '../../model/frame.js';
import {threadFlag} from '../../model/sample.js';
import {SnapshotBuilder} from '../../model/snapshot-builder.js';
import type {Snapshot} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import {stateCode, threadStates, type ThreadState} from '../../model/thread-state.js';
import {
	boundedStacks, joinedFrames, maxThreads, tooMany,
} from './limits.js';
import type {PiecewiseProfile} from './piecewise.js';
import {ProfileTables, signed, size} from './profile-tables.js';
import {labelKey, placeholders} from './names.js';

const nsPerMs = 1_000_000;

/** The greatest id of a thread. */
const maxNativeId = 2_147_483_647;

/** Keys under which profilers write what we call thread and native id; ours first. */
const threadLabels = [labelKey.thread, 'thread_name', 'thread name'];
const nativeIdLabels = [labelKey.tid, 'thread_id', 'thread id', 'os_thread_id'];

/**
The snapshot of a profile from elsewhere, or of one of ours that another tool rewrote: samples, CPU time, stacks, and
threads and states where labels give them; RUNNABLE and one thread where not. Throws RangeError with what is wrong when
it holds no samples of threads (a heap profile) or is damaged.
*/
export function foreignSnapshot(profile: PiecewiseProfile): Snapshot {
	if (profile.head.sampleType.length === 0 || profile.string(0, 1) !== '') {
		throw new RangeError('its header is missing');
	}

	const tables = new ProfileTables(profile);
	const builder = new SnapshotBuilder();
	const measure = measureOf(profile, tables);
	const threadOf = threadsOf(builder);
	const stackOf = stacksOf(builder, tables);
	let ticksSum = 0;
	for (const {locationId, value, label} of profile.sample) {
		if (value.length !== profile.head.sampleType.length) {
			throw new RangeError('a sample without values');
		}

		const {ticks, cpuNs} = measure(value);
		ticksSum += ticks;
		if (ticksSum > Number.MAX_SAFE_INTEGER) {
			throw tooMany(Number.MAX_SAFE_INTEGER, 'ticks');
		}

		const labels = tables.labels(label);
		const state = threadStates.indexOf(labels.get(labelKey.state)?.text as ThreadState);
		if (ticks > 0 || cpuNs > 0) {
			const placeholder = placeholderOf(tables, locationId);
			const node = placeholder === undefined ? stackOf(locationId) : rootNode;
			builder.count(threadOf(labels, placeholder), node, state === -1 ? stateCode.RUNNABLE : state, ticks, cpuNs);
		}
	}

	if (ticksSum === 0) {
		throw new RangeError('it holds no samples');
	}

	return builder.build(aboutOf(profile, tables, ticksSum));
}

/** The placeholder that a sample of ours has for a stack. */
function placeholderOf(tables: ProfileTables, locationId: ReadonlyArray<number | bigint>): string | undefined {
	const name = locationId.length === 1 ? tables.frames(locationId[0])[0].functionName : undefined;
	return Object.values(placeholders).find(placeholder => placeholder === name);
}

/** How ticks and CPU nanoseconds are read from a sample's values. */
function measureOf(profile: PiecewiseProfile, tables: ProfileTables): (value: ReadonlyArray<number | bigint>) => {ticks: number; cpuNs: number} {
	const types = profile.head.sampleType.map(({type, unit}) => `${tables.text(type)}/${tables.text(unit)}`);
	const ticksAt = types.findIndex(type => type === 'ticks/count' || type === 'samples/count');
	const cpuAt = types.indexOf('cpu/nanoseconds');
	const wallAt = types.indexOf('wall/nanoseconds');
	const timeAt = cpuAt === -1 ? wallAt : cpuAt;
	const periodNs = size(profile.head.period);
	if (ticksAt === -1 && (timeAt === -1 || periodNs === 0)) {
		throw new RangeError(`it holds ${types.slice(0, 4).join(', ') || 'nothing'}, not samples of threads`);
	}

	const at = (value: ReadonlyArray<number | bigint>, index: number) => {
		if (index === -1) {
			return 0;
		}

		const number = signed(value[index]);
		if (number < 0) {
			throw new RangeError('it is the difference of two profiles');
		}

		return size(number);
	};

	return value => ({
		ticks: ticksAt === -1 ? Math.round(at(value, timeAt) / periodNs) : at(value, ticksAt),
		cpuNs: at(value, cpuAt),
	});
}

function threadsOf(builder: SnapshotBuilder): (labels: ReadonlyMap<string, {text: string; num: number}>, placeholder: string | undefined) => number {
	const threads = new Map<string, number>();
	return (labels, placeholder) => {
		const name = threadLabels.map(key => labels.get(key)?.text).find(text => text !== undefined && text !== '') ?? 'all threads';
		const nativeId = nativeIdLabels.map(key => labels.get(key)?.num).find(number => number !== undefined && number > 0 && number <= maxNativeId) ?? 0;
		const javaId = labels.get(labelKey.javaId)?.num ?? 0;
		const identity = JSON.stringify([name, nativeId, javaId]);
		let thread = threads.get(identity);
		if (thread === undefined) {
			if (threads.size === maxThreads) {
				throw tooMany(maxThreads, 'threads');
			}

			// A key must differ from all others; the ids in a file from elsewhere need not be.
			const flags = placeholder === placeholders.vm ? threadFlag.vmInternal : (placeholder === placeholders.jit ? threadFlag.compiler : 0);
			thread = builder.addThread({key: threads.size + 1, nativeId, name, flags, alive: false});
			threads.set(identity, thread);
		}

		return thread;
	};
}

function stacksOf(builder: SnapshotBuilder, tables: ProfileTables): (locationIds: ReadonlyArray<number | bigint>) => number {
	const frames = new Map<number, readonly number[]>();
	const framesAt = (locationId: number) => {
		let ids = frames.get(locationId);
		if (!ids) {
			ids = tables.frames(locationId).map(({functionName, file, line}) => {
				// No method's name has a dot (JVM specification, 4.2.2).
				const dot = functionName.lastIndexOf('.');
				return builder.addFrame(printable(functionName.slice(0, Math.max(dot, 0))), printable(functionName.slice(dot + 1)), baseName(file), line > 0 ? line : unknownLine);
			});
			frames.set(locationId, ids);
		}

		return ids;
	};

	const addStack = boundedStacks(builder);
	return locationIds => addStack(joinedFrames(locationIds, id => framesAt(size(id))));
}

function aboutOf(profile: PiecewiseProfile, tables: ProfileTables, ticks: number) {
	const {period, timeNanos, durationNanos} = profile.head;
	const [program] = profile.mapping;
	const intervalMs = size(period) / nsPerMs;
	const startedAtMs = Math.min(Math.max(Math.floor(signed(timeNanos) / nsPerMs), 0), 8.64e15);
	const durationMs = Math.max(signed(durationNanos) / nsPerMs, 0);
	const takenAtMs = Math.min(Math.floor(startedAtMs + durationMs), 8.64e15);
	return {
		target: {mainClass: program ? baseName(tables.text(program.filename)) : ''},
		session: {
			engine: 'pprof', timer: '', requestedIntervalMs: intervalMs, intervalMs, startedAtMs, takenAtMs, durationMs, sampledMs: durationMs, lastSampleAtMs: takenAtMs,
			samples: intervalMs > 0 && durationMs > 0 ? Math.round(durationMs / intervalMs) : ticks,
		},
	};
}

function baseName(path: string): string {
	return path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
}
