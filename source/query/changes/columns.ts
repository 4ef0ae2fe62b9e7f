import type {Column} from '../columns/column.js';
import {shortName} from '../columns/names.js';
import {byFigures, byNumber, byText} from '../columns/sort.js';
import {locationName} from '../counters/location.js';
import type {Location} from '../types/rows.js';

/** What a place used per second of sampling, and half the width of the 95 % interval of each rate. */
export type ChangeFigures = {
	/** CPU milliseconds: 1000 is a core. */
	readonly cpuMsPerS: number;
	readonly cpuError: number;
	/** Thread samples in the counted states. */
	readonly ticksPerS: number;
	readonly ticksError: number;
	/** Share of the CPU time, 0..100. */
	readonly cpuPercent: number;
};

/** A row of the Changes view: what a place uses in the window and used in what was marked, and the difference. */
export type ChangeRow = Location & {
	readonly key: string;
	readonly now: ChangeFigures;
	readonly was: ChangeFigures;
	readonly cpuChange: number;
	readonly ticksChange: number;
	/** Half the width of the 95 % interval of each change. */
	readonly cpuError: number;
	readonly ticksError: number;
	/** Whether it was counted in one of the two alone. */
	readonly kind: 'new' | 'gone' | 'both';
	/** Neither change is more than its error. */
	readonly isNoise: boolean;
};

/** Filtered and sorted; `allRows` counts those before the filter. */
export type ChangeTable = {readonly rows: readonly ChangeRow[]; readonly allRows: number};

/** The columns of the Changes view in their order. Rates are per second; CPU in milliseconds: 1000 is a core. */
export const changeColumns: ReadonlyArray<Column<ChangeRow>> = [
	{
		id: 'cpu-change', heading: 'CPU +/-', title: 'change of CPU', width: 8, align: 'right', fromColumns: 0,
		description: 'CPU milliseconds per second at the place (1000 is a core), more or less than in what was marked; sorts by how much, either way',
		sortFigures: ['self', 'total', 'cpu'],
		value: row => signed(row.cpuChange),
		role: row => row.cpuChange > row.cpuError ? 'hot' : (row.cpuChange < -row.cpuError ? 'waiting' : undefined),
		...byFigures(row => Math.abs(row.cpuChange), row => Math.abs(row.ticksChange)),
	},
	{
		id: 'cpu-error', heading: 'ERR', title: 'error of the CPU change', width: 6, align: 'right', fromColumns: 76,
		description: 'sampling error of that change, 95 % confidence: a smaller change may be chance',
		value: row => rate(row.cpuError),
		...byFigures(row => row.cpuError),
	},
	{
		id: 'cpu-now', heading: 'CPU/s', title: 'CPU now', width: 6, align: 'right', fromColumns: 60,
		description: 'CPU milliseconds per second in the window',
		value: row => rate(row.now.cpuMsPerS),
		...byFigures(row => row.now.cpuMsPerS),
	},
	{
		id: 'cpu-was', heading: 'WAS', title: 'CPU in what was marked', width: 6, align: 'right', fromColumns: 68,
		description: 'the same in what was marked',
		value: row => rate(row.was.cpuMsPerS),
		...byFigures(row => row.was.cpuMsPerS),
	},
	{
		id: 'ticks-change', heading: 'TCK +/-', title: 'change of ticks', width: 8, align: 'right', fromColumns: 46,
		description: 'thread samples per second in the counted states, more or less than in what was marked; those at the rate of the window\'s sampling',
		sortFigures: ['ticks', 'total-ticks'],
		value: row => signed(row.ticksChange),
		...byFigures(row => Math.abs(row.ticksChange), row => Math.abs(row.cpuChange)),
	},
	{
		id: 'ticks-error', heading: 'ERR', title: 'error of the change of ticks', width: 6, align: 'right', fromColumns: 130,
		description: 'sampling error of the change of ticks',
		value: row => rate(row.ticksError),
		...byFigures(row => row.ticksError),
	},
	{
		id: 'ticks-now', heading: 'TCK/s', title: 'ticks now', width: 6, align: 'right', fromColumns: 110,
		description: 'thread samples per second in the window',
		value: row => rate(row.now.ticksPerS),
		...byFigures(row => row.now.ticksPerS),
	},
	{
		id: 'ticks-was', heading: 'WAS', title: 'ticks in what was marked', width: 6, align: 'right', fromColumns: 110,
		description: 'the same in what was marked',
		value: row => rate(row.was.ticksPerS),
		...byFigures(row => row.was.ticksPerS),
	},
	{
		id: 'share-now', heading: '%NOW', title: 'share now', width: 5, align: 'right', fromColumns: 140,
		description: 'share of the CPU time in the window',
		value: row => row.now.cpuPercent.toFixed(1),
		...byFigures(row => row.now.cpuPercent),
	},
	{
		id: 'share-was', heading: '%WAS', title: 'share in what was marked', width: 5, align: 'right', fromColumns: 140,
		description: 'share of the CPU time in what was marked',
		value: row => row.was.cpuPercent.toFixed(1),
		...byFigures(row => row.was.cpuPercent),
	},
	{
		id: 'change', heading: 'WHAT', title: 'new, gone, noise', width: 10, align: 'left', fromColumns: 0, ascending: true,
		description: 'new: it is not in what was marked; gone: it is there alone; noise: neither change is more than its sampling error',
		value: row => changeWord(row),
		role: row => row.isNoise ? 'dim' : 'key',
		compare: (a, b) => byNumber(orderOf(a), orderOf(b)) || byNumber(Math.abs(b.cpuChange), Math.abs(a.cpuChange)),
	},
	{
		id: 'place', heading: 'LINE', groupHeadings: {method: 'METHOD', class: 'CLASS'}, title: 'name', width: 0, align: 'left', fromColumns: 0, ascending: true,
		description: 'package.Class.method:line; packages are shortened first',
		sortFigures: ['name'],
		value: (row, {room, fullNames}) => shortName(row, room, fullNames),
		compare: (a, b) => byText(a.className, b.className) || byText(a.method, b.method) || byNumber(a.line, b.line) || byText(locationName(a), locationName(b)),
	},
];

/** What to notice at a change: new, gone, noise; empty where there is nothing to notice. */
function changeWord({kind, isNoise}: Pick<ChangeRow, 'kind' | 'isNoise'>): string {
	return [kind === 'both' ? '' : kind, isNoise ? 'noise' : ''].filter(Boolean).join(' ');
}

/** New ones first, then gone ones, then others, each kind with its noise behind it. */
function orderOf({kind, isNoise}: ChangeRow): number {
	return (['new', 'gone', 'both'].indexOf(kind) * 2) + Number(isNoise);
}

/** A rate in at most six characters: 412, 41.2, 0.4; 12345 becomes 12.3k. */
export function rate(value: number): string {
	const size = Math.abs(value);
	return size >= 10_000 ? `${(size / 1000).toFixed(1)}k` : (size >= 99.95 ? size.toFixed(0) : size.toFixed(1));
}

/** The same with its sign; nothing for no change that one could write. */
export function signed(value: number): string {
	const text = rate(value);
	return text === '0.0' ? text : `${value > 0 ? '+' : '-'}${text}`;
}
