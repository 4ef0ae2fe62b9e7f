import {stateCode} from '../../model/thread-state.js';
import {locationName} from '../counters/location.js';
import type {LineRow} from '../types/rows.js';
import {hotPercent, stateColumn, type Column} from '../columns/column.js';
import {
	formatCount, formatMs, formatPercent, formatStuck,
} from '../columns/format.js';
import {
	nameHeldBy, nameWith, shortName, viaText,
} from '../columns/names.js';
import {byFigures, byNumber, byText} from '../columns/sort.js';
import {stateCells, stateLetters} from '../columns/state-cells.js';
import {pastOfLines} from './past-figures.js';

/** The columns of the Lines view in their order. The first one is the order of rows when none is asked for. */
export const lineColumns: ReadonlyArray<Column<LineRow>> = [
	{
		id: 'self', heading: 'CPU%', measureHeadings: {ticks: 'TICK%', blocked: 'BLK%', waiting: 'WAIT%', 'cpu-ms': 'CPUms'}, title: 'self share', width: 6, align: 'right', fromColumns: 0,
		description: 'share of the CPU time (TICK%, BLK%, WAIT%: of the samples in the counted states) of samples whose first frame with a line number is this line',
		sortFigures: ['self'],
		value: (row, {unit}) => unit === 'cpu-ms' ? formatMs(row.selfCpuNs) : formatPercent(row.selfPercent),
		role: row => row.selfPercent >= hotPercent ? 'hot' : undefined,
		...byFigures(row => row.selfPercent, row => row.selfCpuNs, row => row.selfTicks, row => row.totalPercent),
	},
	{
		id: 'error', heading: '+/-', measureHeadings: {'cpu-ms': '+/-%'}, title: 'sampling error', width: 4, align: 'right', fromColumns: 80,
		description: 'sampling error of the share before it, in percentage points, 95 % confidence',
		value: row => formatPercent(row.errorPercent),
		...byFigures(row => row.errorPercent),
	},
	{
		id: 'total', heading: 'TOTAL', measureHeadings: {'cpu-ms': 'TOTms'}, title: 'total share', width: 6, align: 'right', fromColumns: 64,
		description: 'share of the samples that have the line anywhere on the stack, so what it calls is included',
		sortFigures: ['total'],
		value: (row, {unit}) => unit === 'cpu-ms' ? formatMs(row.totalCpuNs) : formatPercent(row.totalPercent),
		...byFigures(row => row.totalPercent, row => row.totalCpuNs, row => row.totalTicks),
	},
	{
		id: 'ticks', heading: 'TICKS', title: 'ticks', width: 6, align: 'right', fromColumns: 100,
		description: 'thread samples at the line, in the counted states',
		sortFigures: ['ticks'],
		value: row => formatCount(row.selfTicks),
		...byFigures(row => row.selfTicks),
	},
	{
		id: 'threads', heading: 'THR', title: 'threads', width: 3, align: 'right', fromColumns: 100,
		description: 'threads that were seen at the line',
		value: row => formatCount(row.threadCount),
		...byFigures(row => row.threadCount),
	},
	{
		id: 'state', heading: 'STATE', title: 'blocked now', width: 8, align: 'left', fromColumns: 0,
		description: 'thread states at the line, in proportion: R running, B blocked, w waiting, t timed waiting, . idle; sorts by threads blocked there now',
		value: (row, {room}) => stateCells(row.states, Math.min(room, 8)),
		role: () => 'states',
		...byFigures(row => row.blockedNow, row => row.stuckMs, row => row.states[stateCode.BLOCKED]),
	},
	{
		id: 'cpu', heading: 'CPU ms', title: 'CPU time', width: 8, align: 'right', fromColumns: 120,
		description: 'CPU time at the line, milliseconds',
		sortFigures: ['cpu'],
		value: row => formatMs(row.selfCpuNs),
		...byFigures(row => row.selfCpuNs),
	},
	{
		id: 'total-ticks', heading: 'TOTTCK', title: 'total ticks', width: 6, align: 'right', fromColumns: 130, screenOnly: true,
		description: 'thread samples in the counted states with the line anywhere on the stack',
		sortFigures: ['total-ticks'],
		value: row => formatCount(row.totalTicks),
		...byFigures(row => row.totalTicks),
	},
	...stateLetters.map(letter => stateColumn<LineRow>(letter, {fromColumns: 120, description: 'thread samples that count for the line in the state'})),
	{
		id: 'trend', heading: 'LAST 60s', title: 'trend', width: 12, align: 'left', fromColumns: 165, screenOnly: true,
		description: 'CPU time at the line per second over the last minute (ticks, where these are looked at or it used no CPU), each row by its own highest; sorts like the share',
		value: (row, {trend, room}) => trend?.(row.key, room) ?? '',
		role: () => 'key',
		past: pastOfLines,
		...byFigures(row => row.selfPercent),
	},
	{
		id: 'line', heading: 'LINE', groupHeadings: {method: 'METHOD', class: 'CLASS'}, title: 'name', width: 0, align: 'left', fromColumns: 0, ascending: true,
		description: 'package.Class.method:line; packages are shortened first; who holds up threads that stand there, and what the program\'s own line called, where own code comes first (a)',
		sortFigures: ['name'],
		value: (row, {room, fullNames}) => lineName(row, room, fullNames),
		compare: (a, b) => byText(a.className, b.className) || byText(a.method, b.method) || byNumber(a.line, b.line) || byText(locationName(a), locationName(b)),
	},
	{
		id: 'note', heading: '', title: 'stuck', width: 11, align: 'right', fromColumns: 60, lendsRoom: true,
		description: 'threads blocked at the line now, and how long the longest of them has been; sorts by that time',
		value: row => lineNote(row),
		role: () => 'blocked',
		...byFigures(row => row.stuckMs, row => row.blockedNow),
	},
	{
		id: 'top-threads', heading: 'TOP THREADS', title: 'top threads', width: 20, align: 'left', fromColumns: 150, ascending: true,
		description: 'threads with the most CPU time, then ticks, at the line',
		value: row => row.topThreads.join(', '),
		role: () => 'dim',
		compare: (a, b) => byText(a.topThreads[0] ?? '', b.topThreads[0] ?? ''),
	},
	{
		id: 'own', heading: 'OWN CODE', title: 'own code', width: 28, align: 'left', fromColumns: 200, ascending: true,
		description: 'the line of the program\'s own code by which most of it came, where the row is in other code',
		value: (row, {room, fullNames}) => row.own ? shortName(row.own, room, fullNames) : '',
		compare: (a, b) => byText(a.own ? locationName(a.own) : '', b.own ? locationName(b.own) : ''),
	},
	{
		id: 'file', heading: 'FILE', title: 'file', width: 24, align: 'left', fromColumns: 230, ascending: true,
		description: 'source file',
		value: row => row.file,
		role: () => 'dim',
		compare: (a, b) => byText(a.file, b.file),
	},
];

/** How long a thread may stand blocked before the row says so instead of how many do. */
const stuckNoteMs = 10_000;

/**
What to notice at a line now: `8 blocked` (`8 held up` where they are parked for a lock), or `stuck 42s` (`stuck >=42s`:
since before the first sample) when one has been blocked for long, `42s` beside who holds it up; empty if nothing is.
*/
export function lineNote(row: Pick<LineRow, 'blockedNow' | 'contendingNow' | 'holder' | 'stuckMs' | 'stuckAtLeast'>): string {
	const count = row.blockedNow > 0 ? `${row.blockedNow} blocked` : `${row.contendingNow} held up`;
	const stuck = `${row.holder === undefined ? 'stuck ' : ''}${formatStuck(row)}`;
	return row.contendingNow === 0 ? '' : (row.stuckMs >= stuckNoteMs ? stuck : count);
}

/** A row's name, who holds threads up there, and what of others' code its own line called. */
function lineName(row: LineRow, room: number, fullNames: boolean): string {
	const asides = row.via ? [viaText(row.via)] : [];
	return row.holder === undefined ? nameWith(row, asides, room, fullNames) : nameHeldBy(row, {holder: row.holder, others: row.otherHolders}, asides, room, fullNames);
}
