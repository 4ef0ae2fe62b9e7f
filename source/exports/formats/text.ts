import {cut} from '../../util/cell-width.js';
import type {Snapshot} from '../../model/snapshot.js';
import {printable} from '../../util/printable.js';
import {stateCode} from '../../model/thread-state.js';
import {deadlockText, deadlocksOf} from '../../query/locks/deadlocks.js';
import {sampledMs} from '../../query/counters/share.js';
import {measureOf} from '../../query/counters/scope.js';
import {findingsOf} from '../../query/summary/findings.js';
import {threadColumns, type ThreadRow} from '../../views/threads/columns.js';
import {queryThreads} from '../../views/threads/threads.js';
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
		const layout = {width, unit: table.measure ?? measureOf(query, overMs), overMs, by: query.by};
		const rows = table.rows.slice(0, top);
		// A view requested with --view is shown alone.
		const threads = view
			? []
			: busyThreads(queryThreads(snapshot, baseline, {
				...query,
				showIdle: false,
				sort: {column: 'cpu', reverse: false},
			}).rows);
		const findings = view
			? []
			: findingsOf(snapshot, baseline, query, {vitals}).filter(({isAlarm}) => !isAlarm).map(finding =>
				finding.text);
		const body = [
			...(options.iteration ? [''] : []),
			targetLine(snapshot.target),
			timeLine(snapshot, baseline),
			costLine(snapshot, baseline),
			statesLine(snapshot, baseline),
			...[vitalsLine(vitals)].filter(Boolean),
			...deadlocksOf(snapshot).flatMap(deadlock =>
				wrapAt(' ', deadlockText(deadlock).replace(/^deadlock/, 'DEADLOCK'), width, noteIndent)),
			...changedSettings(query, snapshot, view),
			...[...notes, ...noteLines(snapshot, baseline, query)]
				.flatMap(note => wrapAt(' ', `note: ${note}`, width, noteIndent)),
			...[...findings, table.finding, table.caption].flatMap(sentence =>
				sentence === undefined ? [] : wrapAt(' ', sentence, width)),
			'',
			...textTable(columns.filter(({screenOnly}) => !screenOnly), rows, layout),
			...(rows.length === 0
				? [`(${
					shown.emptyText?.(table, query)
					?? 'no lines: no thread with Java frames was in a counted state or used CPU time'
				})`]
				: []),
			...moreLine(table.rows.length, top),
			...(threads.length > 0 ? ['', ...textTable(threadColumns, threads.slice(0, maxThreads), layout)] : []),
			...moreLine(threads.length, maxThreads),
		];
		return body.flatMap(line => wrapAt(' | ', line, width)).map(line => `${cut(line, width)}\n`).join('');
	},
};

/** Returns a line with the view and the query's settings that are not the defaults; nothing if there are none. */
function changedSettings(query: Query, snapshot: Snapshot, view: View | undefined): string[] {
	const {filter, states, threadKeys} = query;
	const parts = [
		view ? [view.title, view.remark?.(query)].filter(Boolean).join(', ') : views[0].remark?.(query),
		threadKeys ? `only ${namesOfThreads(threadKeys, snapshot)}` : '',
		filter === '' ? '' : `filter: ${printable(filter)}`,
		states.join(',') === 'RUNNABLE,BLOCKED' ? '' : `ticks: ${states.join(', ')}`,
	].filter(Boolean);
	return parts.length > 0 ? [parts.join(' | ')] : [];
}

const maxNames = 5;

function namesOfThreads(keys: ReadonlySet<number>, {threads}: Snapshot): string {
	const names = [...threads.key].flatMap((key, thread) => keys.has(key) ? [threads.name[thread]] : []);
	const more = names.length > maxNames ? ` and ${names.length - maxNames} more` : '';
	return `${names.length} ${names.length === 1 ? 'thread' : 'threads'}: ${names.slice(0, maxNames).join(', ')}${more}`;
}

/** Returns the threads that used CPU, are blocked, or wait for a lock that another thread holds. */
function busyThreads(rows: readonly ThreadRow[]): ThreadRow[] {
	return rows.filter(row =>
		row.cpuNs > 0 || row.states[stateCode.BLOCKED] > 0 || row.state === 'BLOCKED'
		|| row.waitsFor?.ownerName !== undefined);
}
