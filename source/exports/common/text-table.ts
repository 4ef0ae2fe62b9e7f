import {cellWidth, cut, pad} from '../../model/cell-width.js';
import type {TargetInfo} from '../../model/snapshot.js';
import {fitColumns, headingOf, type Column} from '../../query/columns/column.js';
import type {GroupBy, Measure, Unit} from '../../query/types/query.js';

/** Width of a report whose reader gives none, the least that leaves room for names, and the rows of a list: a page. */
export const defaultWidth = 120;
export const minWidth = 40;
export const defaultTop = 40;

/** Further lines of a note begin below its first word. */
export const noteIndent = '      ';

/** What was profiled, as the first line of a report. */
export function targetLine({pid, mainClass, command, jvmVersion, vm}: TargetInfo, tool = 'tprof-top'): string {
	return [tool, pid > 0 ? String(pid) : '', mainClass || command, jvmVersion && ` JDK ${jvmVersion}`, vm && `(${vm})`].filter(Boolean).join(' ');
}

/** The first lines of an agent's report: target, time, notes. */
export function reportHead(command: string, target: TargetInfo, {startedAtMs, elapsedNs}: {readonly startedAtMs: number; readonly elapsedNs: number}, what: string, notes: readonly string[], room: number): string[] {
	return [
		targetLine(target, `tprof-top ${command}`),
		`${new Date(startedAtMs).toISOString().replace(/\.\d+/, '')} for ${(elapsedNs / 1e9).toFixed(1)} s | ${what}`,
		...notes.flatMap(note => wrapAt(' ', `note: ${note}`, room, noteIndent)),
	];
}

/** A heading and a line for each row, of the columns that `width` terminal cells have room for. */
export function textTable<Row>(columns: ReadonlyArray<Column<Row>>, rows: readonly Row[], {width, unit, measure, by}: {readonly width: number; readonly unit: Unit; readonly measure: Measure; readonly by: GroupBy}): string[] {
	const fitted = fitColumns(columns, width);
	const lineOf = (cell: (column: Column<Row>, room: number) => string) =>
		fitted.map(({column, width: room}) => pad(cut(cell(column, room), room), room, column.align)).join(' ').trimEnd();
	return [
		lineOf(column => headingOf(column, measure, by)),
		...rows.map(row => lineOf((column, room) => column.value(row, {unit, fullNames: true, room}))),
	];
}

/** Breaks the text at the separator into lines of `width` terminal cells; all but the first begin with the indent. */
export function wrapAt(separator: string, text: string, room: number, indent = ''): string[] {
	const [first, ...parts] = text.split(separator);
	const lines = [first];
	for (const part of parts) {
		const longer = lines.at(-1)! + separator + part;
		if (cellWidth(longer) > room) {
			lines.push(indent + part);
		} else {
			lines[lines.length - 1] = longer;
		}
	}

	return lines;
}
