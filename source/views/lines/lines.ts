import {unknownStack} from '../../model/frame.js';
import {safe, type Printable} from '../../util/printable.js';
import {eventKinds} from '../../model/schema.js';
import type {Dictionary, Snapshot} from '../../model/snapshot.js';
import {jvmWork, isJvmWork} from '../../model/jvm-stacks.js';
import {maxLocationCells, nameWith, nameHeldBy, shortName, viaText} from '../../query/columns/names.js';
import {locationKey, locationName} from '../../query/counters/location.js';
import {mostOf} from '../../util/sum.js';
import {isOfEvents, type Query, type Location, type Unit} from '../../query/types/query.js';
import {wholeOf} from '../../query/counters/buckets.js';
import {percentIn, sampledMs} from '../../query/counters/share.js';
import {countedLines, pastOfLines, type LineTable, type LineRow} from '../../query/counted-lines.js';
import {minQuietMs, summaryQuery} from '../../query/summary/summary.js';
import {sortRows} from '../../query/columns/sort.js';
import {effectiveUnit, scopeOf, type Scope} from '../../query/counters/scope.js';
import {filtered, type FilterFields} from '../../query/filter/filter.js';
import {stateCode} from '../../model/thread-state.js';
import {
	barColumn,
	byLocation,
	figureColumn,
	fileColumn,
	ownCodeColumn,
	shareColumn,
	shareHeadings,
	stateColumn,
	statesColumn,
	textColumn,
	topThreadsColumn,
	treeMark,
	type Column,
} from '../../query/columns/column.js';
import {amountColumn, eventFigures, notOfEvents} from '../../query/columns/event-columns.js';
import {formatStuck, formats, plural} from '../../query/columns/format.js';
import {keyOrOption} from '../common/opening-keys.js';
import {stateLetters} from '../../query/columns/state-cells.js';

