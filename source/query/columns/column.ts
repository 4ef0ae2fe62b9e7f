import {joined, printable, safe, type Printable} from '../../util/printable.js';
import {cellWidth, elideEnd} from '../../util/cell-width.js';
import {sumOf} from '../../util/sum.js';
import type {CellRole} from '../../model/role.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import type {GroupBy, Location, Measure, Query, StateTicks} from '../types/query.js';
import {locationName} from '../counters/location.js';
import {percentIn} from '../counters/share.js';
import {bar, formatMs, formatPercent, formats, type Format} from './format.js';
import {shortName} from './names.js';
import type {Sortable, ValueOf} from './sort.js';
import {stateCells, type StateLetter} from './state-cells.js';

/** A key that sorts, named after its figure; each view decides which of its columns has that figure. */
export type SortKey = 'self' | 'total' | 'name';

/** Percentage, of a core or of a whole, from which a figure is highlighted. */
const hotPercent = 25;

/** The figure of a full bar, unless a row has more: one core, or the whole. */
const fullBarPercent = 100;

/** Matches a figure that is or rounds to zero. */
export const zero = /^0(?:\.0+)?$/;

export type CellContext = {
	readonly measure: Measure;
	/** Milliseconds of sampling that percentages of a core relate to. */
	readonly overMs: number;
	/** The figure of a full bar, percent; 100 by default. */
	readonly fullBar?: number;
	readonly fullNames: boolean;
	/** Width of the column, cells. */
	readonly room: number;
	/** Whether there are no colours, so that `~` marks figures within their error instead. */
	readonly isWithoutColor?: boolean;
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
	/** The same of a text report, which has no bars and trends, if it differs. */
	readonly textFromColumns?: number;
	/** Whether it has figures: on the screen the cell of a zero is blank. */
	readonly isFigure?: true;
	/** Not in text reports: a snapshot lacks it, or another column says the same in less space. */
	readonly screenOnly?: true;
	/** Also in text reports it is left out if `isWithoutValues`: most sessions have no such values. */
	readonly onlyWithValues?: true;
	/** The preceding column may use the cells that this one's text leaves free. */
	readonly yieldsUnusedWidth?: true;
	/** Part of the cells left for names that it gets, if that is more than its width. */
	readonly namePart?: number;
	/** The keys that sort by this column. */
	readonly sortKeys?: readonly SortKey[];
	/** Returns the cell's text, which may be wider than the column. */
	value(row: Row, context: CellContext): Printable;
	/** Returns the value in CSV files. */
	exportValue(row: Row): string | number;
	role?(row: Row, context: CellContext): CellRole | undefined;
	/** Only for bars: returns the figure that the bar shows, percent. */
	barOf?(row: Row, context: CellContext): number;
	/** Whether all cells are blank, so that the column is left out unless the user chose it. */
	isWithoutValues?(rows: readonly Row[], query: Query): boolean;
	/** Returns the figures of a window's rows; `trend` shows them over the last minute. */
	past?(snapshot: Snapshot, since: Snapshot | undefined, query: Query): PastFigures;
};

type Titles = 'heading' | 'title' | 'description' | 'width' | 'fromColumns';

