import {
	threadsInWindow, type ThreadCalls, type ThreadWay, type TraceReport,
} from '../../model/trace-report.js';
import {
	secondsOf, treeOf, type CallFigures, type TraceTreeRow,
} from './methods.js';

/** What a thread called: all together, and the tree of its calls, the longest first. Percentiles are not known. */
export type ThreadTree = CallFigures & {readonly number: number; readonly name: string; readonly rows: readonly TraceTreeRow[]};

/** The calls of each thread in the window, the thread with the longest ones first. */
export function threadTrees(report: TraceReport, since: TraceReport | undefined): ThreadTree[] {
	const seconds = secondsOf(report, since);
	const threads = since?.startedAtMs === report.startedAtMs ? threadsInWindow(report.byThread, since.byThread) : report.byThread;
	return threads
		.map((thread): ThreadTree => {
			const rows = rowsOf(thread, report, seconds);
			return {...figuresOf(togetherOf(thread), seconds), meanNs: Number.NaN, number: thread.number, name: thread.name, rows};
		})
		.sort((a, b) => b.cumulativeNs - a.cumulativeNs || a.number - b.number);
}

function rowsOf({ways}: ThreadCalls, report: TraceReport, seconds: number): TraceTreeRow[] {
	const byNode = new Map(ways.map(way => [way.node, way]));
	// A call that goes on counts nowhere yet, but those that it has made do: they hang from it.
	const wanted = new Set<number>();
	for (const {node} of ways) {
		for (let at = node; at !== 0 && !wanted.has(at); at = report.nodes.parent[at]) {
			wanted.add(at);
		}
	}

	return treeOf(report, [...wanted].sort((a, b) => b - a), node => figuresOf(byNode.get(node), seconds));
}

/** All calls of a thread; it was in them for as long as each by itself took. */
function togetherOf({ways}: ThreadCalls): Omit<ThreadWay, 'node'> {
	const sums = {
		calls: 0, exceptions: 0, cumulativeNs: 0, ownNs: 0, mostNs: 0,
	};
	for (const {calls, exceptions, ownNs, mostNs} of ways) {
		sums.calls += calls;
		sums.exceptions += exceptions;
		sums.cumulativeNs += ownNs;
		sums.ownNs += ownNs;
		sums.mostNs = Math.max(sums.mostNs, mostNs);
	}

	return sums;
}

function figuresOf(way: Omit<ThreadWay, 'node'> | undefined, seconds: number): CallFigures {
	const {calls, exceptions, cumulativeNs, ownNs, mostNs} = way ?? {
		calls: 0, exceptions: 0, cumulativeNs: 0, ownNs: 0, mostNs: 0,
	};
	return {
		calls, exceptions, cumulativeNs, ownNs,
		mostNs: mostNs || Number.NaN,
		callsPerS: seconds > 0 ? calls / seconds : 0,
		exceptionsPerS: seconds > 0 ? exceptions / seconds : 0,
		meanNs: calls > 0 ? cumulativeNs / calls : 0,
		p50Ns: Number.NaN,
		p99Ns: Number.NaN,
	};
}
