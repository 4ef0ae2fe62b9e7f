import {sumOf} from '../../model/sum.js';
import type {Snapshot} from '../../model/snapshot.js';
import {stateCode} from '../../model/thread-state.js';
import type {GroupBy, Location, Measure, Query, Unit, StateTicks} from '../types/query.js';
import {locationName} from '../counters/location.js';
import {formatMs, formats, type Format} from './format.js';
import {shortName} from './names.js';
import type {Sortable, ValueOf} from './sort.js';
import {stateCells, type StateRole, type StateLetter} from './state-cells.js';

/** What a cell is, apart from its looks; `states`: letters of `stateCells`, each in the role of its state. */
export type CellRole = StateRole | 'states' | 'hot' | 'dim' | 'key' | 'error';

/** A figure that a key sorts by. Views may call its column differently. */
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

/** A column of a view as data: screen, column menu, help, readme, text reports, sorting and CSV are made from these. */
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
	file(row: Row): string | number;
	/** What a cell that is not empty is; undefined for plain text. */
	role?(row: Row): CellRole | undefined;
	/** What cells show per second of the last minute, of the rows of a window. */
	past?(snapshot: Snapshot, since: Snapshot | undefined, query: Query): PastFigures;
};

type Titles = 'heading' | 'title' | 'description' | 'width' | 'fromColumns';

/** What is said of a column beside its value; all that follows from the value can be said otherwise. */
type Settings<Row> = Pick<Column<Row>, Titles> & Partial<Omit<Column<Row>, Titles | 'id'>> & {
	/** Rows with the same value are sorted by these. */
	readonly thenBy?: ReadonlyArray<ValueOf<Row>>;
	/** It stands out from `hotPercent` on. */
	readonly isHot?: true;
	isBlank?(row: Row): boolean;
};

/** A column of figures, the highest first. */
export function figure<Row>(id: string, of: (row: Row) => number, format: Format, {thenBy = [], isHot, isBlank, ...settings}: Settings<NoInfer<Row>>): Column<Row> {
	return {
		id, align: 'right', sortBy: [of, ...thenBy],
		value: row => isBlank?.(row) ? '' : format.text(of(row)),
		file: row => format.file(of(row)),
		...(isHot ? {role: row => of(row) >= hotPercent ? 'hot' : undefined} : {}),
		...settings,
	};
}

/** A column of texts, in the order of the alphabet. */
export function text<Row>(id: string, of: (row: Row) => string, {thenBy = [], ...settings}: Settings<NoInfer<Row>>): Column<Row> {
	return {
		id, align: 'left', ascending: true, sortBy: [of, ...thenBy], value: of, file: of, ...settings,
	};
}

/** Headings of a share by what it is of. */
export const shareHeadings = {
	ticks: 'TICK%', blocked: 'BLK%', waiting: 'WAIT%', 'cpu-ms': 'CPUms',
} as const;

/** A share, or in the unit `cpu-ms` the CPU time that it is of. */
export function share<Row>(id: string, of: (row: Row) => number, cpuNsOf: (row: Row) => number, {thenBy = [], isBlank, ...settings}: Settings<NoInfer<Row>>): Column<Row> {
	return figure(id, of, formats.percent, {
		thenBy: [cpuNsOf, ...thenBy],
		value: (row, {unit}) => isBlank?.(row) ? '' : (unit === 'cpu-ms' ? formatMs(cpuNsOf(row)) : formats.percent.text(of(row))),
		...settings,
	});
}

/** A column with where rows are, or how they came there. */
export function place<Row>(id: string, of: (row: Row) => Location | undefined, settings: Settings<NoInfer<Row>>): Column<Row> {
	return text(id, row => nameOf(of(row)), {
		value(row, {room, fullNames}) {
			const location = of(row);
			return location ? shortName(location, room, fullNames) : '';
		},
		...settings,
	});
}

/** The whole name of a place; empty where there is none. */
export function nameOf(location: Location | undefined): string {
	return location ? locationName(location) : '';
}

