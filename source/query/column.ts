import type {Sortable} from './sort.js';
import type {Unit} from './types.js';

/** What a column's cells depend on beside the row. */
export type CellContext = {
	/** The unit in force, see `effectiveUnit`. */
	readonly unit: Unit;
	readonly fullNames: boolean;
	/** Cells that the column has. */
	readonly room: number;
	/** A picture of the row's last minute in that many cells; the caller keeps the past. */
	readonly trend?: (key: string, room: number) => string;
};

/** A column of a view as data: the screen, the column menu, help, the readme and text reports are made from these. */
export type Column<Row> = Sortable<Row> & {
	readonly heading: string;
	/** The heading where another unit is in force. */
	readonly unitHeadings?: Readonly<Partial<Record<Unit, string>>>;
	/** Name in menus, such as "self share". */
	readonly title: string;
	readonly description: string;
	/** Terminal cells; 0: what the others leave. */
	readonly width: number;
	readonly align: 'left' | 'right';
	/** Columns of the terminal from which on it is shown. */
	readonly fromColumns: number;
	/** The cell's text; may be wider than the column, except where it is said to keep to `room`. */
	value(row: Row, context: CellContext): string;
};

/** The heading in a unit. */
export function headingOf<Row>(column: Column<Row>, unit: Unit): string {
	return column.unitHeadings?.[unit] ?? column.heading;
}

/** The columns that a terminal of that many columns shows, and their widths, when `available` cells are there for them with `gap` between two. Without a column that takes the rest, the last one does. */
export function fitColumns<Row>(columns: ReadonlyArray<Column<Row>>, terminalColumns: number, available = terminalColumns, gap = 1): Array<{readonly column: Column<Row>; readonly width: number}> {
	const shown = columns.filter(({fromColumns}) => terminalColumns >= fromColumns);
	let rest = available - (gap * (shown.length - 1));
	for (const {width} of shown) {
		rest -= width;
	}

	const flexible = Math.max(shown.findIndex(({width}) => width === 0), -1);
	const taker = flexible < 0 ? shown.length - 1 : flexible;
	return shown.map((column, index) => ({column, width: index === taker ? Math.max(1, column.width + rest) : column.width}));
}
