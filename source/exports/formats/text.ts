import {cut} from '../../model/cell-width.js';
import type {Snapshot} from '../../model/snapshot.js';
import {printable} from '../../model/text.js';
import {stateCode} from '../../model/thread-state.js';
import {deadlockText} from '../../query/locks/deadlock-text.js';
import {deadlocksOf} from '../../query/locks/deadlocks.js';
import {effectiveUnit} from '../../query/facts/scope.js';
import {threadColumns} from '../../query/columns/thread-columns.js';
import {queryThreads} from '../../query/threads.js';
import type {Query, ThreadRow} from '../../query/types.js';
import {views} from '../../views/registry.js';
import type {View} from '../../views/view.js';
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

/** For people, as the live view has it: figures of the session, hot lines, busy and blocked threads. */
export const text: ExportFormat = {
	id: 'text',
	title: 'Text',
	extension: '.txt',
	usualFor: 'report',
	description: `the header and the table of hot lines or of --view, as on the screen; the top ${defaultTop} unless --top is given`,
	streaming: true,
	ofViews: true,
	listing: 'table',
	write(snapshot, baseline, options) {
		const width = Math.max(options.width ?? defaultWidth, minWidth);
		const {query: asked, view, top = defaultTop, notes = [], states} = options;
		const query = {...asked, atAGlance: asked.atAGlance ?? {showsWaits: states === undefined}};
		const {columns, ...shown} = view ?? views[0];
		const layout = {width, unit: effectiveUnit(query), by: query.by};
		const table = shown.query(snapshot, baseline, query);
		const rows = table.rows.slice(0, top);
		// A view that was asked for stands alone.
		const threads = view ? [] : busyThreads(queryThreads(snapshot, baseline, {...query, showIdle: false, sort: {column: 'cpu', reverse: false}}).rows);
		const body = [
			...(options.iteration ? [''] : []),
			targetLine(snapshot),
			timeLine(snapshot, baseline),
			costLine(snapshot, baseline),
			statesLine(snapshot, baseline),
			...deadlocksOf(snapshot).flatMap(deadlock => wrapAt(' ', deadlockText(deadlock).replace(/^deadlock/, 'DEADLOCK'), width, noteIndent)),
			...settings(query, snapshot, view),
			...[...notes, ...noteLines(snapshot, baseline)].flatMap(note => wrapAt(' ', `note: ${note}`, width, noteIndent)),
			...(table.above === undefined ? [] : wrapAt(' ', table.above, width)),
			'',
			// The past minute is not in a snapshot, and STATE says in 8 cells what a column a state says in 30.
			...textTable(columns.filter(({screenOnly}) => !screenOnly), rows, layout),
			...(rows.length === 0 ? [`(${shown.emptyText(table, query) ?? 'no lines: no thread with Java frames was in a counted state or used CPU time'})`] : []),
			...(rows.length < table.rows.length ? [`... ${table.rows.length - rows.length} more`] : []),
			...(threads.length > 0 ? ['', ...textTable(threadColumns, threads.slice(0, threadTop), layout)] : []),
			...(threads.length > threadTop ? [`... ${threads.length - threadTop} more`] : []),
		];
		return body.flatMap(line => wrapAt(' | ', line, width)).map(line => `${cut(line, width)}\n`).join('');
	},
};

/** How the view differs from its defaults. */
function settings(query: Query, snapshot: Snapshot, view: View | undefined): string[] {
	const {filter, states, threadKeys} = query;
	const said = [
		view ? [view.title, view.remark(query)].filter(Boolean).join(', ') : views[0].remark(query),
		threadKeys ? `only ${onlyThreads(threadKeys, snapshot)}` : '',
		filter === '' ? '' : `filter: ${printable(filter)}`,
		states.join(',') === 'RUNNABLE,BLOCKED' ? '' : `ticks: ${states.join(', ')}`,
	].filter(Boolean);
	return said.length > 0 ? [said.join(' | ')] : [];
}

/** Names given before "and N more". */
const maxNamed = 5;

function onlyThreads(keys: ReadonlySet<number>, {threads}: Snapshot): string {
	const names = [...threads.key].flatMap((key, thread) => keys.has(key) ? [threads.name[thread]] : []);
	const more = names.length > maxNamed ? ` and ${names.length - maxNamed} more` : '';
	return `${names.length} ${names.length === 1 ? 'thread' : 'threads'}: ${names.slice(0, maxNamed).join(', ')}${more}`;
}

/** Those that used CPU or are blocked. */
function busyThreads(rows: readonly ThreadRow[]): ThreadRow[] {
	return rows.filter(row => row.cpuNs > 0 || row.states[stateCode.BLOCKED] > 0 || row.state === 'BLOCKED');
}
