import {fromNames} from '../../model/column-types.js';
import {eventKinds, type EventKind} from '../../model/schema.js';
import type {Snapshot} from '../../model/snapshot.js';
import {decimals, msOf, rounded} from '../../query/columns/format.js';
import {byText} from '../../query/columns/sort.js';
import {findingsOf} from '../../query/summary/findings.js';
import {deadlocksOf} from '../../query/locks/deadlocks.js';
import {queryLines} from '../../views/lines/lines.js';
import {queryStacks} from '../../query/stack-rows.js';
import {queryThreads} from '../../views/threads/threads.js';
import type {Baseline, Query} from '../../query/types/query.js';
import {frameOf, frameOrNull, rowsAsJson, statesAsJson, viaOf} from '../../views/common/file-fields.js';
import {jsonTraces} from '../traces/traces-json.js';
import type {LineRow} from '../../query/counted-lines.js';
import type {ThreadRow} from '../../views/threads/columns.js';
import {documentHead, inPieces, type ExportFormat, type ExportOptions} from '../common/export-format.js';
import {windowStats} from '../common/window-snapshot.js';
import {noteLines} from './session-lines.js';
import {jsonTasks} from './task-formats.js';

const costFigures = [
	'targetStoppedMs',
	'targetInterruptedMs',
	'pauseP50Us',
	'pauseP99Us',
	'pauseWorstUs',
	'selfCpuMs',
	'cpuIntervalMs',
] as const;

/** For programs: docs/formats.md specifies the keys, their order and meaning. */
export const json: ExportFormat = {
	id: 'json',
	title: 'JSON',
	extension: '.json',
	description:
		'everything, for programs (schema 2, see docs/formats.md); all rows unless --top is given; with --iterations, one document per line',
	streaming: true,
	ofViews: true,
	traces: jsonTraces,
	tasks: jsonTasks,
	listing: 'document',
	write(snapshot, baseline, options) {
		return inPieces(textOf(documentOf(snapshot, baseline, options), {hasLines: options.iteration === undefined}));
	},
};

/** Returns the document's parts: single values, and lists with their rows as JSON. */
function documentOf(
	snapshot: Snapshot,
	baseline: Snapshot | undefined,
	{query, view, version, top, notes = [], vitals}: ExportOptions,
) {
	const session = windowStats(snapshot.session, baseline?.session);
	const everything: Query = {...query, showsWaitsForWork: true, foldPools: false};
	const lines = [...queryLines(snapshot, baseline, query).rows].sort((a, b) =>
		b.selfCpuNs - a.selfCpuNs || b.selfTicks - a.selfTicks || byText(a.key, b.key));
	const threads = [...queryThreads(snapshot, baseline, everything).rows].sort((a, b) =>
		b.cpuNs - a.cpuNs || b.ticks - a.ticks || a.thread - b.thread);
	const stacks = queryStacks(snapshot, baseline, query);
	const head = {
		...documentHead(snapshot.target, version),
		engine: session.engine,
		timer: session.timer,
		intervalMs: rounded(session.intervalMs),
		requestedIntervalMs: rounded(session.requestedIntervalMs),
		startedAt: new Date(session.startedAtMs).toISOString(),
		durationMs: rounded(session.durationMs),
		...fromNames(
			['samples', 'late', 'failed', 'threadSamples', 'sampleTicks', 'incompleteStacks', 'eventsMs'],
			name => session[name],
		),
		skippedThreads: {refused: session.refusedThreads, late: session.lateThreads},
		cost: fromNames(costFigures, name => rounded(session[name])),
		...(query.baseline && view?.comparesWithBaseline ? {comparedWith: comparedWith(query.baseline)} : {}),
		vitals: vitals
			? Object.fromEntries(Object.entries(vitals).map(([name, value]) =>
				[name, typeof value === 'number' ? rounded(value) : value]))
			: null,
		notes: [...notes, ...noteLines(snapshot, baseline, query)],
		findings: findingsOf(snapshot, baseline, query, {vitals}).map(({id, text, figures, error = null}) => ({
			id, sentence: text, figures, error,
		})),
		deadlocks: deadlocksOf(snapshot).map(deadlock =>
			deadlock.map(({name, lockClass, at}) => ({thread: name, lock: lockClass, at: frameOrNull(at)}))),
	};
	const lists: Readonly<Record<string, Iterable<string>>> = {
		lines: rowsAsJson(lines.slice(0, top), row => lineOf(row, query)),
		threads: rowsAsJson(threads.slice(0, top), threadOf),
		stacks: rowsAsJson(
			stacks.slice(0, top),
			({ticks, cpuNs, state, frames}) => ({
				ticks,
				cpuMs: msOf(cpuNs),
				state,
				frames: frames.map(frame => frameOf(frame)),
			}),
		),
		...(view?.files.json ? {[view.id]: view.files.json(snapshot, baseline, query, top)} : {}),
	};
	return {head, lists};
}

