import type {Snapshot} from '../../model/snapshot.js';
import {msOf, rounded} from '../../query/columns/format.js';
import {byText} from '../../query/columns/sort.js';
import {findingsOf} from '../../query/summary/findings.js';
import {deadlocksOf} from '../../query/locks/deadlocks.js';
import {queryLines} from '../../views/lines/lines.js';
import {queryStacks} from '../../query/stacks.js';
import {queryThreads} from '../../views/threads/threads.js';
import type {Baseline, Query} from '../../query/types/query.js';
import {frameOf, frameOrNull, rowsAsJson, statesOf, viaOf} from '../../views/common/files.js';
import {jsonTraces} from '../traces/json.js';
import type {LineRow} from '../../query/counted-lines.js';
import type {ThreadRow} from '../../views/threads/columns.js';
import {documentHead, inPieces, type ExportFormat, type ExportOptions} from '../common/export-format.js';
import {windowStats} from '../common/window-snapshot.js';
import {noteLines} from './session-lines.js';
import {jsonTasks} from './tasks.js';

/** For programs: docs/formats.md specifies the keys, their order and meaning. */
export const json: ExportFormat = {
	id: 'json',
	title: 'JSON',
	extension: '.json',
	description: 'everything, for programs (schema 2, see docs/formats.md); all rows unless --top is given; with --iterations, one document per line',
	streaming: true,
	ofViews: true,
	traces: jsonTraces,
	tasks: jsonTasks,
	listing: 'document',
	write(snapshot, baseline, options) {
		return inPieces(textOf(documentOf(snapshot, baseline, options), options.iteration === undefined));
	},
};

function documentOf(snapshot: Snapshot, baseline: Snapshot | undefined, {query, view, version, top, notes = [], vitals}: ExportOptions) {
	const session = windowStats(snapshot.session, baseline?.session);
	const everything: Query = {...query, showIdle: true, foldPools: false};
	const lines = [...queryLines(snapshot, baseline, query).rows].sort((a, b) => b.selfCpuNs - a.selfCpuNs || b.selfTicks - a.selfTicks || byText(a.key, b.key));
	const threads = [...queryThreads(snapshot, baseline, everything).rows].sort((a, b) => b.cpuNs - a.cpuNs || b.ticks - a.ticks || a.thread - b.thread);
	const stacks = queryStacks(snapshot, baseline, query);
	const head = {
		...documentHead(snapshot.target, version),
		engine: session.engine,
		timer: session.timer,
		intervalMs: rounded(session.intervalMs),
		requestedIntervalMs: rounded(session.requestedIntervalMs),
		startedAt: new Date(session.startedAtMs).toISOString(),
		durationMs: rounded(session.durationMs),
		samples: session.samples,
		late: session.late,
		failed: session.failed,
		threadSamples: session.threadSamples,
		sampleTicks: session.sampleTicks,
		incompleteStacks: session.incompleteStacks,
		skippedThreads: {refused: session.refusedThreads, late: session.lateThreads},
		cost: {
			targetStoppedMs: rounded(session.targetStoppedMs), targetInterruptedMs: rounded(session.targetInterruptedMs), pauseP50Us: rounded(session.pauseP50Us), pauseP99Us: rounded(session.pauseP99Us), pauseWorstUs: rounded(session.pauseWorstUs), selfCpuMs: rounded(session.selfCpuMs), cpuIntervalMs: rounded(session.cpuIntervalMs),
		},
		...(query.baseline && view?.comparesWithBaseline ? {comparedWith: comparedWith(query.baseline)} : {}),
		vitals: vitals ? Object.fromEntries(Object.entries(vitals).map(([name, value]) => [name, typeof value === 'number' ? rounded(value) : value])) : null,
		notes: [...notes, ...noteLines(snapshot, baseline)],
		findings: findingsOf(snapshot, baseline, query, {vitals}).map(({id, text, figures, error = null}) => ({
			id, sentence: text, figures, error,
		})),
		deadlocks: deadlocksOf(snapshot).map(deadlock => deadlock.map(({name, lockClass, at}) => ({thread: name, lock: lockClass, at: frameOrNull(at)}))),
	};
	const lists: Readonly<Record<string, Iterable<string>>> = {
		lines: rowsAsJson(lines.slice(0, top), row => lineOf(row, query)),
		threads: rowsAsJson(threads.slice(0, top), threadOf),
		stacks: rowsAsJson(stacks.slice(0, top), ({ticks, cpuNs, state, frames}) => ({ticks, cpuMs: msOf(cpuNs), state, frames: frames.map(frame => frameOf(frame))})),
		...(view?.files.json ? {[view.id]: view.files.json(snapshot, baseline, query, top)} : {}),
	};
	return {head, lists};
}

function comparedWith({snapshot, since, title}: Baseline) {
	const session = windowStats(snapshot.session, since?.session);
	return {
		title, mainClass: snapshot.target.mainClass, engine: session.engine, intervalMs: rounded(session.intervalMs), startedAt: new Date(session.startedAtMs).toISOString(), durationMs: rounded(session.durationMs), samples: session.samples,
	};
}

function lineOf(row: LineRow, query: Query) {
	return {
		...frameOf(row), self: row.selfTicks, total: row.totalTicks, cpuMs: msOf(row.selfCpuNs), totalCpuMs: msOf(row.totalCpuNs), states: statesOf(row.states), ...viaOf(row, query),
	};
}

function threadOf(row: ThreadRow) {
	return {
		name: row.name, tid: row.nativeId, cpuMs: msOf(row.cpuNs), states: statesOf(row.states), stuckMs: rounded(row.stuckMs), stuckAtLeast: row.stuckAtLeast, top: row.top ? {class: row.top.className, method: row.top.method, line: row.top.line} : null,
		state: row.state ?? null, now: frameOrNull(row.now), lock: row.waitsFor && row.waitsFor.className !== '' ? row.waitsFor.className : null, owner: row.waitsFor?.ownerName ?? null, daemon: row.daemon, virtual: row.isVirtual, carrier: row.carrierName ?? null, threads: row.threads, mounted: row.mounted,
		wait: row.wait ? {kind: row.wait.kind, peer: row.wait.peer, end: row.wait.clientSide} : null, runDelayMs: msOf(row.runDelayNs),
	};
}

/** Writes the document on one line, as JSON.stringify does, or with a line for each key and row of a list, for grep. */
function * textOf({head, lists}: ReturnType<typeof documentOf>, hasLines: boolean): Generator<string> {
	const [line, tab, colon] = hasLines ? ['\n', '\t', ': '] : ['', '', ':'];
	const keyText = (name: string) => `${line}${tab}${JSON.stringify(name)}${colon}`;
	let between = '{';
	for (const [name, value] of Object.entries(head)) {
		yield `${between}${keyText(name)}${JSON.stringify(value)}`;
		between = ',';
	}

	for (const [name, rows] of Object.entries(lists)) {
		yield `,${keyText(name)}[`;
		let isEmpty = true;
		for (const row of rows) {
			yield `${isEmpty ? '' : ','}${line}${tab}${tab}${row}`;
			isEmpty = false;
		}

		yield isEmpty ? ']' : `${line}${tab}]`;
	}

	yield `${line}}\n`;
}
