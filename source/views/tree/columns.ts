import {
	byLocation, figure, fileColumn, share, shareHeadings, text, treeMark, type Column,
} from '../../query/columns/column.js';
import {formats} from '../../query/columns/format.js';
import {nameWith, viaText} from '../../query/columns/names.js';
import type {CallNode} from './call-tree.js';

export const treeColumns: ReadonlyArray<Column<CallNode>> = [
	share('total', row => row.totalPercent, row => row.totalCpuNs, {
		heading: 'CPU%', measureHeadings: shareHeadings, title: 'total share', width: 6, fromColumns: 0, isHot: true, sortFigures: ['total', 'self'], thenBy: [row => row.totalTicks],
		description: 'share of the CPU time (or ticks) of samples that came by this path; each sample counts once, recursion or not',
	}),
	share('self', row => row.selfPercent, row => row.selfCpuNs, {
		heading: 'SELF%', measureHeadings: {'cpu-ms': 'SELFms'}, title: 'self share', width: 6, fromColumns: 50, isHot: true, thenBy: [row => row.selfTicks],
		description: 'share of samples whose innermost frame it is; bottom-up, that of the hot line itself',
		isBlank: row => row.selfTicks === 0 && row.selfCpuNs === 0,
	}),
	figure('ticks', row => row.totalTicks, formats.count, {
		heading: 'TICKS', title: 'total ticks', width: 6, fromColumns: 64, sortFigures: ['ticks', 'total-ticks'],
		description: 'samples that came by this path, in the counted states',
	}),
	figure('cpu', row => row.totalCpuNs, formats.cpuMs, {
		heading: 'CPU ms', title: 'CPU time', width: 8, fromColumns: 110, sortFigures: ['cpu'],
		description: 'CPU time of samples that came by this path, milliseconds',
	}),
	text('path', row => row.className, {
		heading: 'PATH', title: 'name', width: 0, fromColumns: 0, sortFigures: ['name'], sortBy: byLocation,
		description: 'each row calls those below it (bottom-up: is called by them); further in where a path forks; + closed, - open',
		value(row, {room, fullNames}) {
			const mark = treeMark(row.indent, row, room);
			return mark + nameWith(row, row.via ? [viaText(row.via)] : [], Math.max(room - mark.length, 1), fullNames);
		},
	}),
	fileColumn(150),
];
