import {cellWidth} from '../../model/cell-width.js';
import {stateCode} from '../../model/thread-state.js';
import {locationName} from '../counters/location.js';
import type {StackHistogramRow} from '../types/rows.js';
import {hotPercent, type Column} from '../columns/column.js';
import {formatCount, formatMs, formatPercent} from '../columns/format.js';
import {nameWith, shortName, viaText} from '../columns/names.js';
import {byFigures, byNumber, byText} from '../columns/sort.js';
import {stateCells} from '../columns/state-cells.js';

/** The columns of the Stacks view in their order. */
export const stackColumns: ReadonlyArray<Column<StackHistogramRow>> = [
	{
		id: 'share', heading: 'CPU%', measureHeadings: {ticks: 'TICK%', blocked: 'BLK%', waiting: 'WAIT%', 'cpu-ms': 'CPUms'}, title: 'share', width: 6, align: 'right', fromColumns: 0,
		description: 'share of the CPU time (or ticks) of all samples that had exactly this stack',
		sortFigures: ['self', 'total'],
		value: (row, {unit}) => unit === 'cpu-ms' ? formatMs(row.cpuNs) : formatPercent(row.percent),
		role: row => row.percent >= hotPercent ? 'hot' : undefined,
		...byFigures(row => row.percent, row => row.cpuNs, row => row.ticks),
	},
	{
		id: 'ticks', heading: 'TICKS', title: 'ticks', width: 6, align: 'right', fromColumns: 50,
		description: 'votes: samples of threads with this stack, in the counted states',
		sortFigures: ['ticks', 'total-ticks'],
		value: row => formatCount(row.ticks),
		...byFigures(row => row.ticks, row => row.cpuNs),
	},
	{
		id: 'threads', heading: 'THR', title: 'threads', width: 3, align: 'right', fromColumns: 64,
		description: 'threads that were seen with this stack',
		value: row => formatCount(row.threadCount),
		compare: (a, b) => byNumber(a.threadCount, b.threadCount),
	},
	{
		id: 'states', heading: 'STATE', title: 'blocked ticks', width: 8, align: 'left', fromColumns: 0,
		description: 'states of the threads, in proportion: R running, B blocked, w waiting, t timed waiting, . idle; sorts by blocked ticks',
		value: (row, {room}) => stateCells(row.states, Math.min(room, 8)),
		role: () => 'states',
		compare: (a, b) => byNumber(a.states[stateCode.BLOCKED], b.states[stateCode.BLOCKED]),
	},
	{
		id: 'cpu', heading: 'CPU ms', title: 'CPU time', width: 8, align: 'right', fromColumns: 110,
		description: 'CPU time with this stack, milliseconds',
		sortFigures: ['cpu'],
		value: row => formatMs(row.cpuNs),
		...byFigures(row => row.cpuNs),
	},
	{
		id: 'fingerprint', heading: 'MD5', title: 'fingerprint', width: 8, align: 'left', fromColumns: 110, ascending: true,
		description: 'first digits of the stack\'s fingerprint, the MD5 of its frames as printed: the same in every session',
		value: row => row.fingerprint.slice(0, 8),
		role: () => 'dim',
		compare: (a, b) => byText(a.fingerprint, b.fingerprint),
	},
	{
		id: 'stack', heading: 'STACK', title: 'top frames', width: 0, align: 'left', fromColumns: 0, ascending: true,
		description: 'the innermost frames, each called by the next; Enter shows all of them',
		sortFigures: ['name'],
		value: (row, {room, fullNames}) => topFrames(row, room, fullNames),
		compare: (a, b) => byText(locationName(a.top), locationName(b.top)),
	},
	{
		id: 'top-threads', heading: 'TOP THREADS', title: 'top threads', width: 24, align: 'left', fromColumns: 150, ascending: true,
		description: 'threads with the most CPU time, then ticks, with this stack',
		value: row => row.topThreads.join(', '),
		role: () => 'dim',
		compare: (a, b) => byText(a.topThreads[0] ?? '', b.topThreads[0] ?? ''),
	},
	{
		id: 'own', heading: 'OWN CODE', title: 'own code', width: 28, align: 'left', fromColumns: 200, ascending: true,
		description: 'the first line of the program\'s own code on the stack, where that is not the top',
		value: (row, {room, fullNames}) => row.own ? shortName(row.own, room, fullNames) : '',
		compare: (a, b) => byText(a.own ? locationName(a.own) : '', b.own ? locationName(b.own) : ''),
	},
];

const between = ' < ';

/** As many frames as there is room for, the packages of callers left out. */
function topFrames({frames, via}: StackHistogramRow, room: number, fullNames: boolean): string {
	let text = '';
	for (const [index, frame] of frames.entries()) {
		const left = room - cellWidth(text) - (index === 0 ? 0 : between.length);
		const bare = {...frame, className: frame.className.slice(frame.className.lastIndexOf('.') + 1)};
		// The innermost frame has its package where the caller's name finds room beside it.
		const name = index === 0 ? nameWith(frame, via ? [viaText(via)] : [], Math.max(left, 1), fullNames) : shortName(bare, Math.max(left, 1), true);
		if (index > 0 && name.startsWith('…')) {
			break;
		}

		text += index === 0 ? name : between + name;
	}

	return text;
}
