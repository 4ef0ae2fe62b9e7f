import {cellWidth, fit} from '../../util/cell-width.js';
import type {TargetInfo} from '../../model/snapshot.js';
import type {AgentReport} from '../../model/trace-report.js';
import {fitColumns, headingOf, type Column} from '../../query/columns/column.js';
import type {GroupBy, Measure} from '../../query/types/query.js';

/** Width of a report by default, and the least that has room for names. */
export const defaultWidth = 120;
export const minWidth = 40;

/** Rows of a list by default: a page. */
export const defaultTop = 40;

/** Aligns further lines of a note with its first word, after "note: ". */
export const noteIndent = '      ';

/** Returns the first line of a report: what was profiled. */
export function targetLine({pid, mainClass, command, jvmVersion, vm}: TargetInfo, tool = 'tprof-top'): string {
	return [tool, pid > 0 ? String(pid) : '', mainClass || command, jvmVersion && ` JDK ${jvmVersion}`, vm && `(${vm})`]
		.filter(Boolean).join(' ');
}

/** Returns a time as ISO 8601, without milliseconds. */
export function timeText(atMs: number): string {
	return new Date(atMs).toISOString().replace(/\.\d+/, '');
}

/** Returns the first lines of an agent's report: target, time and what was followed, notes. */
export function reportHead(
	command: string,
	target: TargetInfo,
	{startedAtMs, elapsedNs}: AgentReport,
	{followed, notes, width}: {readonly followed: string; readonly notes: readonly string[]; readonly width: number},
): string[] {
	return [
		targetLine(target, `tprof-top ${command}`),
		`${timeText(startedAtMs)} for ${(elapsedNs / 1e9).toFixed(1)} s | ${followed}`,
		...notes.flatMap(note => wrapAt(' ', `note: ${note}`, width, noteIndent)),
	];
}

/** `overMs`: milliseconds of sampling that percentages of a core relate to. */
type TableLayout = {readonly width: number; readonly unit: Measure; readonly overMs: number; readonly by: GroupBy};

/** Returns a heading and a line for each row, with the columns that fit in `width` terminal cells. */
export function textTable<Row>(
	columns: ReadonlyArray<Column<Row>>,
	rows: readonly Row[],
	{width, by, ...context}: TableLayout,
): string[] {
	const fitted = fitColumns(columns, width);
	const lineOf = (textOf: (column: Column<Row>, room: number) => string) =>
		fitted.map(({column, width: room}) => fit(textOf(column, room), room, column.align)).join(' ').trimEnd();
	return [
		lineOf(column => headingOf(column, context.unit, by)),
		...rows.map(row => lineOf((column, room) => column.value(row, {...context, fullNames: true, room}))),
	];
}

/** Returns the line after the first `top` of `count` rows; none if there are no more. */
export function moreLine(count: number, top: number): string[] {
	return count > top ? [`... ${count - top} more`] : [];
}

/** Breaks the text at the separator into lines of `width` terminal cells, if possible; indents all but the first. */
export function wrapAt(separator: string, text: string, width: number, indent = ''): string[] {
	const [first, ...parts] = text.split(separator);
	const lines = [first];
	for (const part of parts) {
		const longer = lines.at(-1)! + separator + part;
		if (cellWidth(longer) > width) {
			lines.push(indent + part);
		} else {
			lines[lines.length - 1] = longer;
		}
	}

	return lines;
}