function comparedWith({snapshot, since, title}: Baseline) {
	const session = windowStats(snapshot.session, since?.session);
	return {
		title,
		mainClass: snapshot.target.mainClass,
		engine: session.engine,
		intervalMs: rounded(session.intervalMs),
		startedAt: new Date(session.startedAtMs).toISOString(),
		durationMs: rounded(session.durationMs),
		samples: session.samples,
	};
}

function lineOf(row: LineRow, query: Query) {
	const {selfTicks: self, totalTicks: total, selfCpuNs, totalCpuNs, states} = row;
	return {
		...frameOf(row),
		self,
		total,
		cpuMs: msOf(selfCpuNs),
		totalCpuMs: msOf(totalCpuNs),
		states: statesAsJson(states),
		...viaOf(row, query),
		...(row.events('alloc') > 0 || row.totalAllocatedBytes > 0
			? {allocBytes: Math.round(row.events('alloc')), totalAllocBytes: Math.round(row.totalAllocatedBytes)}
			: {}),
		...countsOf(kind => row.events(kind)),
		...sharesOf(row),
	};
}

/** Returns the shares of a line's events of each kind in all of the kind, with their errors, if there were any. */
function sharesOf(row: LineRow) {
	const kinds = eventKinds.filter(kind => row.events(kind) > 0);
	return Object.fromEntries(kinds.flatMap(kind => {
		const {percent, error} = row.eventShare(kind);
		const errorPercent = Number.isNaN(error) ? null : decimals(error, 2);
		return [[`${kind}Percent`, decimals(percent, 2)], [`${kind}ErrorPercent`, errorPercent]];
	}));
}

/** Returns how many events there were of each kind that is counted, if there were any. */
function countsOf(amountOf: (kind: EventKind) => number) {
	const kinds = eventKinds.filter(kind => kind !== 'alloc' && amountOf(kind) > 0);
	return fromNames(kinds, kind => amountOf(kind));
}

function threadOf({top, waitsFor, wait, ...row}: ThreadRow) {
	return {
		name: row.name,
		tid: row.nativeId,
		cpuMs: msOf(row.cpuNs),
		states: statesAsJson(row.states),
		stuckMs: rounded(row.stuckMs),
		stuckAtLeast: row.stuckAtLeast,
		top: top ? {class: top.className, method: top.method, line: top.line} : null,
		state: row.state ?? null,
		now: frameOrNull(row.now),
		lock: waitsFor && waitsFor.className !== '' ? waitsFor.className : null,
		owner: waitsFor?.ownerName ?? null,
		daemon: row.isDaemon,
		virtual: row.isVirtual,
		carrier: row.carrierName ?? null,
		threads: row.threadCount,
		mounted: row.mounted,
		wait: wait ? {kind: wait.kind, peer: wait.peer, end: wait.clientSide} : null,
		runDelayMs: msOf(row.runDelayNs),
		...(row.events.alloc > 0 ? {allocBytes: Math.round(row.events.alloc)} : {}),
		...countsOf(kind => row.events[kind]),
	};
}

/** Writes the document on one line, as JSON.stringify does, or with a line for each key and row of a list, for grep. */
function * textOf(
	{head, lists}: ReturnType<typeof documentOf>,
	{hasLines}: {readonly hasLines: boolean},
): Generator<string> {
	const [line, tab, colon] = hasLines ? ['\n', '\t', ': '] : ['', '', ':'];
	const keyText = (name: string) => `${line}${tab}${JSON.stringify(name)}${colon}`;
	let separator = '{';
	for (const [name, value] of Object.entries(head)) {
		yield `${separator}${keyText(name)}${JSON.stringify(value)}`;
		separator = ',';
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
