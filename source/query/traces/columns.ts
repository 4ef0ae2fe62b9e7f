import {hotPercent, type Column} from '../columns/column.js';
import {formatCount} from '../columns/format.js';
import {shortName} from '../columns/names.js';
import {byNumber, byText} from '../columns/sort.js';
import {thinnedText, type TraceRow} from './methods.js';

/** Nanoseconds in at most six characters: 830ns, 12.3us, 4.71ms, 12.3s. */
export function formatNs(ns: number): string {
	const units = [['ns', 1], ['us', 1e3], ['ms', 1e6], ['s', 1e9]] as const;
	const [unit, size] = units.findLast(([, least]) => ns >= least) ?? units[0];
	const value = ns / size;
	return `${unit === 'ns' || value >= 99.95 ? value.toFixed(0) : (value >= 9.995 ? value.toFixed(1) : value.toFixed(2))}${unit}`;
}

/** Times a second, as short as counts. */
export function formatRate(perS: number): string {
	return perS > 0 && perS < 99.95 ? perS.toFixed(perS < 9.995 ? 2 : 1) : formatCount(perS);
}

function time(id: string, heading: string, title: string, description: string, fromColumns: number, of: (row: TraceRow) => number): Column<TraceRow> {
	return {
		id, heading, title, description, fromColumns, width: 7, align: 'right',
		value: row => row.calls > 0 && !Number.isNaN(of(row)) ? formatNs(of(row)) : '',
		compare: (a, b) => byNumber(of(a), of(b)),
	};
}

/** The columns of the Traces view in their order. */
export const traceColumns: ReadonlyArray<Column<TraceRow>> = [
	{...time('cumulative', 'CUM', 'cumulative time', 'time in which the method was open, all threads added up; a call of itself within counts once', 0, row => row.cumulativeNs), sortFigures: ['total']},
	{...time('own', 'OWN', 'own time', 'time in the method, and not in traced methods that it called', 60, row => row.ownNs), sortFigures: ['self', 'cpu']},
	{
		id: 'calls', heading: 'CALLS', title: 'calls', width: 6, align: 'right', fromColumns: 100,
		description: 'calls that ended in the window',
		sortFigures: ['ticks'],
		value: row => formatCount(row.calls),
		compare: (a, b) => byNumber(a.calls, b.calls),
	},
	{
		id: 'calls-per-s', heading: 'CALL/s', title: 'calls a second', width: 6, align: 'right', fromColumns: 0,
		description: 'calls that ended, a second',
		sortFigures: ['total-ticks'],
		value: row => formatRate(row.callsPerS),
		compare: (a, b) => byNumber(a.callsPerS, b.callsPerS),
	},
	{
		id: 'exceptions', heading: 'EXC/s', title: 'exceptions a second', width: 6, align: 'right', fromColumns: 70,
		description: 'calls that ended with an exception, a second',
		value: row => row.exceptions > 0 ? formatRate(row.exceptionsPerS) : '',
		role: row => row.exceptions * 100 >= row.calls * hotPercent ? 'blocked' : undefined,
		compare: (a, b) => byNumber(a.exceptionsPerS, b.exceptionsPerS),
	},
	time('mean', 'MEAN', 'mean time', 'mean time of a call, from its start to its end', 0, row => row.meanNs),
	time('p50', 'P50', 'median time', 'half of the calls took no longer; exact to 5 %', 90, row => row.p50Ns),
	time('p99', 'P99', '99th percentile', '99 of 100 calls took no longer; exact to 5 %', 50, row => row.p99Ns),
	time('most', 'MAX', 'longest time', 'the longest call', 80, row => row.mostNs),
	{
		id: 'method', heading: 'METHOD', title: 'name', width: 0, align: 'left', fromColumns: 0, ascending: true,
		description: 'package.Class.method, with the parameters where several have the name; packages are shortened first; in a tree each row calls those below it, + closed, - open; [1 in 64 ±3%]: one call in 64 stands for all, as tracing each cost too much, and times may be off by so much; [let go]: no longer traced',
		sortFigures: ['name'],
		value(row, {room, fullNames}) {
			const remark = thinnedText(row);
			// Half of the room is the name's, however deep it stands.
			const mark = row.tree ? `${' '.repeat(Math.min(row.tree.level, Math.floor(room / 2)))}${row.tree.hasChildren ? (row.isOpen ? '-' : '+') : ' '} ` : '';
			if (row.className === '') {
				return mark + (row.thread ?? '');
			}

			return mark + shortName({className: row.className, method: row.isOverloaded ? `${row.method}(${row.parameters})` : row.method, file: '', line: -1}, Math.max(room - mark.length - remark.length, 1), fullNames) + remark;
		},
		compare: (a, b) => byText(a.key, b.key),
	},
];
