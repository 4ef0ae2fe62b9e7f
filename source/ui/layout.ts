import type {Size} from './terminal.js';

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
	/** The message and key lines. */
	readonly hasFooter: boolean;
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

/** Lines of the full header: target, session, vitals, strip of states, tabs. */
export const fullHeaderLines = 5;

/** Distributes the screen. */
export function layoutOf({columns, rows}: Size, wantsPane = true): Layout {
	const height = rows - 1;
	const header = rows >= fullHeaderRows ? 'full' : (rows >= headerRows ? 'line' : 'none');
	const hasFooter = rows >= footerRows;
	const hasHeading = rows >= headingRows;
	const headerLines = {full: fullHeaderLines, line: 1, none: 0}[header];
	const layerLines = height - headerLines - (hasFooter ? 2 : 0);
	const paneLines = wantsPane && rows >= paneRows ? Math.floor(layerLines * 0.4) : 0;
	return {
		width: columns - 1,
		height,
		columns,
		header,
		hasHeading,
		hasFooter,
		paneLines,
		tableRows: Math.max(0, layerLines - (hasHeading ? 1 : 0) - paneLines),
		layerLines: Math.max(0, layerLines),
	};
}