export const lineColumns: ReadonlyArray<Column<LineRow>> = [
	shareColumn('self', row => row.selfPercent, row => row.selfCpuNs, {
		heading: 'CPU%',
		measureHeadings: shareHeadings,
		title: 'self share',
		width: 6,
		fromColumns: 0,
		isHot: true,
		isUncertain: isWithinError,
		sortKeys: ['self'],
		thenBy: [row => row.selfTicks, row => row.totalPercent],
		description: [
			'CPU time at this line, 100 is one core, or in this method if it has no line numbers (SHARE: share of the CPU',
			'time; TICK%, BLK%, WAIT%: share of the threads\' samples there in the counted states; BYTE%, EXC%, STRT%:',
			'share of the bytes allocated, of the exceptions made, or of the threads started, while these are recorded)',
		].join(' '),
	}),
	barColumn('bar', row => row.selfPercent, row => row.selfCpuNs, {
		heading: '', title: 'bar', width: 8, fromColumns: 64,
		description: [
			'the figure before it as a bar: a full one is a core (of shares: the whole) or, if a line used more than a',
			'core, the line that used most; yellow from 25 % of a core',
		].join(' '),
	}),
	shareColumn('error', row => row.errorPercent, row => row.errorNs, {
		heading: '+/-', title: 'sampling error', width: 4, fromColumns: 100, textFromColumns: 80,
		description: [
			'sampling error of the row\'s first figure, in its unit, 95 % confidence; a row within it is dim, or marked ~',
			'if there are no colors',
		].join(' '),
	}),
	shareColumn('total', row => row.totalPercent, row => row.totalCpuNs, {
		heading: 'TOTAL',
		measureHeadings: {'cpu-ms': 'TOTms'},
		title: 'total share',
		width: 6,
		fromColumns: 100,
		textFromColumns: 64,
		sortKeys: ['total'],
		thenBy: [row => row.totalTicks],
		description: 'the same with the line anywhere on the stack, so what it calls is included',
	}),
	figureColumn('ticks', row => row.selfTicks, formats.count, {
		heading: 'TICKS', title: 'ticks', width: 6, fromColumns: 170, textFromColumns: 100, ...notOfEvents,
		description: 'thread samples at the line, in the counted states',
	}),
	figureColumn('threads', row => row.threadCount, formats.count, {
		heading: 'THR', title: 'threads', width: 3, fromColumns: 120, textFromColumns: 100,
		description: 'threads that were seen at the line',
	}),
	statesColumn('state', {
		...notOfEvents,
		title: 'blocked now',
		fromColumns: 0,
		sortBy: [row => row.blockedNow, row => row.stuckMs, row => row.states[stateCode.BLOCKED]],
		description: 'thread states at the line, in proportion; sorts by threads blocked there now',
	}),
	amountColumn(row => row.selfCpuNs, {
		fromColumns: 120, description: 'CPU time at the line, milliseconds (BYTES, EXC: what its events count for)',
	}),
	...eventFigures<LineRow>({amount: (row, kind) => row.events(kind), perS: (row, kind) => row.eventsPerS(kind)}, {
		alloc: 'bytes allocated at the line a second',
		exceptions: 'exceptions a second that the line made with a stack trace',
		starts: 'threads a second that the line started, without virtual ones',
	}),
	figureColumn('total-ticks', row => row.totalTicks, formats.count, {
		heading: 'TOTTCK',
		title: 'total ticks',
		width: 6,
		fromColumns: 170,
		screenOnly: true,
		...notOfEvents,
		description: 'thread samples in the counted states with the line anywhere on the stack',
	}),
	...stateLetters.map(letter =>
		stateColumn<LineRow>(letter, {
			fromColumns: 145,
			description: 'thread samples that count for the line in the state',
		})),
	figureColumn('trend', row => row.selfPercent, formats.percent, {
		heading: 'LAST 60s',
		title: 'trend',
		width: 12,
		align: 'left',
		fromColumns: 120,
		screenOnly: true,
		...notOfEvents,
		description:
			'CPU time at the line per second over the last minute (ticks, if the unit is ticks or it used no CPU), each row scaled to its own highest value; sorts like the share',
		value: (row, {trend, room}) => trend?.(row.key, room) ?? safe``,
		role: () => 'key',
		past: pastOfLines,
	}),
	textColumn('line', row => row.className, {
		heading: 'LINE',
		groupHeadings: {method: 'METHOD', class: 'CLASS'},
		title: 'name',
		width: 0,
		fromColumns: 0,
		sortKeys: ['name'],
		sortBy: byLocation,
		description: [
			'package.Class.method:line, without the line if the code has no line numbers; packages are shortened first;',
			'who blocks threads there, and, with own code first (a), what the program\'s own line called;',
			'after [jit] how many methods were seen being compiled, after other work of the JVM its threads',
		].join(' '),
		value: (row, {room, fullNames}) => lineName(row, room, fullNames),
		role: ({codeKind}) => codeKind === 'own' ? 'own' : (codeKind === 'other' ? 'dim' : undefined),
	}),
	{
		...ownCodeColumn<LineRow>({
			width: 15,
			fromColumns: 76,
			yieldsUnusedWidth: true,
			namePart: 0.4,
			description: [
				'beside a line of the JDK or of a library: the program\'s own line that led to most of the row\'s first',
				'figure; +2: two others led to a tenth or more each. Blank for own lines, and if most came from none.',
				'Libraries are the JDK, and others that are widely used; --app says what is own instead',
			].join(' '),
		}),
		isWithoutValues: (_, {ownFirst}) => ownFirst === true,
	},
	figureColumn('note', row => row.stuckMs, formats.duration, {
		heading: '',
		title: 'stuck',
		width: 11,
		align: 'left',
		fromColumns: 60,
		yieldsUnusedWidth: true,
		thenBy: [row => row.blockedNow],
		description: 'threads blocked at the line now, and how long the longest of them has been; sorts by that time',
		value: row => stuckNote(row),
		role: () => 'blocked',
	}),
	topThreadsColumn(20, 'at the line', 190),
	fileColumn(230),
];

/** Whether a row's figure is within its error. */
export function isWithinError({selfPercent, errorPercent}: LineRow): boolean {
	return selfPercent <= errorPercent;
}

/** Wait from which the row shows its duration instead of the number of blocked threads. */
const stuckNoteMs = 10_000;

/** Returns a note on blocked threads: `8 blocked`, `8 held up`, `stuck 42s`, `42s` beside the holder, or nothing. */
export function stuckNote(
	row: Pick<LineRow, 'blockedNow' | 'contendingNow' | 'stuckMs' | 'stuckAtLeast'> & {readonly holder?: string},
): Printable {
	const count = row.blockedNow > 0 ? safe`${row.blockedNow} blocked` : safe`${row.contendingNow} held up`;
	const stuck = safe`${row.holder === undefined ? 'stuck ' : ''}${formatStuck(row)}`;
	return row.contendingNow === 0 ? safe`` : (row.stuckMs >= stuckNoteMs ? stuck : count);
}

