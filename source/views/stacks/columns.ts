import {cellWidth} from '../../model/cell-width.js';
import {stateCode} from '../../model/thread-state.js';
import {
	figure, nameOf, ownCodeColumn, share, shareHeadings, statesColumn, text, topThreadsColumn, type Column,
} from '../../query/columns/column.js';
import {formats} from '../../query/columns/format.js';
import {nameWith, shortName, viaText} from '../../query/columns/names.js';
import type {StackHistogramRow} from './rows.js';

export const stackColumns: ReadonlyArray<Column<StackHistogramRow>> = [
	share('share', row => row.selfPercent, row => row.selfCpuNs, {
		heading: 'CPU%', measureHeadings: shareHeadings, title: 'share', width: 6, fromColumns: 0, isHot: true, sortFigures: ['self', 'total'], thenBy: [row => row.selfTicks],
		description: 'share of the CPU time (or ticks) of all samples that had exactly this stack',
	}),
	figure('ticks', row => row.selfTicks, formats.count, {
		heading: 'TICKS', title: 'ticks', width: 6, fromColumns: 50, sortFigures: ['ticks', 'total-ticks'], thenBy: [row => row.selfCpuNs],
		description: 'votes: samples of threads with this stack, in the counted states',
	}),
	figure('threads', row => row.threadCount, formats.count, {
		heading: 'THR', title: 'threads', width: 3, fromColumns: 64,
		description: 'threads that were seen with this stack',
	}),
	statesColumn('states', {
		title: 'blocked ticks', fromColumns: 0, sortBy: [row => row.states[stateCode.BLOCKED]],
		description: 'states of the threads, in proportion; sorts by blocked ticks',
	}),
	figure('cpu', row => row.selfCpuNs, formats.cpuMs, {
		heading: 'CPU ms', title: 'CPU time', width: 8, fromColumns: 110, sortFigures: ['cpu'],
		description: 'CPU time with this stack, milliseconds',
	}),
	text('fingerprint', row => row.fingerprint, {
		heading: 'MD5', title: 'fingerprint', width: 8, fromColumns: 110,
		description: 'first digits of the stack\'s fingerprint, the MD5 of its frames as printed: the same in every session',
		value: row => row.fingerprint.slice(0, 8),
		role: () => 'dim',
	}),
	text('stack', row => nameOf(row), {
		heading: 'STACK', title: 'top frames', width: 0, fromColumns: 0, sortFigures: ['name'],
		description: 'the innermost frames, each called by the next; Enter shows all of them',
		value: (row, {room, fullNames}) => topFrames(row, room, fullNames),
	}),
	topThreadsColumn(24, 'with this stack'),
	ownCodeColumn(200, 'the first line of the program\'s own code on the stack, where that is not the top'),
];

const between = ' < ';

/** Returns as many frames as fit, callers without their packages. */
function topFrames({frames, via}: StackHistogramRow, room: number, fullNames: boolean): string {
	let text = '';
	for (const [index, frame] of frames.entries()) {
		const cells = Math.max(1, room - cellWidth(text) - (index === 0 ? 0 : between.length));
		const withoutPackage = {...frame, className: frame.className.slice(frame.className.lastIndexOf('.') + 1)};
		const name = index === 0 ? nameWith(frame, via ? [viaText(via)] : [], cells, fullNames) : shortName(withoutPackage, cells, true);
		if (index > 0 && name.startsWith('…')) {
			break;
		}

		text += index === 0 ? name : between + name;
	}

	return text;
}
