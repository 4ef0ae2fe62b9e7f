import type {TreeRow} from '../types/rows.js';
import {hotPercent, type Column} from '../columns/column.js';
import {formatCount, formatMs, formatPercent} from '../columns/format.js';
import {nameWith, viaText} from '../columns/names.js';
import {byNumber, byText} from '../columns/sort.js';

/** The columns of the Tree view in their order. */
export const treeColumns: ReadonlyArray<Column<TreeRow>> = [
	{
		id: 'total', heading: 'CPU%', measureHeadings: {ticks: 'TICK%', blocked: 'BLK%', waiting: 'WAIT%', 'cpu-ms': 'CPUms'}, title: 'total share', width: 6, align: 'right', fromColumns: 0,
		description: 'share of the CPU time (or ticks) of samples that came by this path; each sample counts once, recursion or not',
		sortFigures: ['total', 'self'],
		value: (row, {unit}) => unit === 'cpu-ms' ? formatMs(row.totalCpuNs) : formatPercent(row.totalPercent),
		role: row => row.totalPercent >= hotPercent ? 'hot' : undefined,
		compare: (a, b) => byNumber(a.totalPercent, b.totalPercent) || byNumber(a.totalCpuNs, b.totalCpuNs) || byNumber(a.totalTicks, b.totalTicks),
	},
	{
		id: 'self', heading: 'SELF%', measureHeadings: {'cpu-ms': 'SELFms'}, title: 'self share', width: 6, align: 'right', fromColumns: 50,
		description: 'share of those that stand there and call nothing; bottom-up, that of the hot line itself',
		value: (row, {unit}) => row.selfTicks === 0 && row.selfCpuNs === 0 ? '' : (unit === 'cpu-ms' ? formatMs(row.selfCpuNs) : formatPercent(row.selfPercent)),
		role: row => row.selfPercent >= hotPercent ? 'hot' : undefined,
		compare: (a, b) => byNumber(a.selfPercent, b.selfPercent) || byNumber(a.selfCpuNs, b.selfCpuNs) || byNumber(a.selfTicks, b.selfTicks),
	},
	{
		id: 'ticks', heading: 'TICKS', title: 'total ticks', width: 6, align: 'right', fromColumns: 64,
		description: 'samples that came by this path, in the counted states',
		sortFigures: ['ticks', 'total-ticks'],
		value: row => formatCount(row.totalTicks),
		compare: (a, b) => byNumber(a.totalTicks, b.totalTicks),
	},
	{
		id: 'cpu', heading: 'CPU ms', title: 'CPU time', width: 8, align: 'right', fromColumns: 110,
		description: 'CPU time of samples that came by this path, milliseconds',
		sortFigures: ['cpu'],
		value: row => formatMs(row.totalCpuNs),
		compare: (a, b) => byNumber(a.totalCpuNs, b.totalCpuNs),
	},
	{
		id: 'path', heading: 'PATH', title: 'name', width: 0, align: 'left', fromColumns: 0, ascending: true,
		description: 'each row calls those below it (bottom-up: is called by them); further in where a path forks; + closed, - open',
		sortFigures: ['name'],
		value(row, {room, fullNames}) {
			// Half of the room is the name's, however often the path has forked.
			const mark = `${' '.repeat(Math.min(row.indent, Math.floor(room / 2)))}${row.hasChildren ? (row.isOpen ? '-' : '+') : ' '} `;
			return mark + nameWith(row, row.via ? [viaText(row.via)] : [], Math.max(room - mark.length, 1), fullNames);
		},
		compare: (a, b) => byText(a.className, b.className) || byText(a.method, b.method) || byNumber(a.line, b.line),
	},
	{
		id: 'file', heading: 'FILE', title: 'file', width: 24, align: 'left', fromColumns: 150, ascending: true,
		description: 'source file',
		value: row => row.file,
		role: () => 'dim',
		compare: (a, b) => byText(a.file, b.file),
	},
];