/** The line of the program's own code by which rows came to be where they are. */
export function ownCodeColumn<Row extends {readonly own?: Location}>(fromColumns: number, description: string): Column<Row> {
	return place('own', row => row.own, {
		heading: 'OWN CODE', title: 'own code', width: 28, fromColumns, description,
	});
}

/** The source files of rows. */
export function fileColumn<Row extends Location>(fromColumns: number): Column<Row> {
	return text('file', row => row.file, {
		heading: 'FILE', title: 'file', width: 24, fromColumns, description: 'source file', role: () => 'dim',
	});
}

/** The threads that a row has most of its CPU time of. */
export function topThreadsColumn<Row extends {readonly topThreads: readonly string[]}>(width: number, where: string): Column<Row> {
	return text('top-threads', row => row.topThreads.join(', '), {
		heading: 'TOP THREADS', title: 'top threads', width, fromColumns: 150, description: `threads with the most CPU time, then ticks, ${where}`,
		sortBy: [row => row.topThreads[0] ?? ''], file: row => row.topThreads.join('; '), role: () => 'dim',
	});
}

/** A picture of the states of a row's threads; rows are sorted as `sortBy` says. */
export function statesColumn<Row extends {readonly states: StateTicks}>(id: string, settings: Pick<Settings<Row>, 'title' | 'fromColumns' | 'description' | 'sortBy'> & {readonly heading?: string}): Column<Row> {
	return text(id, row => stateCells(row.states), {
		heading: 'STATE', width: 8, ascending: false, value: (row, {room}) => stateCells(row.states, Math.min(room, 8)), role: () => 'states', ...settings,
		description: settings.description.replace('in proportion', 'in proportion: R running, B blocked, w waiting, t timed waiting, . idle'),
	});
}

/** A column with the ticks of a state, or of some that are drawn alike; on screens alone, as files have them all. */
export function stateColumn<Row extends {readonly states: StateTicks}>({word, role, states}: StateLetter, {fromColumns, description}: Pick<Column<Row>, 'fromColumns' | 'description'>): Column<Row> {
	return figure(states[0].toLowerCase().replaceAll('_', '-'), (row: Row) => sumOf(states, state => row.states[stateCode[state]]), formats.count, {
		heading: word, title: `${word} ticks`, width: 5, fromColumns, screenOnly: true, description: `${description} ${states.join(', ')}`, role: () => role,
	});
}

/** What stands before the name of a row in a tree; half of the room is the name's, however deep the row is. */
export function treeMark(depth: number, {hasChildren, isOpen}: {readonly hasChildren: boolean; readonly isOpen?: boolean}, room: number): string {
	return `${' '.repeat(Math.min(depth, Math.floor(room / 2)))}${hasChildren ? (isOpen ? '-' : '+') : ' '} `;
}

/** Rows by their places: by class, method, line. */
export const byPlace: ReadonlyArray<ValueOf<Location>> = [row => row.className, row => row.method, row => row.line, row => locationName(row)];

/** The heading where shares are of `measure`, of rows that stand for lines unless said otherwise. */
export function headingOf<Row>(column: Column<Row>, measure: Measure, by: GroupBy = 'line'): string {
	return column.measureHeadings?.[measure] ?? column.groupHeadings?.[by] ?? column.heading;
}

/** The columns shown in a terminal of this width; the one of width 0, or the last, takes the remaining cells. */
export function fitColumns<Row>(columns: ReadonlyArray<Column<Row>>, terminalColumns: number, available = terminalColumns, gap = 1): Array<{readonly column: Column<Row>; readonly width: number}> {
	const shown = columns.filter(({fromColumns}) => terminalColumns >= fromColumns);
	const rest = available - (gap * (shown.length - 1)) - sumOf(shown, ({width}) => width);
	const flexible = Math.max(shown.findIndex(({width}) => width === 0), -1);
	const taker = flexible < 0 ? shown.length - 1 : flexible;
	return shown.map((column, index) => ({column, width: index === taker ? Math.max(1, column.width + rest) : column.width}));
}
