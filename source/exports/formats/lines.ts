import {threadStates} from '../../model/thread-state.js';
import {queryLines} from '../../views/lines/lines.js';
import type {ExportFormat} from '../common/export-format.js';

const defaultTop = 40;

/** Hot lines: samples by class, method and line, of all threads and states. */
export const lines: ExportFormat = {
	id: 'lines',
	title: 'Lines',
	extension: '.lines.txt',
	description: `one line of code per line: samples of all threads in all states, then class.method:line; the top ${defaultTop} unless --top is given`,
	streaming: true,
	write(snapshot, baseline, {query, top = defaultTop, states = threadStates}) {
		const {rows} = queryLines(snapshot, baseline, {
			...query, by: 'line', unit: 'ticks', states, sort: {column: 'ticks', reverse: false},
		});
		return rows
			.filter(row => row.line >= 0 && row.selfTicks > 0)
			.slice(0, top)
			.map(row => `${String(row.selfTicks).padStart(5)} ${row.className}.${row.method}:${row.line}\n`)
			.join('');
	},
};
