import {joined, printable, safe, type Printable} from '../util/printable.js';
import {VarintReader} from '../util/varints.js';
import {HistogramList, histogramOf, readHistogram} from './histogram.js';
import type {AgentTaskReport, CounterReading, LongVisit, TasksNow, TaskVisits} from './task-report.js';
import {
	actionKinds,
	threadGroups,
	type ActiveTrace,
	type AgentReport,
	type RefusedName,
	type PathCalls,
	type ThreadCalls,
	type TraceAction,
	type TracedMethod,
	type TraceNodes,
	type TraceReport,
	type UnmatchedPattern,
	type WholeTrace,
} from './trace-report.js';

/*
Reads the agent's reports of traced methods and of tasks; TraceReport.java and TaskReport.java in
agent/src/main/java/tprof/agent write them. They come from the target and are untrusted: each number is checked before
it is used, and texts are made printable. Saved files hold the same bytes.
*/

/** The number with which a report of either kind begins. */
const formats = {traces: 4, tasks: 103};
/** A report holds the index of its phase plus one; 0 before the first. */
const phases = ['surveyed', 'tracing', 'over'] as const;
/** Maximum numbers of items, at least what the agent writes: a forged report must not exhaust our memory. */
const limits = {
	texts: 1000,
	nearest: 10,
	methods: 20_000,
	nodes: 66_000,
	traces: 100,
	actions: 4096,
	threads: 5000,
	pathsByThread: 220_000,
	faults: 2200,
	kinds: 1000,
	workers: 5000,
	visits: 40_000,
	longest: 1000,
	readings: 10_000,
};

/** Reads a report of traced methods and keeps its bytes. Throws RangeError if it is malformed. */
export function parseReport(bytes: Uint8Array): TraceReport {
	const from = new VarintReader(bytes);
	const head = readHead(from, formats.traces);
	const survey = {
		classes: from.number(),
		methods: from.number(),
		names: from.list(limits.texts, () => from.text()),
		refused: refusals(from),
		unmatched: from.list(
			limits.texts,
			(): UnmatchedPattern => ({
				pattern: from.text(),
				isLoaded: from.number() > 0,
				nearest: from.list(limits.nearest, () => from.text()),
			}),
		),
	};
	const [wovenClasses, wovenMethods] = [from.number(), from.number()];
	const refused = refusals(from);
	const [lostCalls, traces, threads] = [from.number(), from.number(), from.number()];
	const methods = from.list(
		limits.methods,
		(): TracedMethod => ({
			className: from.text(),
			method: from.text(),
			parameters: parametersOf(from.text()),
			isReleased: from.number() > 0,
			oneIn: Math.max(1, from.number()),
		}),
	);
	const nodes = readNodes(from, methods.length);
	const activeCount = from.number();
	const active = from.list(limits.texts, (): ActiveTrace => ({
		thread: from.text(), method: from.below(methods.length), ageNs: from.number(), depth: from.number(),
	}));
	const slowest = from.list(limits.traces, () => readTrace(from, methods.length));
	const byThread = readThreads(from, nodes.count);
	return {
		...head,
		bytes,
		survey,
		wovenClasses,
		wovenMethods,
		refused,
		lostCalls,
		traces,
		threads,
		methods,
		nodes,
		byThread,
		activeCount,
		active,
		slowest,
	};
}

/** Reads what reports of both kinds begin with. */
function readHead(
	from: VarintReader,
	format: number,
): Pick<AgentReport, 'phase' | 'command' | 'startedAtMs' | 'elapsedNs'> {
	if (from.number() !== format) {
		throw new RangeError('unknown report format');
	}

	return {
		phase: phases[from.below(phases.length + 1) - 1] ?? 'surveyed',
		command: from.number(),
		startedAtMs: from.number(),
		elapsedNs: from.number(),
	};
}

/** Checks the calls of threads, but decodes them only when `paths` is read: they are a large part of a report. */
function readThreads(from: VarintReader, nodeCount: number): ThreadCalls[] {
	let pathsLeft = limits.pathsByThread;
	const threads = from.listToZero(limits.threads, numberPlusOne => {
		const number = numberPlusOne - 1;
		const name = from.text() || safe`${threadGroups[number] ?? ''}`;
		let count = 0;
		const bytes = from.span(() => {
			count = readPaths(from, nodeCount, pathsLeft, () => {
				// Skips the five numbers that `paths` reads.
				for (let index = 0; index < 5; index++) {
					from.number();
				}
			}).length;
		});
		pathsLeft -= count;
		if (count === 0) {
			return undefined;
		}

		return {
			number,
			name,
			get paths() {
				const reader = new VarintReader(bytes);
				return readPaths(reader, nodeCount, count, (node): PathCalls => ({
					node,
					calls: reader.number(),
					exceptions: reader.number(),
					cumulativeNs: reader.number(),
					ownNs: reader.number(),
					mostNs: reader.number(),
				}));
			},
		};
	});
	return threads.filter(thread => thread !== undefined);
}

function readPaths<Path>(from: VarintReader, nodeCount: number, limit: number, read: (node: number) => Path): Path[] {
	return from.listToZero(limit, node => {
		if (node >= nodeCount) {
			throw new RangeError('number out of bounds');
		}

		return read(node);
	});
}

function refusals(from: VarintReader): RefusedName[] {
	return from.list(limits.texts, () => ({name: from.text(), reason: from.text()}));
}

