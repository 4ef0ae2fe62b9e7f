import {
	actionKinds, bucketCount, threadGroups, type ActiveTrace, type RefusedName, type ThreadCalls, type ThreadWay, type TraceAction, type TracedMethod,
	type TraceNodes, type TraceReport, type UnmatchedPattern, type WholeTrace,
} from './report.js';
import {parametersOf} from './descriptor.js';
import {Numbers} from './numbers.js';

/*
The agent's reports: agent/src/main/java/tprof/agent/Report.java has the other side of each line. They come from the
target, so nothing in them is trusted: each number is checked before it is used, and texts are made printable. Saved files
hold the same (report-writer), but for parameters, which are descriptors in the agent's.
*/

const agentFormat = 1;
/** Without threads. */
const olderFormat = 2;
export const savedFormat = 3;
/** By their numbers, less one. */
export const phases = ['surveyed', 'tracing', 'over'] as const;
/** More than the agent ever writes. */
const most = {
	texts: 1000, methods: 20_000, nodes: 1_100_000, actions: 10_000, threads: 5000,
};

/** Reads a report. Throws RangeError for what is not one. */
export function parseReport(bytes: Uint8Array): TraceReport {
	const from = new Numbers(bytes);
	const format = from.number();
	if (![agentFormat, olderFormat, savedFormat].includes(format)) {
		throw new RangeError('a report of an unknown format');
	}

	const phase = phases[from.below(phases.length + 1) - 1] ?? 'surveyed';
	const command = from.number();
	const startedAtMs = from.number();
	const elapsedNs = from.number();
	const survey = {
		classes: from.number(), methods: from.number(), names: from.list(most.texts, () => from.text()), refused: refusals(from),
		unmatched: from.list(most.texts, (): UnmatchedPattern => ({pattern: from.text(), nearest: from.list(most.texts, () => from.text())})),
	};
	const [wovenClasses, wovenMethods] = [from.number(), from.number()];
	const refused = refusals(from);
	const [lostCalls, traces, threads] = [from.number(), from.number(), from.number()];
	const methods = from.list(most.methods, (): TracedMethod => ({className: from.text(), method: from.text(), parameters: format === agentFormat ? parametersOf(from.text()) : from.text(), isLetGo: from.number() > 0, oneIn: Math.max(1, from.number())}));
	const nodes = readNodes(from, methods.length);
	const activeCount = from.number();
	const active = from.list(most.texts, (): ActiveTrace => ({
		thread: from.text(), method: from.below(methods.length), ageNs: from.number(), depth: from.number(),
	}));
	const slowest = from.list(most.texts, () => readTrace(from, methods.length));
	const byThread = format === olderFormat ? [] : readThreads(from, nodes.count);
	return {
		phase, command, startedAtMs, elapsedNs, survey, wovenClasses, wovenMethods, refused, lostCalls, traces, threads, methods, nodes, byThread, activeCount, active, slowest,
	};
}

function readThreads(from: Numbers, nodeCount: number): ThreadCalls[] {
	return from.listToZero(most.threads, number => ({
		number: number - 1,
		name: from.text() || (threadGroups[number - 1] ?? ''),
		ways: from.listToZero(nodeCount, (node): ThreadWay => {
			if (node >= nodeCount) {
				throw new RangeError('a number that is too large');
			}

			return {
				node, calls: from.number(), exceptions: from.number(), cumulativeNs: from.number(), ownNs: from.number(), mostNs: from.number(),
			};
		}),
	})).filter(({ways}) => ways.length > 0);
}

function refusals(from: Numbers): RefusedName[] {
	return from.list(most.texts, () => ({name: from.text(), reason: from.text()}));
}

function readNodes(from: Numbers, methodCount: number): TraceNodes {
	const count = from.below(most.nodes) + 1;
	// Each takes more than eight bytes.
	from.expect((count - 1) * 8);
	const [parent, method] = [new Int32Array(count), new Int32Array(count)];
	const [calls, exceptions, cumulativeNs, ownNs, leastNs, mostNs] = Array.from({length: 6}, () => new Float64Array(count));
	const buckets = new Float64Array(count * bucketCount);
	method[0] = -1;
	for (let node = 1; node < count; node++) {
		parent[node] = from.below(node);
		method[node] = from.below(methodCount);
		for (const counter of [calls, exceptions, cumulativeNs, ownNs, leastNs, mostNs]) {
			counter[node] = from.number();
		}

		for (let left = from.below(bucketCount + 1); left > 0; left--) {
			const bucket = from.below(bucketCount);
			buckets[(node * bucketCount) + bucket] = from.number();
		}
	}

	return {
		count, parent, method, calls, exceptions, cumulativeNs, ownNs, leastNs, mostNs, buckets,
	};
}

function readTrace(from: Numbers, methodCount: number): WholeTrace {
	const startedAtMs = from.number();
	const key = `${startedAtMs}-${from.number()}`;
	const [thread, durationNs, left] = [from.text(), from.number(), from.number()];
	let atNs = 0;
	const actions = from.list(most.actions, (): TraceAction => {
		const action = from.number();
		atNs += from.number();
		const [kind, method] = [actionKinds[action % 4], Math.floor(action / 4)];
		if (kind === undefined || method >= methodCount) {
			throw new RangeError('an unknown action');
		}

		return {kind, method, atNs};
	});
	return {
		key, startedAtMs, thread, durationNs, left, actions,
	};
}
