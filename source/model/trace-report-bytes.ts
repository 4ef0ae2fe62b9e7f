import {HistogramList, readHistogram} from './histogram.js';
import {Numbers} from './varints.js';
import {
	actionKinds, threadGroups, type ActiveTrace, type RefusedName, type ThreadCalls, type ThreadWay, type TraceAction, type TracedMethod, type TraceNodes, type TraceReport, type UnmatchedPattern, type WholeTrace,
} from './trace-report.js';

/*
The agent's reports: agent/src/main/java/tprof/agent/TraceReport.java has the other side of each line. They come from the
target, so nothing in them is trusted: each number is checked before it is used, and texts are made printable. Saved files
hold the same bytes.
*/

const agentFormat = 4;
/** By their numbers, less one. */
export const phases = ['surveyed', 'tracing', 'over'] as const;
/** As much as the agent ever writes, or more: a report that the target forged must not fill our memory. */
const most = {
	texts: 1000, nearest: 10, methods: 20_000, nodes: 66_000, traces: 100, actions: 4096, threads: 5000, waysByThread: 220_000,
};

/** Reads a report, whose bytes it keeps. Throws RangeError for what is not one. */
export function parseReport(bytes: Uint8Array): TraceReport {
	const from = new Numbers(bytes);
	if (from.number() !== agentFormat) {
		throw new RangeError('a report of an unknown format');
	}

	const phase = phases[from.below(phases.length + 1) - 1] ?? 'surveyed';
	const command = from.number();
	const startedAtMs = from.number();
	const elapsedNs = from.number();
	const survey = {
		classes: from.number(), methods: from.number(), names: from.list(most.texts, () => from.text()), refused: refusals(from),
		unmatched: from.list(most.texts, (): UnmatchedPattern => ({pattern: from.text(), isLoaded: from.number() > 0, nearest: from.list(most.nearest, () => from.text())})),
	};
	const [wovenClasses, wovenMethods] = [from.number(), from.number()];
	const refused = refusals(from);
	const [lostCalls, traces, threads] = [from.number(), from.number(), from.number()];
	const methods = from.list(most.methods, (): TracedMethod => ({className: from.text(), method: from.text(), parameters: parametersOf(from.text()), isReleased: from.number() > 0, oneIn: Math.max(1, from.number())}));
	const nodes = readNodes(from, methods.length);
	const activeCount = from.number();
	const active = from.list(most.texts, (): ActiveTrace => ({
		thread: from.text(), method: from.below(methods.length), ageNs: from.number(), depth: from.number(),
	}));
	const slowest = from.list(most.traces, () => readTrace(from, methods.length));
	const byThread = readThreads(from, nodes.count);
	return {
		bytes, phase, command, startedAtMs, elapsedNs, survey, wovenClasses, wovenMethods, refused, lostCalls, traces, threads, methods, nodes, byThread, activeCount, active, slowest,
	};
}

/** Most of what a report has is in traces and threads' ways: it stays as bytes until it is asked for. */
function readThreads(from: Numbers, nodeCount: number): ThreadCalls[] {
	let left = most.waysByThread;
	const threads = from.listToZero(most.threads, number => {
		const name = from.text() || (threadGroups[number - 1] ?? '');
		let count = 0;
		const bytes = from.span(() => {
			count = readWays(from, nodeCount, left, () => {
				for (let counter = 0; counter < 5; counter++) {
					from.number();
				}
			}).length;
		});
		left -= count;
		if (count === 0) {
			return undefined;
		}

		return {
			number: number - 1,
			name,
			get ways() {
				const again = new Numbers(bytes);
				return readWays(again, nodeCount, count, (node): ThreadWay => ({
					node, calls: again.number(), exceptions: again.number(), cumulativeNs: again.number(), ownNs: again.number(), mostNs: again.number(),
				}));
			},
		};
	});
	return threads.filter(thread => thread !== undefined);
}

function readWays<Way>(from: Numbers, nodeCount: number, limit: number, read: (node: number) => Way): Way[] {
	return from.listToZero(limit, node => {
		if (node >= nodeCount) {
			throw new RangeError('a number that is too large');
		}

		return read(node);
	});
}

export function refusals(from: Numbers): RefusedName[] {
	return from.list(most.texts, () => ({name: from.text(), reason: from.text()}));
}

function readNodes(from: Numbers, methodCount: number): TraceNodes {
	const count = from.below(most.nodes) + 1;
	// Each takes more than eight bytes.
	from.expect((count - 1) * 8);
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
		count, parent, method, calls, exceptions, cumulativeNs, ownNs, leastNs, mostNs, durations: durations.taken(),
	};
}

function readTrace(from: Numbers, methodCount: number): WholeTrace {
	const startedAtMs = from.number();
	const key = `${startedAtMs}-${from.number()}`;
	const [thread, durationNs, left] = [from.text(), from.number(), from.number()];
	const bytes = from.span(() => {
		readActions(from, methodCount);
	});
	return {
		key, startedAtMs, thread, durationNs, left,
		get actions() {
			return readActions(new Numbers(bytes), methodCount);
		},
	};
}

function readActions(from: Numbers, methodCount: number): TraceAction[] {
	let atNs = 0;
	return from.list(most.actions, (): TraceAction => {
		const action = from.number();
		atNs += from.number();
		const [kind, method] = [actionKinds[action % 4], Math.floor(action / 4)];
		if (kind === undefined || method >= methodCount) {
			throw new RangeError('an unknown action');
		}

		return {kind, method, atNs};
	});
}

/** By their letters in a method's descriptor (JVMS 4.3.2). */
const primitives: Readonly<Record<string, string>> = {
	B: 'byte', C: 'char', D: 'double', F: 'float', I: 'int', J: 'long', S: 'short', Z: 'boolean',
};

/** The parameters of a method's descriptor as Java has them: "(I[Ljava/lang/String;)V" is "int, java.lang.String[]". */
export function parametersOf(descriptor: string): string {
	const inside = /^\(([^)]*)\)/.exec(descriptor)?.[1] ?? '';
	return [...inside.matchAll(/(\[*)(?:L([^;]*);|([BCDFIJSZ]))/g)]
		.map(([, arrays, className, letter]) => (className?.replaceAll('/', '.') ?? primitives[letter]) + '[]'.repeat(arrays.length))
		.join(', ');
}
