import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import type {
	GroupBy, Measure, Query, Unit, StateTicks,
} from '../types/rows.js';
import {formatCount} from './format.js';
import {byNumber, type Sortable} from './sort.js';
import type {StateRole, StateLetter} from './state-cells.js';

/** What a cell is, whatever that looks like; `states`: letters of `stateCells`, each in the role of its state. */
export type CellRole = StateRole | 'states' | 'hot' | 'dim' | 'key';

/** A figure that a key sorts by, whatever a view calls the column that has it. */
export type SortFigure = 'self' | 'total' | 'ticks' | 'total-ticks' | 'cpu' | 'name';

/** Shares of a core or of a whole, in percent, above which a figure stands out. */
export const hotPercent = 10;

/** What a column's cells depend on besides the row. */
type CellContext = {
	/** The unit in force, see `effectiveUnit`. */
	readonly unit: Unit;
	readonly fullNames: boolean;
	/** Cells that the column has. */
	readonly room: number;
	/** A picture of the row's last minute in that many cells; the caller looks back. */
	readonly trend?: (key: string, room: number) => string;
};

/** A figure of the row with a key, in the unit of a query; 0 for one that was not there. */
export type PastFigures = (key: string, query: Query) => number;

/** A column of a view as data: the screen, the column menu, help, the readme and text reports are made from these. */
export type Column<Row> = Sortable<Row> & {
	readonly heading: string;
	/** The heading where shares are of something else than CPU time. */
	readonly measureHeadings?: Readonly<Partial<Record<Measure, string>>>;
	/** The heading where rows stand for something else. */
	readonly groupHeadings?: Readonly<Partial<Record<GroupBy, string>>>;
	/** Name in menus, such as "self share". */
	readonly title: string;
	readonly description: string;
	/** Terminal cells; 0: what the others leave. */
	readonly width: number;
	readonly align: 'left' | 'right';
	/** Terminal width, in columns, from which it is shown. */
	readonly fromColumns: number;
	/** It is not in text reports: a snapshot does not have it, or another column says the same in less space. */
	readonly screenOnly?: true;
	/** What it does not need of its room, all of it where it is empty, the column before it may use too. */
	readonly lendsRoom?: true;
	/** What keys sort by when they ask for one of these figures. */
	readonly sortFigures?: readonly SortFigure[];
	/** The cell's text; may be wider than the column, except where it is said to keep to `room`. */
	value(row: Row, context: CellContext): string;
	/** What a cell that is not empty is; undefined for plain text. */
	role?(row: Row): CellRole | undefined;
	/**
	What was counted of the rows of a window, of which a cell shows how much it was per second in the last minute;
	whoever draws the column looks back.
	*/
	past?(snapshot: Snapshot, since: Snapshot | undefined, query: Query): PastFigures;
};

/** The heading where shares are of `measure`, of rows that stand for lines unless said otherwise. */
export function headingOf<Row>(column: Column<Row>, measure: Measure, by: GroupBy = 'line'): string {
	return column.measureHeadings?.[measure] ?? column.groupHeadings?.[by] ?? column.heading;
}

/**
The columns that a terminal of that many columns shows, and their widths, when `available` cells are there for them with
`gap` between two. Without a column that takes the rest, the last one does.
*/
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

/** A column with the ticks of a state, or of some that are drawn alike; on screens alone, as files have them all. */
export function stateColumn<Row extends {readonly states: StateTicks}>({word, role, states}: StateLetter, {fromColumns, description}: Pick<Column<Row>, 'fromColumns' | 'description'>): Column<Row> {
	const ticksOf = (row: Row) => {
		let ticks = 0;
		for (const state of states) {
			ticks += row.states[stateCode[state]];
		}

		return ticks;
	};

	return {
		id: states[0].toLowerCase().replaceAll('_', '-'), heading: word, title: `${word} ticks`, width: 5, align: 'right', fromColumns, screenOnly: true,
		description: `${description} ${states.join(', ')}`,
		value: row => formatCount(ticksOf(row)),
		role: () => role,
		compare: (a, b) => byNumber(ticksOf(a), ticksOf(b)),
	};
}
