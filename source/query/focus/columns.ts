import type {FocusRow} from '../types/rows.js';
import {hotPercent, type Column} from '../columns/column.js';
import {formatMs, formatPercent} from '../columns/format.js';
import {nameWith, viaText} from '../columns/names.js';
import {byNumber, byText} from '../columns/sort.js';
import {stateCells} from '../columns/state-cells.js';

/** Milliseconds as `formatMs` has them. */
const msText = (ms: number) => formatMs(ms * 1e6);

/** The columns of the Focus view in their order. */
export const focusColumns: ReadonlyArray<Column<FocusRow>> = [
	{
		id: 'wall', heading: 'WALL%', title: 'share of thread time', width: 6, align: 'right', fromColumns: 0,
		description: 'share of the method\'s time, threads in every state: waits and locks are in it, CPU time too; each sample counts once, recursion or not',
		sortFigures: ['total', 'ticks', 'total-ticks'],
		value: row => formatPercent(row.totalPercent),
		role: row => row.totalPercent >= hotPercent ? 'hot' : undefined,
		compare: (a, b) => byNumber(a.totalPercent, b.totalPercent) || byNumber(a.totalCpuNs, b.totalCpuNs),
	},
	{
		id: 'wall-error', heading: '+/-', title: 'sampling error', width: 4, align: 'right', fromColumns: 80,
		description: 'sampling error of WALL% in percentage points, 95 % confidence',
		value: row => formatPercent(row.wallError),
		compare: (a, b) => byNumber(a.wallError, b.wallError),
	},
	{
		id: 'wall-ms', heading: 'WALLms', title: 'thread time', width: 7, align: 'right', fromColumns: 90,
		description: 'the same in milliseconds of threads\' time, by samples',
		value: row => msText(row.wallMs),
		compare: (a, b) => byNumber(a.wallMs, b.wallMs),
	},
	{
		id: 'cpu', heading: 'CPU%', title: 'share of CPU time', width: 6, align: 'right', fromColumns: 50,
		description: 'share of the method\'s CPU time',
		sortFigures: ['cpu'],
		value: row => formatPercent(row.cpuPercent),
		role: row => row.cpuPercent >= hotPercent ? 'hot' : undefined,
		compare: (a, b) => byNumber(a.cpuPercent, b.cpuPercent) || byNumber(a.totalPercent, b.totalPercent),
	},
	{
		id: 'cpu-error', heading: '+/-', title: 'sampling error of CPU', width: 4, align: 'right', fromColumns: 110,
		description: 'sampling error of CPU% in percentage points, 95 % confidence',
		value: row => row.cpuPercent === 0 && row.cpuError === 0 ? '' : formatPercent(row.cpuError),
		compare: (a, b) => byNumber(a.cpuError, b.cpuError),
	},
	{
		id: 'cpu-ms', heading: 'CPUms', title: 'CPU time', width: 7, align: 'right', fromColumns: 72,
		description: 'the same in milliseconds',
		value: row => formatMs(row.totalCpuNs),
		compare: (a, b) => byNumber(a.totalCpuNs, b.totalCpuNs),
	},
	{
		id: 'self', heading: 'SELF%', title: 'share of its own', width: 6, align: 'right', fromColumns: 100,
		description: 'share of thread time that stands there and calls nothing',
		sortFigures: ['self'],
		value: row => row.selfTicks === 0 && row.selfCpuNs === 0 ? '' : formatPercent(row.selfPercent),
		role: row => row.selfPercent >= hotPercent ? 'hot' : undefined,
		compare: (a, b) => byNumber(a.selfPercent, b.selfPercent) || byNumber(a.selfCpuNs, b.selfCpuNs),
	},
	{
		id: 'state', heading: 'STATE', title: 'share that runs', width: 8, align: 'left', fromColumns: 60,
		description: 'states of the threads meanwhile, in proportion: R running, B blocked, w waiting, t timed waiting, . idle; sorts by CPU time for each sample',
		value: (row, {room}) => stateCells(row.states, Math.min(room, 8)),
		role: () => 'states',
		compare: (a, b) => byNumber(a.totalCpuNs / Math.max(1, a.totalTicks), b.totalCpuNs / Math.max(1, b.totalTicks)),
	},
	{
		id: 'path', heading: 'METHOD', title: 'name', width: 0, align: 'left', fromColumns: 0, ascending: true,
		description: 'the method and below it what it calls, then the method again and below it its callers; further in where a path forks; + closed, - open',
		sortFigures: ['name'],
		value(row, {room, fullNames}) {
			// Half of the room is the name's, however often the path has forked.
			const mark = `${' '.repeat(Math.min(row.indent, Math.floor(room / 2)))}${row.hasChildren ? (row.isOpen ? '-' : '+') : ' '} `;
			const title = row.isMethod ? (row.part === 'calls' ? 'IN ' : 'CALLERS OF ') : '';
			return mark + title + nameWith(row, row.via ? [viaText(row.via)] : [], Math.max(room - mark.length - title.length, 1), fullNames);
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
