import {cellWidth} from '../../../model/cell-width.js';
import type {SourceText} from '../../../sources/source-text.js';
import {formatCount, formatMs} from '../../../query/columns/format.js';
import type {LineFigures} from '../../../query/source-lines.js';
import type {Theme} from '../../terminal/theme.js';
import {cut, pad} from '../cells.js';

/** A place's source, and what stands beside its lines. */
export type ShownSource = {readonly text: SourceText; readonly line: number; readonly figures: ReadonlyMap<number, LineFigures>};

/** The lines around a place, with CPU milliseconds and ticks before them; or, in a line, why its source is not shown. */
export function sourceLines({text, line, figures}: ShownSource, around: number, {width, theme}: {readonly width: number; readonly theme: Theme}): string[] {
	if (text.misfit !== undefined) {
		return [theme.paint('dim', cut(`  ${text.found} is not what runs: ${text.misfit}`, width))];
	}

	const first = Math.max(1, line - around);
	const last = Math.min(text.lines.length, line + around);
	const digits = String(last).length;
	return Array.from({length: Math.max(0, last - first + 1)}, (_, index) => {
		const number = first + index;
		const {cpuNs = 0, ticks = 0} = figures.get(number) ?? {};
		const beside = `${pad(cpuNs > 0 ? formatMs(cpuNs) : '', 8, 'right')} ${pad(ticks > 0 ? formatCount(ticks) : '', 6, 'right')} `;
		const mark = number === line ? '>' : ' ';
		const gutter = `${beside}${mark}${pad(String(number), digits, 'right')} `;
		const shown = gutter + cut(text.lines[number - 1], Math.max(0, width - cellWidth(gutter)));
		return number === line ? theme.paint('title', shown) : (cpuNs > 0 || ticks > 0 ? shown : theme.paint('dim', shown));
	});
}
