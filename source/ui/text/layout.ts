import type {Size} from '../terminal/terminal.js';

export type Layout = {
	/** Cells of a line: one less than the screen's, so that no line wraps. */
	readonly width: number;
	/** Columns of the terminal, to which `fromColumns` of the table's columns refers. */
	readonly columns: number;
	readonly header: 'full' | 'line' | 'none';
	readonly hasTabs: boolean;
	/** Lines of findings, between the header and the tabs. */
	readonly findingLines: number;
	readonly hasHeading: boolean;
	/** Whether there is room for the prompt or message, and the keys. */
	readonly hasFooter: boolean;
	readonly footerLines: number;
	/** Lines of the view's remark above the table's heading. */
	readonly aboveLines: number;
	/** Lines of the time line over the table; 0 for none. */
	readonly timeLines: number;
	/** Lines of the pane for the selected row; 0 for none. */
	readonly paneLines: number;
	readonly tableRows: number;
	/** Lines of a layer over the table, its title included. */
	readonly layerLines: number;
};

/** Lines that parts of the screen need: all findings, the first one, the view's remark; `isPast`, `hasPane`: a time line, a pane is. */
type Wanted = {readonly footer: number; readonly findings: number; readonly firstFinding: number; readonly above: number; readonly isPast: boolean; readonly hasPane: boolean};

/** Least heights of the screen, in rows, at which parts are shown. */
const fullHeaderRows = 16;
const footerRows = 8;
const headerRows = 5;
const tabRows = 6;
const headingRows = 4;
const paneRows = 40;

/** Most lines of findings, by the least height of the screen. */
const findingRows = [{rows: 40, lines: 5}, {rows: 30, lines: 3}, {rows: fullHeaderRows, lines: 1}] as const;

/** From this height on the first finding may have two lines: who holds a lock, and where, is at its end. */
const firstFindingRows = 24;

/** Lines of the time line, by the least height of the screen. */
const timeLineRows = [{rows: 20, lines: 3}, {rows: fullHeaderRows, lines: 2}] as const;

const headerLines = {full: 3, line: 1, none: 0} as const;

/** Returns how many of a layer's lines fit between its title and, if not all fit, the line that says so. */
export function layerRoom({layerLines, hasHeading, hasFooter}: Pick<Layout, 'layerLines' | 'hasHeading' | 'hasFooter'>, lines: number): number {
	const room = Math.max(0, layerLines - (hasHeading ? 1 : 0));
	return Math.max(0, lines > room && hasFooter ? room - 1 : room);
}

/** Divides up the screen: a message gets at most half of the middle, the view's remark a quarter of the rest. */
export function layoutOf({columns, rows}: Size, {footer, findings, firstFinding, above, isPast, hasPane}: Wanted): Layout {
	const linesAt = (choices: ReadonlyArray<{readonly rows: number; readonly lines: number}>) => choices.find(choice => rows >= choice.rows)?.lines ?? 0;
	const header = rows >= fullHeaderRows ? 'full' : (rows >= headerRows ? 'line' : 'none');
	const hasFooter = rows >= footerRows;
	const hasHeading = rows >= headingRows;
	const findingLines = Math.min(findings, Math.max(linesAt(findingRows), rows >= firstFindingRows ? Math.min(firstFinding, 2) : 0));
	const timeLines = isPast ? linesAt(timeLineRows) : 0;
	const hasTabs = rows >= tabRows;
	const between = rows - headerLines[header] - findingLines - (hasTabs ? 1 : 0) - timeLines;
	const footerLines = hasFooter ? Math.max(1, Math.min(footer, Math.floor(between / 2))) : 0;
	const layerLines = between - footerLines;
	const aboveLines = Math.min(above, Math.floor(layerLines / 4));
	const paneLines = hasPane && rows >= paneRows ? Math.floor(layerLines * 0.4) : 0;
	return {
		width: columns - 1,
		columns,
		header,
		hasTabs,
		findingLines,
		hasHeading,
		hasFooter,
		footerLines,
		timeLines,
		aboveLines,
		paneLines,
		tableRows: Math.max(0, layerLines - aboveLines - (hasHeading ? 1 : 0) - paneLines),
		layerLines: Math.max(0, layerLines),
	};
}
