import {gzipSync} from 'node:zlib';
import {Profile, type LabelInput, type SampleInput} from 'pprof-format';
import {getOrCreate} from '../../util/get-or-create.js';
import {nativeCodeLine, rootNode} from '../../model/frame.js';
import {isJvmWork} from '../../model/jvm-stacks.js';
import {observationsOf} from '../../model/schema.js';
import {threadFlag} from '../../model/sample.js';
import {engineName, type Snapshot} from '../../model/snapshot.js';
import {threadStates} from '../../model/thread-state.js';
import {withoutNegativeCpu} from '../../query/counters/aligned.js';
import {allocatedInWindow, exceptionsInWindow, startsInWindow} from '../../query/counters/allocated.js';
import {allStatesMask} from '../../query/counters/scope.js';
import {locationName, locationOfFrame} from '../../query/counters/location.js';
import type {ExportFormat, ReportFormat} from '../common/export-format.js';
import {windowSnapshot} from '../common/window-snapshot.js';
import {titleOf, traceTree, type TraceTreeRow} from '../../views/traces/traced-methods.js';
import type {TraceReport} from '../../model/trace-report.js';
import {labelKey, Names, placeholders} from './profile-names.js';
import {withSession} from './session-in-profile.js';

/** Wall time by call path: own time and calls at each node of the tree. */
const pprofTraces: ReportFormat<TraceReport> = {
	description: 'wall time and calls by call path, for go tool pprof and speedscope',
	write(_, report) {
		const names = new Names();
		const text = (value: string) => names.text(value);
		const sample: SampleInput[] = [];
		// At most 257 deep, as are the agent's trees.
		const add = (row: TraceTreeRow, above: readonly number[]) => {
			const path = [names.location(titleOf(row)), ...above];
			sample.push({locationId: path, value: [row.calls, Math.round(row.ownNs)]});
			for (const child of row.children) {
				add(child, path);
			}
		};

		for (const row of traceTree(report, undefined)) {
			add(row, []);
		}

		return gzipSync(new Profile({
			sampleType: [{type: text('calls'), unit: text('count')}, {type: text('wall'), unit: text('nanoseconds')}],
			sample,
			location: names.locations,
			function: names.functions,
			timeNanos: BigInt(Math.round(report.startedAtMs)) * 1_000_000n,
			durationNanos: Math.round(report.elapsedNs),
			defaultSampleType: text('wall'),
			stringTable: names.strings,
		}).encode());
	},
};

const nsPerMs = 1_000_000;

/** The only snapshot format that tprof-top can open. It has all data, not only the rows of the view. */
export const pprof: ExportFormat = {
	id: 'pprof',
	title: 'pprof',
	extension: '.pb.gz',
	usualFor: 'save',
	description: 'the whole snapshot: opens again with tprof-top open, in go tool pprof and in speedscope',
	streaming: false,
	binary: true,
	traces: pprofTraces,
	write: (snapshot, baseline, {version}) => writePprof(windowSnapshot(snapshot, baseline), version),
};

/**
Returns the snapshot as gzip-compressed pprof: a sample for each counter, labelled by thread and state, with ticks, CPU
time, and the numbers of recorded samples that the CPU time is based on, and of samples that the ticks are based on. The
last string is the session. The result is deterministic.
*/
export function writePprof(original: Snapshot, version: string): Uint8Array {
	const counters = withoutNegativeCpu(original.dictionary, original.counters);
	const snapshot: Snapshot = {...original, counters};
	const {session} = snapshot;
	const names = new Names();
	const text = (value: string) => names.text(value);
	const whole = {stateMask: allStatesMask, threads: undefined};
	const events = [
		{type: 'alloc_space', unit: 'bytes', counters: allocatedInWindow(snapshot, undefined, whole)},
		{type: 'exceptions', unit: 'count', counters: exceptionsInWindow(snapshot, undefined, whole)},
		{type: 'thread_starts', unit: 'count', counters: startsInWindow(snapshot, undefined, whole)},
	].filter(({counters: {count}}) => count > 0);
	const sample = [
		...samplesOf(snapshot, names).map(each => ({...each, value: [...(each.value ?? []), ...events.map(() => 0)]})),
		...events.flatMap(({counters: ofEvents}, kind) =>
			eventsOf({...snapshot, counters: ofEvents}, names, value =>
				events.map((_, at) => at === kind ? value : 0))),
	];
	const hasCpu = counters.cpuNs.subarray(0, counters.count).some(ns => ns > 0);
	const ticksType = {type: text('ticks'), unit: text('count')};
	const cpuType = {type: text('cpu'), unit: text('nanoseconds')};
	const profile = new Profile({
		sampleType: [ticksType, cpuType, {type: text('records'), unit: text('count')}, {
			type: text('samples'),
			unit: text('count'),
		}, ...events.map(({type, unit}) => ({type: text(type), unit: text(unit)}))],
		sample,
		mapping: names.mappings,
		location: names.locations,
		function: names.functions,
		timeNanos: BigInt(Math.round(validOrZero(session.startedAtMs))) * BigInt(nsPerMs),
		durationNanos: Math.round(validOrZero(session.durationMs) * nsPerMs),
		periodType: {type: text('wall'), unit: text('nanoseconds')},
		period: Math.round(validOrZero(session.intervalMs) * nsPerMs),
		comment: readableComments(snapshot, version).map(line => text(line)),
		defaultSampleType: hasCpu ? cpuType.type : ticksType.type,
		stringTable: names.strings,
	});
	return gzipSync(withSession(profile.encode(), snapshot));
}