function readNodes(from: VarintReader, methodCount: number): TraceNodes {
	const count = from.below(limits.nodes) + 1;
	// Each node takes more than eight bytes; check this before allocating the arrays.
	from.requireBytes((count - 1) * 8);
	const [parent, method] = [new Int32Array(count), new Int32Array(count)];
	const [calls, exceptions, cumulativeNs, ownNs, leastNs, mostNs] = Array.from(
		{length: 6},
		() => new Float64Array(count),
	);
	const durations = new HistogramList();
	// The root has no method and no calls.
	durations.end();
	method[0] = -1;
	for (let node = 1; node < count; node++) {
		parent[node] = from.below(node);
		method[node] = from.below(methodCount);
		for (const counter of [calls, exceptions, cumulativeNs, ownNs, leastNs, mostNs]) {
			counter[node] = from.number();
		}

		readHistogram(from, durations);
	}

	return {
		count, parent, method, calls, exceptions, cumulativeNs, ownNs, leastNs, mostNs, durations: durations.build(),
	};
}

function readTrace(from: VarintReader, methodCount: number): WholeTrace {
	const [startedAtMs, number] = [from.number(), from.number()];
	const [thread, durationNs, droppedActions] = [from.text(), from.number(), from.number()];
	const bytes = from.span(() => {
		readActions(from, methodCount);
	});
	return {
		key: safe`${startedAtMs}-${number}`, startedAtMs, thread, durationNs, droppedActions,
		get actions() {
			return readActions(new VarintReader(bytes), methodCount);
		},
	};
}

function readActions(from: VarintReader, methodCount: number): TraceAction[] {
	let atNs = 0;
	return from.list(limits.actions, (): TraceAction => {
		// The kind in the low two bits, the method above.
		const action = from.number();
		atNs += from.number();
		const [kind, method] = [actionKinds[action % 4], Math.floor(action / 4)];
		if (kind === undefined || method >= methodCount) {
			throw new RangeError('unknown action');
		}

		return {kind, method, atNs};
	});
}

/** Primitive types by their letters in a method's descriptor (JVMS 4.3.2). */
const primitives: Readonly<Record<string, string>> = {
	B: 'byte', C: 'char', D: 'double', F: 'float', I: 'int', J: 'long', S: 'short', Z: 'boolean',
};

/** Returns a descriptor's parameters as in Java: "int, java.lang.String[]" for "(I[Ljava/lang/String;)V". */
export function parametersOf(descriptor: string): Printable {
	const inside = /^\(([^)]*)\)/.exec(descriptor)?.[1] ?? '';
	return joined([...inside.matchAll(/(\[*)(?:L([^;]*);|([BCDFIJSZ]))/g)]
		.map(([, arrays, className, letter]) =>
			safe`${printable(className?.replaceAll('/', '.') ?? primitives[letter])}${
				safe`[]`.repeat(arrays.length)
			}`), safe`, `);
}

/** The probe's lists that a report refers to by index. */
type ProbeLists = Readonly<Record<'states' | 'points' | 'counters', {readonly length: number}>>;

/** Reads a report of tasks and keeps its bytes. Throws RangeError if it is malformed. */
export function parseTaskReport(bytes: Uint8Array, {states, points, counters}: ProbeLists): AgentTaskReport {
	const from = new VarintReader(bytes);
	const head = readHead(from, formats.tasks);
	const [wovenClasses, wovenMethods] = [from.number(), from.number()];
	const refused = refusals(from);
	const [missingPoints, unloadedPoints] = Array.from(
		{length: 2},
		() => from.list(points.length, () => from.below(points.length)),
	);
	const [oneIn, skipped, dropped, missed] = Array.from({length: 4}, () => from.number());
	const faults = from.list(limits.faults, () => from.text());
	const visits = from.listToZero(limits.visits, workerPlusOne => readVisits(from, workerPlusOne - 1, states.length));
	const now = from.listToZero(limits.visits, (kindPlusOne): TasksNow => ({
		kind: kindPlusOne - 1,
		state: from.below(states.length),
		count: from.number(),
		sumNs: from.number(),
		oldestNs: from.number(),
	}));
	const longest = from.list(limits.longest, (): LongVisit => ({
		kind: from.number(), state: from.below(states.length), ageNs: from.number(), worker: from.text(),
	}));
	const readings = from.list(
		limits.readings,
		(): CounterReading => ({counter: from.below(counters.length), of: from.text(), value: from.number()}),
	);
	const kinds = from.list(limits.kinds, () => from.text());
	const workers = from.list(limits.workers, () => from.text());
	if (
		[...visits, ...now, ...longest].some(({kind}) => kind >= kinds.length)
		|| visits.some(({worker}) => worker >= workers.length)
	) {
		throw new RangeError('number out of bounds');
	}

	return {
		...head,
		bytes,
		wovenClasses,
		wovenMethods,
		refused,
		missingPoints,
		unloadedPoints,
		oneIn,
		skipped,
		dropped,
		missed,
		faults,
		visits,
		now,
		longest,
		readings,
		kinds,
		workers,
	};
}

function readVisits(from: VarintReader, worker: number, stateCount: number): TaskVisits {
	const [kind, state] = [from.number(), from.below(stateCount)];
	const [count, totalNs, leastNs, mostNs] = Array.from({length: 4}, () => from.number());
	const durations = new HistogramList();
	readHistogram(from, durations);
	return {worker, kind, state, count, totalNs, leastNs, mostNs, durations: histogramOf(durations.build(), 0)};
}