/** Cells by which the parts of an open row are indented. */
const partIndent = 2;

/** Returns a row's name, who blocks threads there, and the library method that its own line called. */
function lineName(row: LineRow, room: number, fullNames: boolean): Printable {
	if (isJvmWork(row.className)) {
		return workName(row, room, fullNames);
	}

	const asides = row.via ? [viaText(row.via)] : [];
	return row.holder === undefined
		? nameWith(row, asides, room, fullNames)
		: nameHeldBy(row, {holder: row.holder, others: row.otherHolders}, asides, room, fullNames);
}

/** Returns `+ [jit] 12 methods`, `- [gc] 3 threads`, or a part of such a row, indented. */
function workName(row: LineRow, room: number, fullNames: boolean): Printable {
	if (row.parentKey !== undefined) {
		return safe`${safe` `.repeat(partIndent)}${shortName(row, Math.max(1, room - partIndent), fullNames)}`;
	}

	if (row.isOpen === undefined) {
		return shortName(row, room, fullNames);
	}

	const {methodCount = 0} = row.place;
	const parts = methodCount > 0 ? plural(methodCount, safe`method`) : plural(row.threadCount, safe`thread`);
	return safe`${treeMark(0, {hasChildren: true, isOpen: row.isOpen}, room)}${row.className} ${parts}`;
}

type LineChoice = Pick<Scope, 'work'> & {
	isWanted?(row: LineRow): boolean;
};

/** Returns lines, methods or classes with counted ticks or CPU time that are wanted and pass the filter, sorted. */
export function queryLines(
	snapshot: Snapshot,
	since: Snapshot | undefined,
	query: Query,
	{work, isWanted}: LineChoice = {},
): LineTable {
	const scope: Scope = {...scopeOf(snapshot, query), work};
	const {rows, workParts, ...whole} = countedLines(snapshot, since, query, scope);
	const matching = filtered(rows, scope.filter, filterFields(scope.unit, sampledMs(snapshot, since)));
	const sorted = sortRows(isWanted ? matching.filter(row => isWanted(row)) : matching, lineColumns, query.sort);
	const table = {rows: sorted, allRows: rows.length, ...whole};
	if (workParts.size === 0 || query.by === 'class') {
		return table;
	}

	const {dictionary} = snapshot;
	const isOpen = ({key}: LineRow) => (query.tree?.opened?.get(key) ?? 'closed') !== 'closed';
	const open = sorted.filter(row => workParts.has(row.bucket) && isOpen(row));
	const parts = open.length > 0 ? queryLines(snapshot, since, query, {work: 'all', isWanted}).rows : [];
	const placed = sorted.flatMap(row => {
		const nodes = workParts.get(row.bucket);
		return nodes ? withParts(row, {dictionary, nodes, parts, isOpen: open.includes(row)}) : row;
	});
	return {...table, rows: placed};
}

/** Returns a row of the JVM's work and, if it is open, its parts. */
function withParts(
	row: LineRow,
	{dictionary: {strings, frameMethod, nodeFrame}, nodes, parts, isOpen}: {
		readonly dictionary: Dictionary;
		/** The nodes of its parts. */
		readonly nodes: readonly number[];
		/** Rows of the parts of all work. */
		readonly parts: readonly LineRow[];
		readonly isOpen: boolean;
	},
): LineRow[] {
	const names = nodes.map(node => compiledMethod(strings[frameMethod[nodeFrame[node]]]));
	const methodCount = row.className === jvmWork.jit ? new Set(names.filter(Boolean)).size : 0;
	const own = isOpen ? parts.filter(({className, method}) => className === row.className && method !== '') : [];
	return [row.at({isOpen, methodCount}), ...own.map(part => part.at({parentKey: row.key}))];
}

/** Returns the method of a frame such as `C2 com.acme.Foo.bar@12`; empty for a compiler alone. */
function compiledMethod(text: string): string {
	return /\S+\.\S+$/.exec(text)?.[0].replace(/@\d+$/, '') ?? '';
}

