import {HistogramList, readHistogram} from './histogram.js';
import {VarintReader} from './varints.js';
import {
	actionKinds, threadGroups, type ActiveTrace, type RefusedName, type PathCalls, type ThreadCalls, type TraceAction, type TracedMethod, type TraceNodes, type TraceReport, type UnmatchedPattern, type WholeTrace,
} from './trace-report.js';

/*
Reads the agent's reports of traced methods; agent/src/main/java/tprof/agent/TraceReport.java writes them. They come from
the target and are untrusted: each number is checked before it is used, and texts are made printable. Saved files hold the
same bytes.
*/

const agentFormat = 4;
/** A report holds the index of its phase plus one; 0 before the first. */
export const phases = ['surveyed', 'tracing', 'over'] as const;
/** At least as much as the agent writes: a forged report must not exhaust our memory. */
const limits = {
	texts: 1000, nearest: 10, methods: 20_000, nodes: 66_000, traces: 100, actions: 4096, threads: 5000, pathsByThread: 220_000,
};

/** Reads a report and keeps its bytes. Throws RangeError if it is malformed. */
export function parseReport(bytes: Uint8Array): TraceReport {
	const from = new VarintReader(bytes);
	if (from.number() !== agentFormat) {
		throw new RangeError('unknown report format');
	}

	const phase = phases[from.below(phases.length + 1) - 1] ?? 'surveyed';
	const command = from.number();
	const startedAtMs = from.number();
	const elapsedNs = from.number();
	const survey = {
		classes: from.number(), methods: from.number(), names: from.list(limits.texts, () => from.text()), refused: refusals(from),
		unmatched: from.list(limits.texts, (): UnmatchedPattern => ({pattern: from.text(), isLoaded: from.number() > 0, nearest: from.list(limits.nearest, () => from.text())})),
	};
	const [wovenClasses, wovenMethods] = [from.number(), from.number()];
	const refused = refusals(from);
	const [lostCalls, traces, threads] = [from.number(), from.number(), from.number()];
	const methods = from.list(limits.methods, (): TracedMethod => ({className: from.text(), method: from.text(), parameters: parametersOf(from.text()), isReleased: from.number() > 0, oneIn: Math.max(1, from.number())}));
	const nodes = readNodes(from, methods.length);
	const activeCount = from.number();
	const active = from.list(limits.texts, (): ActiveTrace => ({
		thread: from.text(), method: from.below(methods.length), ageNs: from.number(), depth: from.number(),
	}));
	const slowest = from.list(limits.traces, () => readTrace(from, methods.length));
	const byThread = readThreads(from, nodes.count);
	return {
		bytes, phase, command, startedAtMs, elapsedNs, survey, wovenClasses, wovenMethods, refused, lostCalls, traces, threads, methods, nodes, byThread, activeCount, active, slowest,
	};
}

/** Checks the calls of threads, but decodes them only when `paths` is read: they are a large part of a report. */
function readThreads(from: VarintReader, nodeCount: number): ThreadCalls[] {
	let pathsLeft = limits.pathsByThread;
	const threads = from.listToZero(limits.threads, number => {
		const name = from.text() || (threadGroups[number - 1] ?? '');
		let count = 0;
		const bytes = from.span(() => {
			count = readPaths(from, nodeCount, pathsLeft, () => {
				// Skips the five numbers that `paths` reads.
				for (let skipped = 0; skipped < 5; skipped++) {
					from.number();
				}
			}).length;
		});
		pathsLeft -= count;
		if (count === 0) {
			return undefined;
		}

		return {
			number: number - 1,
			name,
			get paths() {
				const reader = new VarintReader(bytes);
				return readPaths(reader, nodeCount, count, (node): PathCalls => ({
					node, calls: reader.number(), exceptions: reader.number(), cumulativeNs: reader.number(), ownNs: reader.number(), mostNs: reader.number(),
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

export function refusals(from: VarintReader): RefusedName[] {
	return from.list(limits.texts, () => ({name: from.text(), reason: from.text()}));
}

function readNodes(from: VarintReader, methodCount: number): TraceNodes {
	const count = from.below(limits.nodes) + 1;
	// Each node takes more than eight bytes; check this before allocating the arrays.
	from.requireBytes((count - 1) * 8);
	const [parent, method] = [new Int32Array(count), new Int32Array(count)];
	const [calls, exceptions, cumulativeNs, ownNs, leastNs, mostNs] = Array.from({length: 6}, () => new Float64Array(count));
	const durations = new HistogramList();
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
	const startedAtMs = from.number();
	const key = `${startedAtMs}-${from.number()}`;
	const [thread, durationNs, droppedActions] = [from.text(), from.number(), from.number()];
	const bytes = from.span(() => {
		readActions(from, methodCount);
	});
	return {
		key, startedAtMs, thread, durationNs, droppedActions,
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
export function parametersOf(descriptor: string): string {
	const inside = /^\(([^)]*)\)/.exec(descriptor)?.[1] ?? '';
	return [...inside.matchAll(/(\[*)(?:L([^;]*);|([BCDFIJSZ]))/g)]
		.map(([, arrays, className, letter]) => (className?.replaceAll('/', '.') ?? primitives[letter]) + '[]'.repeat(arrays.length))
		.join(', ');
}
