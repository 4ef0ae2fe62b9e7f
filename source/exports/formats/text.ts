import {elideEnd} from '../../util/cell-width.js';
import type {Snapshot} from '../../model/snapshot.js';
import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {stateCode} from '../../model/thread-state.js';
import {deadlockText, deadlocksOf} from '../../query/locks/deadlocks.js';
import {sampledMs} from '../../query/counters/share.js';
import {measureOf} from '../../query/counters/scope.js';
import {findingsOf} from '../../query/summary/findings.js';
import {threadsViewColumns, type ThreadRow} from '../../views/threads/columns.js';
import {queryThreads} from '../../views/threads/threads.js';
import type {Column} from '../../query/columns/column.js';
import type {Query} from '../../query/types/query.js';
import {views} from '../../views/view-registry.js';
import type {View} from '../../views/common/view.js';
import {textTraces} from '../traces/traces-text.js';
import type {ExportFormat} from '../common/export-format.js';
import {
	defaultTop, defaultWidth, minWidth, moreLine, noteIndent, targetLine, textTable, wrapAt,
} from '../common/text-table.js';
import {costLine, noteLines, statesLine, timeLine, vitalsLine} from './session-lines.js';
import {textTasks} from './task-formats.js';

const maxThreads = 10;

/** For people, as in the live view: figures of the session, hot lines, busy and blocked threads. */
export const text: ExportFormat = {
	id: 'text',
	title: 'Text',
	extension: '.txt',
	usualFor: 'report',
	description:
		`the header and the table of hot lines or of --view, as on the screen; the top ${defaultTop} unless --top is given`,
	streaming: true,
	ofViews: true,
	countsEvents: true,
	traces: textTraces,
	tasks: textTasks,
	listing: 'table',
	write(snapshot, baseline, options) {
		const width = Math.max(options.width ?? defaultWidth, minWidth);
		const {query: requested, view, top = defaultTop, notes = [], states, vitals} = options;
		const query = {...requested, summary: requested.summary ?? {showsWaits: states === undefined, isReport: true}};
		const {columns, ...shown} = view ?? views[0];
		const table = shown.query(snapshot, baseline, query);
		const overMs = sampledMs(snapshot, baseline);
		const layout = {width, measure: table.measure ?? measureOf(query, overMs), overMs, by: query.by};
		const rows = table.rows.slice(0, top);
		// A view requested with --view is shown alone.
		const threads = view
			? []
			: busyThreads(queryThreads(snapshot, baseline, {
				...query,
				showsWaitsForWork: false,
				sort: {column: 'cpu', reverse: false},
			}).rows);
		const findings = view
			? []
			: findingsOf(snapshot, baseline, query, {vitals}).filter(({isAlarm}) => !isAlarm).map(finding =>
				finding.text);
		const body: readonly Printable[] = [
			...(options.iteration ? [safe``] : []),
			targetLine(snapshot.target),
			timeLine(snapshot, baseline),
			costLine(snapshot, baseline),
			statesLine(snapshot, baseline),
			...[vitalsLine(vitals)].filter(Boolean),
			...deadlocksOf(snapshot).flatMap(deadlock =>
				wrapAt(safe` `, deadlockText(deadlock).replace(/^deadlock/, safe`DEADLOCK`), width, noteIndent)),
			...changedSettings(query, snapshot, view),
			...[...notes, ...noteLines(snapshot, baseline, query)]
				.flatMap(note => wrapAt(safe` `, safe`note: ${note}`, width, noteIndent)),
			...[...findings, table.finding, table.caption].flatMap(sentence =>
				sentence === undefined ? [] : wrapAt(safe` `, sentence, width)),
			safe``,
			...textTable(columnsOf(columns, rows, query), rows, layout),
			...(rows.length === 0
				? [safe`(${
					shown.emptyText?.(table, query)
					?? 'no lines: no thread with Java frames was in a counted state or used CPU time'
				})`]
				: []),
			...moreLine(table.rows.length, top),
			...(threads.length > 0
				? [safe``, ...textTable(columnsOf(threadsViewColumns, threads, query), threads.slice(0, maxThreads), layout)]
				: []),
			...moreLine(threads.length, maxThreads),
		];
		return body.flatMap(line => wrapAt(safe` | `, line, width)).map(line => `${elideEnd(line, width)}\n`).join('');
	},
};

/** Returns the columns that a text report has. */
function columnsOf<Row>(
	columns: ReadonlyArray<Column<Row>>,
	rows: readonly Row[],
	query: Query,
): ReadonlyArray<Column<Row>> {
	return columns.filter(({screenOnly, onlyWithValues, isWithoutValues}) =>
		!screenOnly && !(onlyWithValues && isWithoutValues?.(rows, query)));
}

/** Returns a line with the view and the query's settings that are not the defaults; nothing if there are none. */
function changedSettings(query: Query, snapshot: Snapshot, view: View | undefined): Printable[] {
	const {filter, states, threadKeys} = query;
	const parts = [
		view
			? joined([printable(view.title), view.remark?.(query) ?? safe``].filter(Boolean), safe`, `)
			: views[0].remark?.(query) ?? safe``,
		threadKeys ? safe`only ${namesOfThreads(threadKeys, snapshot)}` : safe``,
		filter === '' ? safe`` : safe`filter: ${printable(filter)}`,
		states.join(',') === 'RUNNABLE,BLOCKED'
			? safe``
			: safe`ticks: ${joined(states.map(state => safe`${state}`), safe`, `)}`,
	].filter(Boolean);
	return parts.length > 0 ? [joined(parts, safe` | `)] : [];
}

const maxNames = 5;

function namesOfThreads(keys: ReadonlySet<number>, {threads}: Snapshot): Printable {
	const names = [...threads.key].flatMap((key, thread) => keys.has(key) ? [threads.name[thread]] : []);
	const more = names.length > maxNames ? safe` and ${names.length - maxNames} more` : safe``;
	return safe`${names.length} ${names.length === 1 ? 'thread' : 'threads'}: ${
		joined(names.slice(0, maxNames), safe`, `)
	}${more}`;
}

/** Returns the threads that used CPU, are blocked, or wait for a lock that another thread holds. */
function busyThreads(rows: readonly ThreadRow[]): ThreadRow[] {
	return rows.filter(row =>
		row.cpuNs > 0 || row.states[stateCode.BLOCKED] > 0 || row.state === 'BLOCKED'
		|| row.waitsFor?.ownerName !== undefined);
}