/** The settings of a column besides its value; they override those derived from the value. */
type Settings<Row> = Pick<Column<Row>, Titles> & Partial<Omit<Column<Row>, Titles | 'id'>> & {
	readonly thenBy?: ReadonlyArray<ValueOf<Row>>;
	readonly isHot?: true;
	isBlank?(row: Row): boolean;
	/** Whether the figure is within its error. */
	isUncertain?(row: Row): boolean;
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

export const shareHeadings = {
	...cpuHeadings, ticks: 'TICK%', blocked: 'BLK%', waiting: 'WAIT%', alloc: 'BYTE%', exceptions: 'EXC%',
	starts: 'STRT%',
} as const satisfies Column<unknown>['measureHeadings'];

/** Returns a column of CPU time as a share or, on the screen and in text, in the query's unit. */
export function shareColumn<Row>(
	id: string,
	of: (row: Row) => number,
	cpuNsOf: (row: Row) => number,
	{thenBy = [], isBlank, isHot, isUncertain, ...settings}: Settings<NoInfer<Row>>,
): Column<Row> {
	const percent = (row: Row, {measure, overMs}: CellContext) => (
		percentIn(measure, {percent: of(row), cpuNs: cpuNsOf(row)}, overMs)
	);
	const text = (row: Row, context: CellContext) => (
		context.measure === 'cpu-ms' ? formatMs(cpuNsOf(row)) : formatPercent(percent(row, context))
	);
	const marked = (row: Row, context: CellContext) => {
		const figure = text(row, context);
		return context.isWithoutColor && isUncertain?.(row) && !zero.test(figure) ? safe`~${figure}` : figure;
	};

	return figureColumn(id, of, formats.percent, {
		thenBy: [cpuNsOf, ...thenBy],
		value: (row, context) => isBlank?.(row) ? safe`` : marked(row, context),
		...(isHot
			? {role: (row, context) => cpuRole({percent: of(row), cpuNs: cpuNsOf(row)}, context)}
			: {}),
		...settings,
	});
}

/** Returns the role of CPU time by its magnitude, in every unit that of a core; shares of ticks have none. */
function cpuRole(
	figure: {readonly percent: number; readonly cpuNs: number},
	{measure, overMs}: Pick<CellContext, 'measure' | 'overMs'>,
): CellRole | undefined {
	const isOfCpu = measure === 'core' || measure === 'cpu' || measure === 'cpu-ms';
	return isOfCpu && percentIn(overMs > 0 ? 'core' : 'cpu', figure, overMs) >= hotPercent ? 'hot' : undefined;
}

/** Returns a column of bars for the figures of a `shareColumn`, as long as these are high. */
export function barColumn<Row>(
	id: string,
	of: (row: Row) => number,
	cpuNsOf: (row: Row) => number,
	settings: Settings<NoInfer<Row>>,
): Column<Row> {
	const barOf = (row: Row, {measure, overMs}: CellContext) => {
		const unit = measure === 'cpu-ms' && overMs > 0 ? 'core' : measure;
		return percentIn(unit, {percent: of(row), cpuNs: cpuNsOf(row)}, overMs);
	};

	return {
		id,
		align: 'left',
		screenOnly: true,
		sortBy: [of, cpuNsOf],
		exportValue: of,
		barOf,
		value: (row, context) => bar(barOf(row, context) / (context.fullBar ?? fullBarPercent), context.room),
		role: (row, context) => cpuRole({percent: of(row), cpuNs: cpuNsOf(row)}, context) ?? 'key',
		...settings,
	};
}

/** Returns the figure of a full bar: 100 percent, or that of the row with most. */
export function fullBarOf<Row>(
	columns: ReadonlyArray<Pick<Column<Row>, 'barOf'>>,
	rows: readonly Row[],
	context: Omit<CellContext, 'room'>,
): number {
	const barOf = columns.find(column => column.barOf)?.barOf;
	const withRoom = {...context, room: 0};
	let most = fullBarPercent;
	for (const row of barOf ? rows : []) {
		most = Math.max(most, barOf!(row, withRoom));
	}

	return most;
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

type OwnCodeSettings = Pick<Column<never>, 'width' | 'fromColumns' | 'description' | 'yieldsUnusedWidth' | 'namePart'>;

/** Returns a column of the program's lines that led to the rows' locations: `Dao.find:88 +2`. */
export function ownCodeColumn<Row extends {readonly own?: Location; readonly otherOwn?: number}>(
	settings: OwnCodeSettings,
): Column<Row> {
	return locationColumn('own', row => row.own, {
		heading: 'YOUR CODE',
		title: 'your code',
		value({own, otherOwn = 0}, {room, fullNames}) {
			const others = otherOwn > 0 ? safe` +${otherOwn}` : safe``;
			return own ? safe`${shortName(own, Math.max(1, room - others.length), fullNames)}${others}` : safe``;
		},
		...settings,
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
	fromColumns = 150,
): Column<Row> {
	return textColumn('top-threads', row => joined(row.topThreads, safe`, `), {
		heading: 'TOP THREADS',
		title: 'top threads',
		width,
		fromColumns,
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
export function stateColumn<Row extends {readonly states: StateTicks; readonly stateMask?: number}>(
	{word, role, states}: StateLetter,
	{fromColumns, description}: Pick<Column<Row>, 'fromColumns' | 'description'>,
): Column<Row> {
	const of = (row: Row) => sumOf(states, state => row.states[stateCode[state]]);
	const mask = sumOf(states, state => 1 << stateCode[state]);
	return figureColumn(
		states[0].toLowerCase().replaceAll('_', '-'),
		of,
		formats.count,
		{
			heading: word,
			title: `${word} ticks`,
			width: 5,
			fromColumns,
			screenOnly: true,
			description: `${description} ${states.join(', ')}; left out if it would be blank`,
			role: () => role,
			isWithoutValues: rows =>
				!rows.some(row => row.stateMask === undefined ? of(row) > 0 : (row.stateMask & mask) !== 0),
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

/** Columns with their widths, in cells. */
export type FittedColumns<Row> = ReadonlyArray<{readonly column: Column<Row>; readonly width: number}>;

/** Returns the columns shown in a terminal of this width; that of width 0, else the last, takes the remaining cells. */
export function fitColumns<Row>(
	columns: ReadonlyArray<Column<Row>>,
	terminalColumns: number,
	available = terminalColumns,
): FittedColumns<Row> {
	const shown = columns.filter(({fromColumns}) => terminalColumns >= fromColumns);
	const rest = available - (shown.length - 1) - sumOf(shown, ({width}) => width);
	const widths = shown.map(({width, namePart = 0}) => Math.max(width, Math.floor(namePart * (rest + width))));
	const flexible = shown.findIndex(column => isFlexible(column));
	const stretched = flexible === -1 ? shown.length - 1 : flexible;
	const left = available - (shown.length - 1) - sumOf(widths, width => width);
	return shown.map((column, index) => ({
		column,
		width: index === stretched ? Math.max(1, widths[index] + left) : widths[index],
	}));
}

/** The text of a cell, and the cells that it is padded to; the next cell follows after a gap of one. */
type FittedCell<Row> = {readonly column: Column<Row>; readonly text: Printable; readonly width: number};

/**
Returns the cells of a row. `textOf` returns a column's text for at most `room` cells; a longer one is elided. What
columns yield goes to the text before them, if that would be elided without or `isWidest`; they then begin later.
*/
export function fittedCells<Row>(
	fitted: FittedColumns<Row>,
	textOf: (column: Column<Row>, room: number) => Printable,
	isWidest = false,
): ReadonlyArray<FittedCell<Row>> {
	const cells: Array<FittedCell<Row>> = [];
	for (let first = 0, end = 1; first < fitted.length; first = end, end++) {
		while (end < fitted.length && fitted[end].column.yieldsUnusedWidth) {
			end++;
		}

		cells.push(...cellsWithYielding(fitted.slice(first, end), textOf, isWidest));
	}

	return cells;
}

/** Returns the cells of a column and of those after it that yield what they do not use. */
function cellsWithYielding<Row>(
	fitted: FittedColumns<Row>,
	textOf: (column: Column<Row>, room: number) => Printable,
	isWidest: boolean,
): ReadonlyArray<FittedCell<Row>> {
	if (fitted.length === 1) {
		const [{column, width}] = fitted;
		return [{column, width, text: elideEnd(textOf(column, width), width)}];
	}

	const end = sumOf(fitted, ({width}) => width + 1) - 1;
	/** From the last to the first; blank ones but the first are left out. */
	const texts: Array<{readonly column: Column<Row>; readonly text: Printable; readonly usualEnd: number}> = [];
	let [usualEnd, unused] = [end, 0];
	for (const [index, {column, width}] of fitted.toReversed().entries()) {
		const room = width + unused;
		// Columns without headings need not begin at the same cell in all rows.
		const isFree = isWidest || texts.length === 0 || texts[0].column.heading === '';
		const text = elideEnd(preferredText(column, isFree ? room : width, room, textOf), room);
		const isLeftOut = text === '' && index < fitted.length - 1;
		if (!isLeftOut) {
			texts.unshift({column, text, usualEnd});
		}

		unused = room - cellWidth(text) + (isLeftOut ? 1 : 0);
		usualEnd -= width + 1;
	}

	let start = 0;
	return texts.map(({column, text, usualEnd}, index) => {
		const cellEnd = index === texts.length - 1 ? end : Math.max(usualEnd, start + cellWidth(text));
		const cell = {column, text, width: cellEnd - start};
		start = cellEnd + 1;
		return cell;
	});
}

/** Returns the text for the column's own width or, if it is elided there, for all of its room. */
function preferredText<Row>(
	column: Column<Row>,
	width: number,
	room: number,
	textOf: (column: Column<Row>, room: number) => Printable,
): Printable {
	const text = textOf(column, width);
	return width < room && (text.includes('…') || cellWidth(text) > width) ? textOf(column, room) : text;
}
