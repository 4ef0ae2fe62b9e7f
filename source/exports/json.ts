import type {Snapshot} from '../model/snapshot.js';
import {stateCode} from '../model/thread-state.js';
import {queryLines} from '../query/lines.js';
import {queryStacks} from '../query/stacks.js';
import {queryThreads} from '../query/threads.js';
import type {LineRow, Place, Query, StackRow, StateTicks, ThreadRow} from '../query/types.js';
import type {ExportFormat, ExportOptions} from './export-format.js';
import {noteLines} from './session-lines.js';
import {windowStats} from './window-snapshot.js';

/** Version of the document's form: raised when something is taken away or means something else; keys may be added under the same number. */
export const jsonSchema = 1;

/** Programs read it: the keys, their order and their meaning are those of docs/formats.md. */
export const json: ExportFormat = {
	id: 'json',
	title: 'JSON',
	extension: '.json',
	description: 'everything, for programs (schema 1, see docs/formats.md); all rows unless --top is given; with --iterations, one document per line',
	streaming: true,
	write(snapshot, baseline, options) {
		const document = documentOf(snapshot, baseline, options);
		return options.iteration === undefined ? `${rowByRow(document)}\n` : `${JSON.stringify(document)}\n`;
	},
};

function documentOf(snapshot: Snapshot, baseline: Snapshot | undefined, {query, version, top, notes = []}: ExportOptions) {
	const {target} = snapshot;
	const session = baseline ? windowStats(snapshot.session, baseline.session) : snapshot.session;
	const everything: Query = {...query, showIdle: true, foldPools: false};
	const lines = [...queryLines(snapshot, baseline, query).rows].sort((a, b) => b.selfCpuNs - a.selfCpuNs || b.selfTicks - a.selfTicks || byText(a.key, b.key));
	const threads = [...queryThreads(snapshot, baseline, everything).rows].sort((a, b) => b.cpuNs - a.cpuNs || b.ticks - a.ticks || a.thread - b.thread);
	const stacks = queryStacks(snapshot, baseline, query);
	return {
		tool: 'tprof-top',
		version,
		schema: jsonSchema,
		target: {
			pid: target.pid, mainClass: target.mainClass, jvmVersion: target.jvmVersion, vm: target.vm,
		},
		engine: session.engine,
		intervalMs: rounded(session.intervalMs),
		requestedIntervalMs: rounded(session.requestedIntervalMs),
		startedAt: new Date(session.startedAtMs).toISOString(),
		durationMs: rounded(session.durationMs),
		samples: session.samples,
		late: session.late,
		failed: session.failed,
		threadSamples: session.threadSamples,
		incompleteStacks: session.incompleteStacks,
		skippedThreads: {refused: session.refusedThreads, late: session.lateThreads},
		cost: {
			targetStoppedMs: rounded(session.targetStoppedMs), pauseP50Us: rounded(session.pauseP50Us), pauseP99Us: rounded(session.pauseP99Us), pauseWorstUs: rounded(session.pauseWorstUs), selfCpuMs: rounded(session.selfCpuMs),
		},
		notes: [...notes, ...noteLines(snapshot, baseline)],
		lines: lines.slice(0, top).map(row => lineOf(row)),
		threads: threads.slice(0, top).map(row => threadOf(row)),
		stacks: stacks.slice(0, top).map(row => stackOf(row)),
	};
}

function lineOf(row: LineRow) {
	return {
		...frameOf(row), self: row.selfTicks, total: row.totalTicks, cpuMs: msOf(row.selfCpuNs), totalCpuMs: msOf(row.totalCpuNs), states: statesOf(row.states),
	};
}

function threadOf(row: ThreadRow) {
	return {
		name: row.name, tid: row.nativeId, cpuMs: msOf(row.cpuNs), states: statesOf(row.states), stuckMs: rounded(row.stuckMs), stuckAtLeast: row.stuckAtLeast, top: row.top ? {class: row.top.className, method: row.top.method, line: row.top.line} : null,
	};
}

function stackOf(row: StackRow) {
	return {
		ticks: row.ticks, cpuMs: msOf(row.cpuNs), state: row.state, frames: row.frames.map(frame => frameOf(frame)),
	};
}

function frameOf({className, method, file, line}: Place) {
	return {
		class: className, method, file, line,
	};
}

function statesOf(ticks: StateTicks) {
	return {
		RUNNABLE: ticks[stateCode.RUNNABLE], BLOCKED: ticks[stateCode.BLOCKED], WAITING: ticks[stateCode.WAITING], TIMED_WAITING: ticks[stateCode.TIMED_WAITING], IDLE: ticks[stateCode.IDLE],
	};
}

function msOf(ns: number): number {
	return rounded(ns / 1e6);
}

/** To three decimals: microseconds where the unit is milliseconds. What could not be measured is 0. */
function rounded(value: number): number {
	return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : 0;
}

function byText(a: string, b: string): number {
	return a < b ? -1 : (a > b ? 1 : 0);
}

/** JSON with a line for each key and for each row of a list: it can be read, searched with grep, and does not swell. */
function rowByRow(document: Readonly<Record<string, unknown>>): string {
	const keys = Object.entries(document).map(([key, value]) => {
		const text = Array.isArray(value) && value.length > 0 ? `[\n${value.map(row => `\t\t${JSON.stringify(row)}`).join(',\n')}\n\t]` : JSON.stringify(value);
		return `\t${JSON.stringify(key)}: ${text}`;
	});
	return `{\n${keys.join(',\n')}\n}`;
}
