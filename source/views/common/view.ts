import type {Printable} from '../../util/printable.js';
import type {Snapshot} from '../../model/snapshot.js';
import type {Column} from '../../query/columns/column.js';
import type {Finding, GroupBy, Measure, Location, Query, SortOrder} from '../../query/types/query.js';
import type {LineDetail} from '../../query/detail.js';
import type {LineRow} from '../../query/counted-lines.js';
import type {Summary} from '../../query/summary/summary.js';

export type ViewRow = {
	/** Identifies the row throughout a session: the cursor follows it when rows move. */
	readonly key: string;
	/** Whether other rows are selected first, as this one is not of the program's code. */
	readonly isAside?: boolean;
};

/** What a view's query returns. */
export type ViewResult<Row extends ViewRow = ViewRow> = {
	/** Filtered and sorted. */
	readonly rows: readonly Row[];
	/** Number of rows, including those that the filter hides. */
	readonly allRows: number;
	/** Number of rows hidden because their threads wait for work. */
	readonly hiddenRows?: number;
	/** Sentences above the rows. */
	readonly caption?: Printable;
	/** A sentence on the program, shown among the findings. */
	readonly finding?: Printable;
	/** What the shares are parts of, if the query says something else. */
	readonly measure?: Measure;
	/** Why this snapshot cannot have rows. */
	readonly missing?: Printable;
	/** Only in Traces: patterns of methods that match none yet. */
	readonly pending?: readonly Printable[];
};

/** The detail that Enter on a row opens; empty lists are not shown. */
export type RowDetail = LineDetail & {
	/** The row's hot lines, if it is not a line itself. */
	readonly lines?: readonly LineRow[];
	/** Stacks shown first, with all their frames, the innermost first. */
	readonly fullStacks?: ReadonlyArray<{readonly title: Printable; readonly frames: readonly AnnotatedFrame[]}>;
};

/** A frame, and text before and after its name. */
export type AnnotatedFrame = Location & {readonly before?: Printable; readonly behind?: Printable};

/** A line above a row's detail; one that is too long is wrapped. */
type TitleLine = {readonly text: Printable; readonly role?: 'title' | 'error'};

/** A key that helps with a row, and what it does: in some words (`title`) and, if room is short, in one (`short`). */
export type Hint = {readonly key: string; readonly title: string; readonly short: string};

/** A key of one view; it changes the query, which all views share. */
export type ViewKey = {
	/** Names of the keys that do this, as in ui/state/keys. */
	readonly keys: readonly string[];
	/** The keys as the help writes them. */
	readonly label: string;
	readonly help: string;
	/** Programs in which the key does the same. */
	readonly knownFrom?: string;
	/** A click on the selected row does the same. */
	readonly isOnClick?: true;
	/** Returns a change of the query and a message. Selects the row with the key `select`, or else the first. */
	press(
		query: Query,
		at?: RowAt,
	): {readonly change: Partial<Query>; readonly message?: string; readonly select?: string};
};

/** The row on which a view's key was pressed, and its index in the view's rows. */
type RowAt = {readonly row: ViewRow; readonly index: number; readonly rows: readonly ViewRow[]};

export type CsvColumn<Row> = {readonly id: string; field(row: Row): string | number};

/** How a view's rows are written to CSV and JSON files; docs/formats.md describes these. */
type ViewFiles<Row> = {
	readonly csv: ReadonlyArray<CsvColumn<Row>>;
	/** Returns all rows of CSV, if these differ from the screen's. */
	csvRows?(snapshot: Snapshot, since: Snapshot | undefined, query: Query): readonly Row[];
	/** Returns at most `top` rows of the JSON list named by the view's id; absent if all JSON reports have it. */
	json?(snapshot: Snapshot, since: Snapshot | undefined, query: Query, top: number | undefined): Iterable<string>;
};

/** A view. Screen, help, docs, menus and sort orders are made from these entries. */
export type View<Row extends ViewRow = ViewRow> = {
	readonly id: string;
	readonly title: string;
	readonly columns: ReadonlyArray<Column<Row>>;
	/** The order at the start. */
	readonly sort: SortOrder;
	readonly keys: readonly ViewKey[];
	/** Hints for an empty table, if they differ from those of most views. */
	readonly emptyHints?: readonly Hint[];
	readonly files: ViewFiles<Row>;
	/** Only for the view of locks: its key asks the JVM for holders that samples do not show. */
	readonly asksForHolders?: true;
	/** Only for the view whose rows are boxes of an icicle: they are `FlameRow`s. */
	readonly isIcicle?: true;
	/** Only for the view that compares the window with the query's baseline. */
	readonly comparesWithBaseline?: true;
	/** What the view shows, a sentence or two for its help. */
	readonly about: string;
	/** Returns the three keys that help most with a row, the best first. */
	hints(row: Row, query: Query): readonly [Hint, Hint, Hint];
	/** Returns the rows of a window: from `since`, by default the session's start, to `snapshot`. */
	query(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<Row>;
	/** Whether a row matters little: it is noise, or a wait for work. */
	isDim(row: Row): boolean;
	/** Returns the number of threads that need attention, which is shown in the view's tab. */
	tabCount?(summary: Summary): number;
	/** Returns a remark on the query for the line of tabs; may be empty. */
	remark?(query: Query): Printable;
	/** Returns the change of the query that Esc makes before it clears filter and threads; undefined for none. */
	onEscape?(query: Query): Partial<Query> | undefined;
	/** Returns why there are no rows, if the view knows more than that none matches. */
	emptyText?(table: ViewResult<Row>, query: Query): Printable | undefined;
	/** Returns a row's detail; for a row that is gone, as far as its key allows. */
	detail(snapshot: Snapshot, since: Snapshot | undefined, query: Query, key: string, row: Row | undefined): RowDetail;
	/** Returns the lines at the top of a row's detail, for `width` cells; `tracer`: another tracer of the target. */
	titleLines(row: Row, width: number, tracer: Printable | undefined): ReadonlyArray<TitleLine | undefined>;
	/** Returns the location that a row represents or is at; undefined if unknown. */
	locationOf(row: Row): Location | undefined;
	/** Only for the view whose rows are threads, and that whose rows are locations: returns the key of such a row. */
	keyOfThread?(thread: number): string;
	keyOfLocation?(location: Location, by: GroupBy): string;
	/** Whether a finding is about a row. Absent if none is about rows of the view. */
	isAbout?(finding: Finding, row: Row): boolean;
	/** Only for the focus view: returns the changes of the query that focus on the method of a location. */
	focusOn?(location: Location): Partial<Query>;
	/** Returns the keys of a row's threads, and a label for them; by default those of its detail. */
	threadsOf?(row: Row): {readonly keys: readonly number[]; readonly label: Printable};
};
