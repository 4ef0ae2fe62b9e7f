import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {sumOf} from '../../util/sum.js';
import type {CellRole} from '../../model/role.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import type {GroupBy, Location, Measure, Query, StateTicks} from '../types/query.js';
import {locationName} from '../counters/location.js';
import {percentIn} from '../counters/share.js';
import {formatMs, formatPercent, formats, type Format} from './format.js';
import {shortName} from './names.js';
import type {Sortable, ValueOf} from './sort.js';
import {stateCells, type StateLetter} from './state-cells.js';

/** A key that sorts, named after its figure; each view decides which of its columns has that figure. */
export type SortKey = 'self' | 'total' | 'name';

/** Percentage, of a core or of a whole, from which a figure is highlighted. */
export const hotPercent = 10;

export type CellContext = {
	readonly measure: Measure;
	/** Milliseconds of sampling that percentages of a core relate to. */
	readonly overMs: number;
	readonly fullNames: boolean;
	/** Width of the column, cells. */
	readonly room: number;
	/** Returns a sparkline of a row's last minute, `room` cells wide. */
	readonly trend?: (key: string, room: number) => Printable;
};

/** Returns the figure of the row with a key, in the query's unit; 0 if the row did not exist. */
export type PastFigures = (key: string, query: Query) => number;

/** A column of a view as data, for screen, column menu, help, docs/reference.md, text reports, sorting and CSV. */
export type Column<Row> = Sortable<Row> & {
	readonly heading: string;
	readonly measureHeadings?: Readonly<Partial<Record<Measure, string>>>;
	readonly groupHeadings?: Readonly<Partial<Record<GroupBy, string>>>;
	/** Name in menus, such as "self share". */
	readonly title: string;
	readonly description: string;
	/** Terminal cells; 0: the cells that other columns leave. */
	readonly width: number;
	readonly align: 'left' | 'right';
	/** Minimum terminal width, in cells, at which it is shown. */
	readonly fromColumns: number;
	/** Whether it has figures: on the screen the cell of a zero is blank. */
	readonly isFigure?: true;
	/** Not in text reports: a snapshot lacks it, or another column says the same in less space. */
	readonly screenOnly?: true;
	/** The preceding column may use the cells that this one's text leaves free. */
	readonly yieldsUnusedWidth?: true;
	/** The keys that sort by this column. */
	readonly sortKeys?: readonly SortKey[];
	/** Returns the cell's text, which may be wider than the column. */
	value(row: Row, context: CellContext): Printable;
	/** Returns the value in CSV files. */
	exportValue(row: Row): string | number;
	role?(row: Row, context: CellContext): CellRole | undefined;
	/** Returns the figures of a window's rows; `trend` shows them over the last minute. */
	past?(snapshot: Snapshot, since: Snapshot | undefined, query: Query): PastFigures;
};

type Titles = 'heading' | 'title' | 'description' | 'width' | 'fromColumns';

/** The settings of a column besides its value; they override those derived from the value. */
type Settings<Row> = Pick<Column<Row>, Titles> & Partial<Omit<Column<Row>, Titles | 'id'>> & {
	readonly thenBy?: ReadonlyArray<ValueOf<Row>>;
	readonly isHot?: true;
	isBlank?(row: Row): boolean;
};

/** Returns a column of figures, sorted with the highest first. */
export function figureColumn<Row>(
	id: string,
	of: (row: Row) => number,
	format: Format,
	{thenBy = [], isHot, isBlank, ...settings}: Settings<NoInfer<Row>>,
): Column<Row> {
	return {
		id, align: 'right', isFigure: true, sortBy: [of, ...thenBy],
		value: row => isBlank?.(row) ? safe`` : format.text(of(row)),
		exportValue: row => format.file(of(row)),
		...(isHot ? {role: row => of(row) >= hotPercent ? 'hot' : undefined} : {}),
		...settings,
	};
}

/** Returns a column of texts, sorted alphabetically. */
export function textColumn<Row>(
	id: string,
	of: (row: Row) => Printable,
	{thenBy = [], ...settings}: Settings<NoInfer<Row>>,
): Column<Row> {
	return {id, align: 'left', ascending: true, sortBy: [of, ...thenBy], value: of, exportValue: of, ...settings};
}

const cpuHeadings = {cpu: 'SHARE', 'cpu-ms': 'CPUms'} as const;

export const shareHeadings = {...cpuHeadings, ticks: 'TICK%', blocked: 'BLK%', waiting: 'WAIT%'} as const;

/** Returns a column of CPU time as a share or, on the screen and in text, in the query's unit. */
export function shareColumn<Row>(
	id: string,
	of: (row: Row) => number,
	cpuNsOf: (row: Row) => number,
	{thenBy = [], isBlank, isHot, ...settings}: Settings<NoInfer<Row>>,
): Column<Row> {
	const percent = (row: Row, {measure, overMs}: CellContext) => (
		percentIn(measure, {percent: of(row), cpuNs: cpuNsOf(row)}, overMs)
	);
	const text = (row: Row, context: CellContext) => (
		context.measure === 'cpu-ms' ? formatMs(cpuNsOf(row)) : formatPercent(percent(row, context))
	);
	return figureColumn(id, of, formats.percent, {
		thenBy: [cpuNsOf, ...thenBy],
		value: (row, context) => isBlank?.(row) ? safe`` : text(row, context),
		...(isHot ? {role: (row, context) => percent(row, context) >= hotPercent ? 'hot' : undefined} : {}),
		...settings,
	});
}

