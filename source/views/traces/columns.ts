import {
	figure, hotPercent, text, treeMark, type Column,
} from '../../query/columns/column.js';
import {formats} from '../../query/columns/format.js';
import {shortName} from '../../query/columns/names.js';
import {thinnedText, titleOf, type TraceRow} from './methods.js';

type TimeSettings = Pick<Column<TraceRow>, 'heading' | 'title' | 'fromColumns' | 'description' | 'sortFigures'> & Partial<Pick<Column<TraceRow>, 'file'>>;

function time(id: string, of: (row: TraceRow) => number, settings: TimeSettings): Column<TraceRow> {
	return figure(id, of, formats.ns, {...settings, width: 7, isBlank: row => row.calls === 0 || Number.isNaN(of(row))});
}

export const traceColumns: ReadonlyArray<Column<TraceRow>> = [
	time('cumulative', row => row.cumulativeNs, {
		heading: 'CUM', title: 'cumulative time', fromColumns: 0, sortFigures: ['total'],
		description: 'time with the method on the stack, all threads added up; recursive calls count once',
		file: row => Number.isNaN(row.cumulativeNs) ? '' : formats.ns.file(row.cumulativeNs),
	}),
	time('own', row => row.ownNs, {
		heading: 'OWN', title: 'own time', fromColumns: 60, sortFigures: ['self', 'cpu'],
		description: 'time in the method, and not in traced methods that it called',
	}),
	figure('calls', row => row.calls, formats.count, {
		heading: 'CALLS', title: 'calls', width: 6, fromColumns: 100, sortFigures: ['ticks'],
		description: 'calls that ended in the window',
	}),
	figure('calls-per-s', row => row.callsPerS, formats.perS, {
		heading: 'CALL/s', title: 'calls a second', width: 6, fromColumns: 0, sortFigures: ['total-ticks'],
		description: 'calls that ended, a second',
	}),
	figure('exceptions', row => row.exceptionsPerS, formats.perS, {
		heading: 'EXC/s', title: 'exceptions a second', width: 6, fromColumns: 70,
		description: 'calls that ended with an exception, a second',
		isBlank: row => row.exceptions === 0,
		role: row => row.exceptions * 100 >= row.calls * hotPercent ? 'error' : undefined,
	}),
	time('mean', row => row.meanNs, {
		heading: 'MEAN', title: 'mean time', fromColumns: 0, description: 'mean time of a call, from its start to its end',
	}),
	time('p50', row => row.p50Ns, {
		heading: 'P50', title: 'median time', fromColumns: 90, description: 'half of the calls took no longer; exact to 5 %',
	}),
	time('p99', row => row.p99Ns, {
		heading: 'P99', title: '99th percentile', fromColumns: 50, description: '99 of 100 calls took no longer; exact to 5 %',
	}),
	time('most', row => row.mostNs, {
		heading: 'MAX', title: 'longest time', fromColumns: 80, description: 'the longest call',
	}),
	text('method', row => titleOf(row), {
		heading: 'METHOD', title: 'name', width: 0, fromColumns: 0, sortFigures: ['name'], sortBy: [row => row.key],
		description: 'package.Class.method, with the parameters where several have the name; packages are shortened first; in a tree each row calls those below it, + closed, - open; [1 in 64 ±3%]: only one call in 64 is measured, as tracing all cost too much, and times may be off by 3%; [released]: exceeded --max-overhead, no longer traced',
		value(row, {room, fullNames}) {
			const remark = thinnedText(row);
			const marker = row.tree ? treeMark(row.tree.level, {hasChildren: row.tree.hasChildren, isOpen: row.isOpen}, room) : '';
			if (row.className === '') {
				return marker + (row.thread ?? '');
			}

			return marker + shortName({className: row.className, method: row.isOverloaded ? `${row.method}(${row.parameters})` : row.method, file: '', line: -1}, Math.max(room - marker.length - remark.length, 1), fullNames) + remark;
		},
	}),
];