/** Returns the fields of rows for filters, percentages in the unit. */
function filterFields(unit: Unit, overMs: number): FilterFields<LineRow> {
	return {
		text: row => row.via ? `${locationName(row)}\nvia ${locationName(row.via)}` : locationName(row),
		percent: row => percentIn(unit, {percent: row.selfPercent, cpuNs: row.selfCpuNs}, overMs),
		totalPercent: row => percentIn(unit, {percent: row.totalPercent, cpuNs: row.totalCpuNs}, overMs),
		cpuMs: row => isOfEvents(unit) ? 0 : row.selfCpuNs / 1e6, ticks: row => row.selfTicks,
		threads: row => row.threadCount, blocked: row => row.blockedNow, stuckS: row => row.stuckMs / 1000,
	};
}

/** Percentage below which a row is hidden: it would print as 0. */
const minPercent = 0.05;

/** Sorted by these columns, lines without own use are shown too: users look for callers, or for a name. */
const columnsShowingAll: ReadonlySet<string> = new Set(['total', 'total-ticks', 'line']);

/** Returns whether a row is shown without a filter; `isOfWaits`: the rows are lines where threads wait. */
function isWantedIn(snapshot: Snapshot, since: Snapshot | undefined, query: Query, isOfWaits: boolean) {
	const overMs = sampledMs(snapshot, since);
	const unit = effectiveUnit(query, overMs);
	const isPrinted = ({selfPercent, selfCpuNs}: LineRow) => (
		percentIn(unit, {percent: selfPercent, cpuNs: selfCpuNs}, overMs) >= minPercent
	);
	// A thread that ran for a moment says nothing of where threads wait, unless its stack was refused.
	const hidesUnknown = isOfWaits && snapshot.session.refusedThreads === 0;
	if (isOfEvents(unit)) {
		return isPrinted;
	}

	return (row: LineRow) => !(hidesUnknown && row.className === unknownStack.className)
		&& (row.selfTicks > 0 || isPrinted(row) || row.contendingNow > 0
			|| eventKinds.some(kind => row.events(kind) > 0));
}

/** Returns the rows of the Lines view: lines that used CPU or, if almost none was used, lines where threads wait. */
export function querySummaryLines(snapshot: Snapshot, since: Snapshot | undefined, query: Query): LineTable {
	if (!query.summary) {
		return queryLines(snapshot, since, query);
	}

	const lineQuery = summaryQuery(snapshot, since, query);
	const overMs = sampledMs(snapshot, since);
	const table = queryLines(snapshot, since, lineQuery, {
		work: query.filter === '' && !query.summary.isOfEachPart
			? (query.summary.isReport ? 'jit-as-one' : 'as-one')
			: undefined,
		...(query.filter !== '' || columnsShowingAll.has(query.sort.column)
			? {}
			: {isWanted: isWantedIn(snapshot, since, lineQuery, lineQuery !== query)}),
	});
	// The query is unchanged unless the program uses almost no CPU.
	if (lineQuery === query) {
		const isOrderedByHeat = query.sort.column === lineColumns[0].id && !query.sort.reverse;
		return {...table, finding: isOrderedByHeat ? calledText(table.rows, query) : undefined};
	}

	const where
		= table.rows.length === 0 && lineQuery.withoutWaitsForWork && query.filter === ''
			? 'all its threads wait for work'
			: 'these are the lines where threads wait';
	const quiet = overMs < minQuietMs ? 'No CPU use has been observed so far' : 'The program uses almost no CPU';
	return {
		...table, measure: lineQuery.unit === 'ticks' ? 'waiting' : lineQuery.unit, finding: safe`${quiet}: ${where}.`,
	};
}

const consideredRows = 20;
const minCalledPercent = 50;

/**
Returns a sentence on the line of own code whose calls of libraries have most of the share; undefined if there is none.
*/
function calledText(rows: readonly LineRow[], query: Query): Printable | undefined {
	const percents = new Map<string, number>();
	const locations = new Map<string, Location>();
	for (const {own, selfPercent} of rows.slice(0, consideredRows)) {
		if (own) {
			const key = locationKey(own, 'line');
			locations.set(key, own);
			percents.set(key, selfPercent + (percents.get(key) ?? 0));
		}
	}

	const [key, percent] = mostOf(percents) ?? ['', 0];
	if (percent < minCalledPercent) {
		return undefined;
	}

	const name = nameWith(locations.get(key)!, [], maxLocationCells);
	const toCount = keyOrOption(query, safe`press a to count`, safe`--own-first counts`);
	const is = isOfEvents(query.unit) ? safe`are in` : safe`is`;
	return safe`${Math.round(percent)}% of ${wholeOf(query.unit)} ${is} what ${name} called; ${toCount} it there.`;
}