/**
Returns a sample for each thread and stack with events, from the counters of a kind. `valuesOf` gives the values of all
kinds.
*/
function eventsOf(snapshot: Snapshot, names: Names, valuesOf: (value: number) => number[]): SampleInput[] {
	const {counters, threads} = snapshot;
	const stackOf = stacksOf(snapshot, names);
	return Array.from({length: counters.count}, (_, counter) => ({
		locationId: stackOf(counter),
		value: [0, 0, 0, 0, ...valuesOf(Math.round(counters.cpuNs[counter]))],
		label: threadLabels(threads, counters.thread[counter], names),
	}));
}

function threadLabels({name, key, nativeId}: Snapshot['threads'], thread: number, names: Names): LabelInput[] {
	return [
		{key: names.text(labelKey.thread), str: names.text(name[thread])},
		{key: names.text(labelKey.javaId), num: key[thread]},
		...(nativeId[thread] > 0 ? [{key: names.text(labelKey.tid), num: nativeId[thread]}] : []),
	];
}

/** Returns the number, or 0 if it is negative, too large or NaN. */
function validOrZero(value: number): number {
	return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : 0;
}

function readableComments({target, session}: Snapshot, version: string): string[] {
	return [
		`tprof-top ${version}`,
		`pid ${target.pid} ${target.command || target.mainClass}`,
		`JVM ${target.jvmVersion} ${target.vm}`,
		`engine ${engineName(session)} interval ${Math.round(session.intervalMs)} ms samples ${session.samples} late ${session.late} failed ${session.failed}`,
	];
}

function samplesOf(snapshot: Snapshot, names: Names): SampleInput[] {
	const {counters, threads} = snapshot;
	const stackOf = stacksOf(snapshot, names);
	return Array.from({length: counters.count}, (_, counter) => {
		const thread = counters.thread[counter];
		const [ticks, cpuNs] = [counters.ticks[counter], counters.cpuNs[counter]];
		const records = observationsOf(cpuNs / 1000, counters.squaredUs[counter]);
		const samples = observationsOf(ticks, counters.squaredTicks[counter]);
		return {
			locationId: stackOf(counter),
			value: [ticks, Math.round(cpuNs), records, samples],
			label: [
				{key: names.text(labelKey.thread), str: names.text(threads.name[thread])},
				{key: names.text(labelKey.javaId), num: threads.key[thread]},
				{key: names.text(labelKey.state), str: names.text(threadStates[counters.state[counter]])},
				...(threads.nativeId[thread] > 0
					? [{key: names.text(labelKey.tid), num: threads.nativeId[thread]}]
					: []),
			],
		};
	});
}

/**
Returns a function that gives the ids of the locations of a counter's stack, innermost first, and adds them to `names`.
Counters with the same stack get the same array.
*/
export function stacksOf(
	{target, dictionary, counters, threads}: Snapshot,
	names: Names,
): (counter: number) => number[] {
	const {strings, frameClass, frameMethod, frameFile, frameLine, nodeParent, nodeFrame} = dictionary;
	const program = names.mapping(target.mainClass || 'java');
	const withoutFrames = new Map<string, number[]>();
	const stacks = new Map<number, number[]>();
	const stackAt = (node: number) =>
		getOrCreate(stacks, node, () => {
			const stack: number[] = [];
			for (let at = node; at !== rootNode; at = nodeParent[at]) {
				const frame = nodeFrame[at];
				const [className, method] = [strings[frameClass[frame]], strings[frameMethod[frame]]];
				const file = strings[frameFile[frame]];
				const isNative = frameLine[frame] === nativeCodeLine;
				const name = isJvmWork(className) || isNative
					? locationName(locationOfFrame(dictionary, frame, 'line'))
					: [className, method].filter(Boolean).join('.');
				stack.push(names.location(name, {
					file,
					line: Math.max(frameLine[frame], 0),
					mappingId: isNative ? names.mapping(file) : program,
				}));
			}

			return stack;
		});

	return counter => {
		const node = counters.node[counter];
		if (node !== rootNode) {
			return stackAt(node);
		}

		const name = placeholderOf(threads.flags[counters.thread[counter]]);
		return getOrCreate(withoutFrames, name, () => [names.location(name, {mappingId: program})]);
	};
}

/** Returns a function name for a thread without frames: tools ignore samples without a location. */
function placeholderOf(flags: number): string {
	if (flags & threadFlag.vmInternal) {
		return placeholders.vm;
	}

	return (flags & threadFlag.compiler) ? placeholders.jit : placeholders.other;
}