/** Returns a column of CPU time, as `shareColumn`, that has CPU time too while other columns have shares of ticks. */
export function cpuColumn<Row>(
	id: string,
	of: (row: Row) => number,
	cpuNsOf: (row: Row) => number,
	settings: Settings<NoInfer<Row>>,
): Column<Row> {
	const {value, role, ...column} = shareColumn(id, of, cpuNsOf, {measureHeadings: cpuHeadings, ...settings});
	const ofCpu = (context: CellContext): CellContext => {
		const isOfCpu = context.measure === 'cpu' || context.measure === 'cpu-ms';
		return isOfCpu ? context : {...context, measure: context.overMs > 0 ? 'core' : 'cpu'};
	};

	return {
		...column,
		value: (row, context) => value(row, ofCpu(context)),
		...(role ? {role: (row, context) => role(row, ofCpu(context))} : {}),
	};
}

export function locationColumn<Row>(
	id: string,
	of: (row: Row) => Location | undefined,
	settings: Settings<NoInfer<Row>>,
): Column<Row> {
	return textColumn(id, row => locationNameOrEmpty(of(row)), {
		value(row, {room, fullNames}) {
			const location = of(row);
			return location ? shortName(location, room, fullNames) : safe``;
		},
		...settings,
	});
}

/** Returns the full name of a location; empty without one. */
export function locationNameOrEmpty(location: Location | undefined): Printable {
	return location ? locationName(location) : safe``;
}

/** Returns a column of the lines of the program's own code that led to the rows' locations. */
export function ownCodeColumn<Row extends {readonly own?: Location}>(
	fromColumns: number,
	description: string,
): Column<Row> {
	return locationColumn('own', row => row.own, {
		heading: 'OWN CODE', title: 'own code', width: 28, fromColumns, description,
	});
}

export function fileColumn<Row extends Location>(fromColumns: number): Column<Row> {
	return textColumn('file', row => row.file, {
		heading: 'FILE', title: 'file', width: 24, fromColumns, description: 'source file', role: () => 'dim',
	});
}

/** Returns a column of the threads with the most CPU time in a row. */
export function topThreadsColumn<Row extends {readonly topThreads: readonly Printable[]}>(
	width: number,
	where: string,
): Column<Row> {
	return textColumn('top-threads', row => joined(row.topThreads, safe`, `), {
		heading: 'TOP THREADS',
		title: 'top threads',
		width,
		fromColumns: 150,
		description: `threads with the most CPU time, then ticks, ${where}`,
		sortBy: [row => row.topThreads[0] ?? ''],
		exportValue: row => row.topThreads.join('; '),
		role: () => 'dim',
	});
}

/**
Returns a column of the states of a row's threads, as letters in proportion. Where the description says "in proportion",
the meanings of the letters are added.
*/
export function statesColumn<Row extends {readonly states: StateTicks}>(
	id: string,
	settings: Pick<Settings<Row>, 'title' | 'fromColumns' | 'description' | 'sortBy'> & {readonly heading?: string},
): Column<Row> {
	return textColumn(id, row => stateCells(row.states), {
		heading: 'STATE',
		width: 8,
		ascending: false,
		value: (row, {room}) => stateCells(row.states, Math.min(room, 8)),
		role: () => 'states',
		...settings,
		description: settings.description.replace(
			'in proportion',
			'in proportion: R running, B blocked, w waiting, t timed waiting, . idle',
		),
	});
}

/** Returns a column of the ticks of states with one letter; only for the screen, as files have all states. */
export function stateColumn<Row extends {readonly states: StateTicks}>(
	{word, role, states}: StateLetter,
	{fromColumns, description}: Pick<Column<Row>, 'fromColumns' | 'description'>,
): Column<Row> {
	return figureColumn(
		states[0].toLowerCase().replaceAll('_', '-'),
		(row: Row) => sumOf(states, state => row.states[stateCode[state]]),
		formats.count,
		{
			heading: word,
			title: `${word} ticks`,
			width: 5,
			fromColumns,
			screenOnly: true,
			description: `${description} ${states.join(', ')}`,
			role: () => role,
		},
	);
}

/** Returns the indentation and open or closed mark of a tree's row; at least half of the room is left for the name. */
export function treeMark(
	depth: number,
	{hasChildren, isOpen}: {readonly hasChildren: boolean; readonly isOpen?: boolean},
	room: number,
): Printable {
	return safe`${safe` `.repeat(Math.min(depth, Math.floor(room / 2)))}${hasChildren ? (isOpen ? '-' : '+') : ' '} `;
}

export const byLocation: ReadonlyArray<ValueOf<Location>> = [
	row => row.className,
	row => row.method,
	row => row.line,
	row => locationName(row),
];

/** Whether a column takes the cells that the others leave. */
export function isFlexible({width}: Pick<Column<never>, 'width'>): boolean {
	return width === 0;
}

/** Returns a column's heading for shares of `measure` and rows grouped by `by`. */
export function headingOf<Row>(column: Column<Row>, measure: Measure, by: GroupBy = 'line'): Printable {
	return printable(column.measureHeadings?.[measure] ?? column.groupHeadings?.[by] ?? column.heading);
}

/** Returns the columns shown in a terminal of this width; that of width 0, else the last, takes the remaining cells. */
export function fitColumns<Row>(
	columns: ReadonlyArray<Column<Row>>,
	terminalColumns: number,
	available = terminalColumns,
): Array<{readonly column: Column<Row>; readonly width: number}> {
	const shown = columns.filter(({fromColumns}) => terminalColumns >= fromColumns);
	const rest = available - (shown.length - 1) - sumOf(shown, ({width}) => width);
	const flexible = shown.findIndex(column => isFlexible(column));
	const stretched = flexible === -1 ? shown.length - 1 : flexible;
	return shown.map((column, index) => ({
		column,
		width: index === stretched ? Math.max(1, column.width + rest) : column.width,
	}));
}
