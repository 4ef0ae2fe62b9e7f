import {safe} from '../../util/printable.js';
import {queryStackHistogram, stackLines} from '../../views/stacks/stacks.js';
import type {ExportFormat} from '../common/export-format.js';
import {threadStates} from '../../model/thread-state.js';
import {queryLines} from '../../views/lines/lines.js';

const defaultTop = 40;

/** Hot lines: samples by class, method and line, of all threads and states; code without lines counts at its caller. */
export const lines: ExportFormat = {
	id: 'lines',
	title: 'Lines',
	extension: '.lines.txt',
	description: [
		'one line of code per line: samples of all threads in all states, then class.method:line, the first with a number;',
		`the top ${defaultTop} unless --top is given`,
	].join(' '),
	streaming: true,
	write(snapshot, baseline, {query, top = defaultTop, states = threadStates}) {
		const {rows} = queryLines(snapshot, baseline, {
			...query, firstLine: true, by: 'line', unit: 'ticks', states, sort: {column: safe`ticks`, reverse: false},
		});
		return rows
			.filter(row => row.line >= 0 && row.selfTicks > 0)
			.slice(0, top)
			.map(row => `${String(row.selfTicks).padStart(5)} ${row.className}.${row.method}:${row.line}\n`)
			.join('');
	},
};

const defaultDepth = 10;

/** The stack histogram as a list: samples with the same innermost frames, MD5 of the printed frames, the frames. */
export const votes: ExportFormat = {
	id: 'votes',
	title: 'Votes',
	extension: '.votes.txt',
	description:
		`identical stacks, counted: votes, fingerprint, frames; RUNNABLE threads and the top ${defaultDepth} frames unless --state or --depth is given`,
	streaming: true,
	depth: defaultDepth,
	write(snapshot, baseline, {query, top, depth = defaultDepth, states = ['RUNNABLE']}) {
		return queryStackHistogram(snapshot, baseline, {...query, unit: 'ticks', states, depth}).rows
			.filter(({selfTicks}) => selfTicks > 0)
			.sort((a, b) => b.selfTicks - a.selfTicks || (a.fingerprint < b.fingerprint ? -1 : 1))
			.slice(0, top)
			.map(({selfTicks, fingerprint, frames}) =>
				`${String(selfTicks).padStart(5)} ${fingerprint}\n${stackLines(frames)}\n`)
			.join('');
	},
};
