import type {Size} from '../terminal/terminal.js';

/** What fits on a screen of a size. */
export type Layout = {
	/** Cells of a line: one less than the screen has, so that no line wraps. */
	readonly width: number;
	/** Lines in all: one less than the screen has, as Ink needs one below. */
	readonly height: number;
	/** Terminal columns, which the breakpoints of columns refer to. */
	readonly columns: number;
	readonly header: 'full' | 'line' | 'none';
	readonly hasHeading: boolean;
	/** The message and key lines, and how many lines the message has. */
	readonly hasFooter: boolean;
	readonly messageLines: number;
	/** Lines above the table's heading, which say what its rows are. */
	readonly aboveLines: number;
	/** Lines of the time line over the table; 0 for none. */
	readonly timeLines: number;
	/** The line below the table with the keys that help most; low screens have these among all keys. */
	readonly hasHints: boolean;
	/** Lines of the pane for the selected row; 0 for none. */
	readonly paneLines: number;
	/** Rows of the table. */
	readonly tableRows: number;
	/** Lines of a layer that lies over the table. */
	readonly layerLines: number;
};

/** Heights at which parts go, in screen rows. */
const fullHeaderRows = 16;
const footerRows = 8;
const headerRows = 5;
const headingRows = 4;
const paneRows = 40;
const hintRows = 20;

/** The time line's lines, by the height of the screen: the first that it has. */
const timeLineRows = [{rows: 20, lines: 3}, {rows: fullHeaderRows, lines: 2}] as const;

/** Lines of the full header: target, session, vitals, strip of states, tabs. */
export const fullHeaderLines = 5;

/**
Distributes the screen; a message that wants several lines gets half of what is between header and keys at most, what
stands above the table a quarter of what is left. The time line is there while the past is looked at.
*/
export function layoutOf({columns, rows}: Size, wantedMessageLines = 1, isPast = false, wantedAboveLines = 0): Layout {
	const height = rows - 1;
	const header = rows >= fullHeaderRows ? 'full' : (rows >= headerRows ? 'line' : 'none');
	const hasFooter = rows >= footerRows;
	const hasHeading = rows >= headingRows;
	const headerLines = {full: fullHeaderLines, line: 1, none: 0}[header];
	const timeLines = isPast ? timeLineRows.find(choice => rows >= choice.rows)?.lines ?? 0 : 0;
	const between = height - headerLines - timeLines - (hasFooter ? 1 : 0);
	const messageLines = hasFooter ? Math.max(1, Math.min(wantedMessageLines, Math.floor(between / 2))) : 0;
	const layerLines = between - messageLines;
	const hasHints = rows >= hintRows;
	const aboveLines = Math.min(wantedAboveLines, Math.floor(layerLines / 4));
	const paneLines = rows >= paneRows ? Math.floor(layerLines * 0.4) : 0;
	return {
		width: columns - 1,
		height,
		columns,
		header,
		hasHeading,
		hasFooter,
		messageLines,
		timeLines,
		hasHints,
		aboveLines,
		paneLines,
		tableRows: Math.max(0, layerLines - aboveLines - (hasHeading ? 1 : 0) - (hasHints ? 1 : 0) - paneLines),
		layerLines: Math.max(0, layerLines),
	};
}
