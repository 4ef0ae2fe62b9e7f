import {cut} from '../../model/cell-width.js';
import type {Snapshot} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import {stateCode} from '../../model/thread-state.js';
import {lineColumns} from '../../query/columns/line-columns.js';
import {queryLines} from '../../query/lines.js';
import {effectiveUnit} from '../../query/facts/scope.js';
import {threadColumns} from '../../query/columns/thread-columns.js';
import {queryThreads} from '../../query/threads.js';
import type {Query, ThreadRow} from '../../query/types.js';
import type {ExportFormat} from './export-format.js';
import {
	costLine, noteLines, statesLine, targetLine, timeLine,
} from './session-lines.js';
import {textTable, wrapAt} from './text-table.js';

const defaultWidth = 120;
/** Narrower than this, figures would leave no room for names. */
const minWidth = 40;
/** Lines and threads shown unless --top says otherwise: a page. */
const defaultTop = 40;
const threadTop = 10;

/** Further lines of a note begin below its first word. */
const noteIndent = '      ';

/** The past minute is not in a snapshot, and STATE says in 8 cells what a column a state says in 30. */
const reportColumns = lineColumns.filter(({screenOnly}) => !screenOnly);

/** For people, as the live view has it: figures of the session, hot lines, busy and blocked threads. */
export const text: ExportFormat = {
	id: 'text',
	title: 'Text',
	extension: '.txt',
	usualFor: 'report',
	description: `the header and the table of hot lines, as on the screen; the top ${defaultTop} unless --top is given`,
	streaming: true,
	write(snapshot, baseline, options) {
		const width = Math.max(options.width ?? defaultWidth, minWidth);
		const {query, top = defaultTop, notes = []} = options;
		const layout = {width, unit: effectiveUnit(query)};
		const table = queryLines(snapshot, baseline, query);
		const rows = table.rows.slice(0, top);
		const threads = busyThreads(queryThreads(snapshot, baseline, {...query, showIdle: false, sort: {column: 'cpu', reverse: false}}).rows);
		const body = [
			...(options.iteration ? [''] : []),
			targetLine(snapshot),
			timeLine(snapshot, baseline),
			costLine(snapshot, baseline),
			statesLine(snapshot, baseline),
			...settings(query, snapshot),
			...[...notes, ...noteLines(snapshot, baseline)].flatMap(note => wrapAt(' ', `note: ${note}`, width, noteIndent)),
			'',
			...textTable(reportColumns, rows, layout),
			...(rows.length === 0 ? ['(no lines: no thread with Java frames was in a counted state or used CPU time)'] : []),
			...(rows.length < table.rows.length ? [`... ${table.rows.length - rows.length} more`] : []),
			...(threads.length > 0 ? ['', ...textTable(threadColumns, threads.slice(0, threadTop), layout)] : []),
			...(threads.length > threadTop ? [`... ${threads.length - threadTop} more`] : []),
		];
		return body.flatMap(line => wrapAt(' | ', line, width)).map(line => `${cut(line, width)}\n`).join('');
	},
};

/** What of the view is not as it starts. */
function settings({filter, states, by, threadKeys}: Query, snapshot: Snapshot): string[] {
	const said = [
		by === 'line' ? '' : `by ${by}`,
		threadKeys ? `only ${onlyThreads(threadKeys, snapshot)}` : '',
		filter === '' ? '' : `filter: ${printable(filter)}`,
		states.join(',') === 'RUNNABLE,BLOCKED' ? '' : `ticks: ${states.join(', ')}`,
	].filter(Boolean);
	return said.length > 0 ? [said.join(' | ')] : [];
}

/** Names said before "and so many more". */
const maxNamed = 5;

function onlyThreads(keys: ReadonlySet<number>, {threads, dictionary}: Snapshot): string {
	const names = [...threads.key].flatMap((key, thread) => keys.has(key) ? [dictionary.strings[threads.name[thread]]] : []);
	const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
	return `${names.length} ${names.length === 1 ? 'thread' : 'threads'}: ${names.slice(0, maxNamed).join(', ')}${more}`;
}

/** Those that used CPU or stand blocked. */
function busyThreads(rows: readonly ThreadRow[]): ThreadRow[] {
	return rows.filter(row => row.cpuNs > 0 || row.states[stateCode.BLOCKED] > 0 || row.state === 'BLOCKED');
}
