import {cut} from '../../model/cell-width.js';
import type {Snapshot} from '../../model/snapshot.js';
import {formatCount, formatDuration, formatMs, formatPercent} from '../../query/columns/format.js';
import {defaultQuery} from '../../query/types/query.js';
import {locationName} from '../../query/counters/location.js';
import {findingsOf} from '../../query/summary/findings.js';
import {queryLines} from '../../query/lines/lines.js';
import {
	queryContention, queryWaits, type ContentionRow, type WaitRow,
} from '../../query/locks/waits.js';
import {corePercent} from '../../query/counters/cpu-time.js';
import {leastCpuPercent} from '../../query/summary/summary.js';
import {
	longestFirst, titleOf, traceMethods, type TraceRow,
} from '../../query/traces/methods.js';
import type {LineRow} from '../../query/types/rows.js';
import {costLine, targetLine, timeLine} from './session-lines.js';
import {wrapAt} from './text-table.js';

const maxLines = 10;
const maxFindings = 3;
const maxHot = 5;
/** Places where threads were held up or waited, and traced methods. */
const maxHeldUp = 2;
const maxWaits = 2;
const maxTraced = 4;

/** Part of the session for which threads were held up at a place that is worth a line. */
const leastHeldUp = 0.01;

/** Below this share of a core, in percent, where threads waited matters too. */
const busyPercent = 10;

/** Classes of the agent that traces methods. */
const ofAgent = /^(?:java\.)?tprof\./;

/** Further lines of an entry begin so. */
const indent = '    ';

/**
What stays on the terminal after the live view has ended: target, time and cost; then what mattered in the run: what was
found, traced methods, the places where locks held threads up, with who held them, the hottest lines, and the places
where threads waited where little CPU was used. At most ten lines of at most `width` terminal cells; everything since
the session's start.
*/
export function renderFinalSummary(snapshot: Snapshot, width = 80): string[] {
	const {session, traces} = snapshot;
	const head = [targetLine(snapshot), timeLine(snapshot, undefined), ...wrapAt(' | ', costLine(snapshot, undefined), width)];
	const {rows, wholeCpuNs} = queryLines(snapshot, undefined, defaultQuery);
	const hot = rows.filter(row => row.selfCpuNs > 0 && !ofAgent.test(row.className));
	const percent = corePercent(wholeCpuNs, session.sampledMs);
	const tickMs = session.sampledMs / Math.max(1, session.samples);
	const entries = [
		...findingsOf(snapshot, undefined, defaultQuery).slice(0, maxFindings).map(({text}) => text),
		...(traces ? traceMethods(traces, undefined).toSorted(longestFirst).slice(0, maxTraced).map(row => tracedText(row)) : []),
		...queryContention(snapshot, maxHeldUp).filter(({ticks}) => ticks >= session.samples * leastHeldUp).map(row => heldUpText(row, tickMs)),
		...(percent < leastCpuPercent ? [hardlyHot(hot, wholeCpuNs)] : []),
		...(percent < busyPercent ? queryWaits(snapshot, maxWaits).map(row => waitText(row, tickMs)) : []),
		...(percent < leastCpuPercent ? [] : hot.slice(0, maxHot).map(row => hotText(row))),
	].map(entry => wrapped(entry, width));
	const lines = [...head];
	for (const entry of entries) {
		// One that finds no room does not keep a shorter one out.
		if (lines.length + entry.length <= maxLines) {
			lines.push(...entry);
		}
	}

	return lines.slice(0, maxLines).map(line => cut(line, width));
}

/** An entry in lines, broken at blanks, and within a name before a dot where it is longer than a line. */
function wrapped(text: string, width: number): string[] {
	return wrapAt(' ', text, width, indent).flatMap(line => line.length <= width ? [line] : wrapAt('.', line, width, `${indent}.`));
}

function tracedText(row: TraceRow): string {
	const exceptions = row.exceptions > 0 ? `, ${formatCount(row.exceptions)} exceptions` : '';
	return `${titleOf(row)}: ${formatCount(row.calls)} calls, mean ${formatMs(row.meanNs)} ms, longest ${formatMs(row.mostNs)} ms${exceptions}`;
}

function hotText(row: LineRow): string {
	return `${formatPercent(row.selfPercent).padStart(5)}% ${formatMs(row.selfCpuNs).padStart(8)} ms  ${locationName(row)}`;
}

function hardlyHot([first]: readonly LineRow[], wholeCpuNs: number): string {
	return first ? `almost no CPU time: ${formatMs(wholeCpuNs)} ms, most at ${locationName(first)}` : 'no line of Java code used CPU time';
}

function waitText(row: WaitRow, tickMs: number): string {
	return `waited ${timeAt(row, tickMs)}${locationName(row.location)}`;
}

/** `for 8s at ` or, of several threads, `for 1m20s (10 threads) at `. */
function timeAt({ticks, threadCount}: WaitRow, tickMs: number): string {
	return `for ${formatDuration(ticks * tickMs)}${threadCount > 1 ? ` (${threadCount} threads)` : ''} at `;
}

function heldUpText(row: ContentionRow, tickMs: number): string {
	const {location, holder} = row;
	const head = `blocked ${timeAt(row, tickMs)}${locationName(location)}`;
	if (!holder?.ownerName) {
		return head;
	}

	const [took] = holder.took;
	const share = holder.percent >= 99.5 ? 'held' : 'most often';
	return `${head}, ${share} by ${holder.ownerName}${holder.percent >= 99.5 ? '' : ` (${formatPercent(holder.percent)}%)`}${took ? ` at ${locationName(took.location)}` : ''}`;
}
