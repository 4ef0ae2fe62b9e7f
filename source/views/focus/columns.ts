import {
	byLocation, figure, fileColumn, statesColumn, text, treeMark, type Column,
} from '../../query/columns/column.js';
import {formats} from '../../query/columns/format.js';
import {nameWith, viaText} from '../../query/columns/names.js';
import type {FocusRow} from './focus-tree.js';

export const focusColumns: ReadonlyArray<Column<FocusRow>> = [
	figure('wall', row => row.totalPercent, formats.percent, {
		heading: 'WALL%', title: 'share of thread time', width: 6, fromColumns: 0, isHot: true, sortFigures: ['total', 'ticks', 'total-ticks'], thenBy: [row => row.totalCpuNs],
		description: 'share of the method\'s time, threads in every state: waits and locks are in it, CPU time too; each sample counts once, recursion or not',
	}),
	figure('wall-error', row => row.wallError, formats.percent, {
		heading: '+/-', title: 'sampling error', width: 4, fromColumns: 80,
		description: 'sampling error of WALL% in percentage points, 95 % confidence',
	}),
	figure('wall-ms', row => row.wallMs, formats.ms, {
		heading: 'WALLms', title: 'thread time', width: 7, fromColumns: 90,
		description: 'the same in milliseconds of threads\' time, by samples',
	}),
	figure('cpu', row => row.cpuPercent, formats.percent, {
		heading: 'CPU%', title: 'share of CPU time', width: 6, fromColumns: 50, isHot: true, sortFigures: ['cpu'], thenBy: [row => row.totalPercent],
		description: 'share of the method\'s CPU time',
	}),
	figure('cpu-error', row => row.cpuError, formats.percent, {
		heading: '+/-', title: 'sampling error of CPU', width: 4, fromColumns: 110,
		description: 'sampling error of CPU% in percentage points, 95 % confidence',
		isBlank: row => row.cpuPercent === 0 && row.cpuError === 0,
	}),
	figure('cpu-ms', row => row.totalCpuNs, formats.cpuMs, {
		heading: 'CPUms', title: 'CPU time', width: 7, fromColumns: 72,
		description: 'the same in milliseconds',
	}),
	figure('self', row => row.selfPercent, formats.percent, {
		heading: 'SELF%', title: 'self share', width: 6, fromColumns: 100, isHot: true, sortFigures: ['self'], thenBy: [row => row.selfCpuNs],
		description: 'share of thread time in samples whose innermost frame it is',
		isBlank: row => row.selfTicks === 0 && row.selfCpuNs === 0,
	}),
	statesColumn('state', {
		title: 'share that runs', fromColumns: 60, sortBy: [row => row.totalCpuNs / Math.max(1, row.totalTicks)],
		description: 'states of the threads meanwhile, in proportion; sorts by CPU time for each sample',
	}),
	text('path', row => row.className, {
		heading: 'METHOD', title: 'name', width: 0, fromColumns: 0, sortFigures: ['name'], sortBy: byLocation,
		description: 'the method and below it what it calls, then the method again and below it its callers; further in where a path forks; + closed, - open',
		value(row, {room, fullNames}) {
			const mark = treeMark(row.indent, row, room) + (row.isMethod ? (row.part === 'calls' ? 'IN ' : 'CALLERS OF ') : '');
			return mark + nameWith(row, row.via ? [viaText(row.via)] : [], Math.max(room - mark.length, 1), fullNames);
		},
	}),
	fileColumn(150),
];
