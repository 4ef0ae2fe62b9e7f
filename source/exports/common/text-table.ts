import {fixed, joined, printable, safe, type Printable} from '../../util/printable.js';
import {cellWidth, fit, pad} from '../../util/cell-width.js';
import type {TargetInfo} from '../../model/snapshot.js';
import type {AgentReport} from '../../model/trace-report.js';
import {fitColumns, fittedCells, headingOf, type Column} from '../../query/columns/column.js';
import type {GroupBy, Measure} from '../../query/types/query.js';

/** Width of a report by default, and the least that has room for names. */
export const defaultWidth = 120;
export const minWidth = 40;

/** Rows of a list by default: a page. */
export const defaultTop = 40;

/** Aligns further lines of a note with its first word, after "note: ". */
export const noteIndent = safe`      `;

/** Returns the first line of a report: what was profiled. */
export function targetLine({pid, mainClass, command, jvmVersion, vm}: TargetInfo, tool = safe`tprof-top`): Printable {
	const jvm = jvmVersion && safe` JDK ${jvmVersion}`;
	const parts = [tool, pid > 0 ? safe`${pid}` : safe``, mainClass || command, jvm, vm && safe`(${vm})`];
	return joined(parts.filter(Boolean), safe` `);
}

/** Returns a time as ISO 8601, without milliseconds. */
export function timeText(atMs: number): Printable {
	return printable(new Date(atMs).toISOString().replace(/\.\d+/, ''));
}

type HeadOptions = {readonly followed: Printable; readonly notes: readonly Printable[]; readonly width: number};

/** Returns the first lines of an agent's report: target, time and what was followed, notes. */
export function reportHead(
	command: Printable,
	target: TargetInfo,
	{startedAtMs, elapsedNs}: AgentReport,
	{followed, notes, width}: HeadOptions,
): Printable[] {
	return [
		targetLine(target, safe`tprof-top ${command}`),
		safe`${timeText(startedAtMs)} for ${fixed(elapsedNs / 1e9, 1)} s | ${followed}`,
		...notes.flatMap(note => wrapAt(safe` `, safe`note: ${note}`, width, noteIndent)),
	];
}

/** `overMs`: milliseconds of sampling that percentages of a core relate to. */
type TableLayout = {readonly width: number; readonly measure: Measure; readonly overMs: number; readonly by: GroupBy};

/** Returns a heading and a line for each row, with the columns that fit in `width` terminal cells. */
export function textTable<Row>(
	columns: ReadonlyArray<Column<Row>>,
	rows: readonly Row[],
	{width, by, ...context}: TableLayout,
): Printable[] {
	const ofText = columns.map(column => ({...column, fromColumns: column.textFromColumns ?? column.fromColumns}));
	const fitted = fitColumns(ofText, width);
	const headings = fitted.map(({column, width: room}) =>
		fit(headingOf(column, context.measure, by), room, column.align));
	const lineOf = (row: Row) =>
		fittedCells(fitted, (column, room) => column.value(row, {...context, fullNames: true, room}), true)
			.map(cell => pad(cell.text, cell.width, cell.column.align));
	return [headings, ...rows.map(row => lineOf(row))].map(cells => joined(cells, safe` `).trimEnd());
}

/** Returns the line after the first `top` of `count` rows; none if there are no more. */
export function moreLine(count: number, top: number): Printable[] {
	return count > top ? [safe`... ${count - top} more`] : [];
}

/** Breaks the text at the separator into lines of `width` terminal cells, if possible; indents all but the first. */
export function wrapAt(separator: Printable, text: Printable, width: number, indent = safe``): Printable[] {
	const [first, ...parts] = text.split(separator);
	const lines = [first];
	for (const part of parts) {
		const longer = safe`${lines.at(-1)!}${separator}${part}`;
		if (cellWidth(longer) > width) {
			lines.push(safe`${indent}${part}`);
		} else {
			lines[lines.length - 1] = longer;
		}
	}

	return lines;
}
