import {actionKinds, bucketCount, type RefusedName, type TraceReport, type WholeTrace} from './report.js';
import {Bytes} from './bytes.js';
import {phases, savedFormat} from './report-bytes.js';

/** A report as bytes for a file, which `parseReport` reads back. */
export function writeReport(report: TraceReport): Uint8Array {
	const to = new Bytes();
	to.numbers(savedFormat, phases.indexOf(report.phase) + 1, report.command, report.startedAtMs, report.elapsedNs);
	const {survey, methods, active, slowest} = report;
	to.numbers(survey.classes, survey.methods);
	to.list(survey.names, name => {
		to.texts(name);
	});
	writeRefusals(to, survey.refused);
	to.list(survey.unmatched, ({pattern, nearest}) => {
		to.texts(pattern);
		to.list(nearest, name => {
			to.texts(name);
		});
	});
	to.numbers(report.wovenClasses, report.wovenMethods);
	writeRefusals(to, report.refused);
	to.numbers(report.lostCalls, report.traces, report.threads);
	to.list(methods, ({className, method, parameters, isLetGo, oneIn}) => {
		to.texts(className);
		to.texts(method);
		to.texts(parameters);
		to.numbers(isLetGo ? 1 : 0, oneIn ?? 1);
	});
	writeNodes(to, report);
	to.numbers(report.activeCount);
	to.list(active, ({thread, method, ageNs, depth}) => {
		to.texts(thread);
		to.numbers(method, ageNs, depth);
	});
	to.list(slowest, trace => {
		writeTrace(to, trace);
	});
	writeThreads(to, report);
	return to.taken();
}

function writeRefusals(to: Bytes, refused: readonly RefusedName[]): void {
	to.list(refused, ({name, reason}) => {
		to.texts(name);
		to.texts(reason);
	});
}

function writeNodes(to: Bytes, {nodes}: TraceReport): void {
	to.numbers(nodes.count - 1);
	for (let node = 1; node < nodes.count; node++) {
		to.numbers(nodes.parent[node], nodes.method[node], nodes.calls[node], nodes.exceptions[node], nodes.cumulativeNs[node], nodes.ownNs[node], nodes.leastNs[node], nodes.mostNs[node]);
		to.sparse(nodes.buckets.subarray(node * bucketCount, (node + 1) * bucketCount));
	}
}

function writeThreads(to: Bytes, {byThread}: TraceReport): void {
	for (const {number, name, ways} of byThread) {
		to.numbers(number + 1);
		to.texts(name);
		for (const {node, calls, exceptions, cumulativeNs, ownNs, mostNs} of ways) {
			to.numbers(node, calls, exceptions, cumulativeNs, ownNs, mostNs);
		}

		to.numbers(0);
	}

	to.numbers(0);
}

function writeTrace(to: Bytes, {key, startedAtMs, thread, durationNs, left, actions}: WholeTrace): void {
	to.numbers(startedAtMs, Number(key.slice(key.indexOf('-') + 1)));
	to.texts(thread);
	to.numbers(durationNs, left);
	let lastNs = 0;
	to.list(actions, ({kind, method, atNs}) => {
		to.numbers((method * 4) + actionKinds.indexOf(kind), atNs - lastNs);
		lastNs = atNs;
	});
}
