import type {Snapshot} from '../../model/snapshot.js';
import type {Column} from '../../query/columns/column.js';
import type {GroupBy, Measure, Location, Query, SortOrder} from '../../query/types/query.js';
import type {LineDetail} from '../../query/detail.js';
import type {LineRow} from '../../query/counted-lines.js';
import type {Summary} from '../../query/summary/summary.js';

export type ViewRow = {
	/** Its identity in a session: the cursor follows it when rows move. */
	readonly key: string;
};

/**
Filtered and sorted rows; `allRows` counts hidden ones too, `idleRows` those hidden as idle. `awaited`: patterns without
rows yet; `above`: text over the rows; `finding`: one of the program; `measure`: what shares are of, if not the query's.
*/
export type ViewTable<Row extends ViewRow = ViewRow> = {readonly rows: readonly Row[]; readonly allRows: number; readonly idleRows?: number; readonly awaited?: readonly string[]; readonly above?: string; readonly finding?: string; readonly measure?: Measure};

/** What Enter on a row shows; an empty list is not shown. */
export type RowDetail = LineDetail & {
	/** Its hot lines, for a row that is not a line itself. */
	readonly lines?: readonly LineRow[];
	/** Stacks that are shown before all else, frame by frame, innermost first. */
	readonly wholeStacks?: ReadonlyArray<{readonly title: string; readonly frames: readonly WholeFrame[]}>;
};

/** A frame of a whole stack; what stands before and behind its name, if anything does. */
export type WholeFrame = Location & {readonly before?: string; readonly behind?: string};

/** A line above a row's detail. What is too long is cut, or goes on below where it is wrapped. */
export type TitleLine = {readonly text: string; readonly role?: 'title' | 'error'; readonly isWrapped?: true};

/** A key that helps with a row, by the key decoder's name, and what with: some words, and one where there is no room. */
export type Hint = {readonly key: string; readonly title: string; readonly short: string};

/** A key that means something in one view alone: it changes the query of all. */
export type ViewKey = {
	/** Names as the key decoder gives them. */
	readonly keys: readonly string[];
	/** The keys as people write them. */
	readonly label: string;
	readonly help: string;
	/** Tools that have the same key. */
	readonly knownFrom?: string;
	/**
	What changes in the query, and a message. The cursor goes to the row with the key `select`, or to the top. `at`: where
	it is, and all rows.
	*/
	press(query: Query, at?: RowAt): {readonly change: Partial<Query>; readonly message?: string; readonly select?: string};
};

/** Where a view's own key was pressed; `index` is the row's among all. */
type RowAt = {readonly row: ViewRow; readonly index: number; readonly rows: readonly ViewRow[]};

/** A column of a view's rows in a CSV file. */
export type CsvColumn<Row> = {readonly id: string; cell(row: Row): string | number};

/** How a view's rows stand in files that programs read; docs/formats.md has the words. */
type ViewFiles<Row> = {
	readonly csv: ReadonlyArray<CsvColumn<Row>>;
	/** All rows of CSV, where these are others than the screen's. */
	csvRows?(snapshot: Snapshot, since: Snapshot | undefined, query: Query): readonly Row[];
	/** The rows of the JSON list named by the view's id, at most `top`; undefined: every document has that list. */
	json?(snapshot: Snapshot, since: Snapshot | undefined, query: Query, top: number | undefined): Iterable<string>;
};

/** A view behind Tab. Screen, help, docs, menus and orders are made from these records. */
export type View<Row extends ViewRow = ViewRow> = {
	readonly id: string;
	readonly title: string;
	/** In their order; the first is what rows are sorted by when nothing else is asked for. */
	readonly columns: ReadonlyArray<Column<Row>>;
	readonly sort: SortOrder;
	readonly keys: readonly ViewKey[];
	/** The keys that help where there are no rows, where these are others than in most views. */
	readonly emptyHints?: readonly Hint[];
	readonly files: ViewFiles<Row>;
	/** Only of the view that shows who holds locks: there the JVM can be asked for those that samples do not tell. */
	readonly showsHolders?: true;
	/** Only of the view that compares the window with the query's mark. */
	readonly comparesWithBaseline?: true;
	/** What the view shows, a sentence or two for its help. */
	readonly about: string;
	/** The three keys that help most with a row, the best first. */
	hints(row: Row, query: Query): readonly [Hint, Hint, Hint];
	query(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewTable<Row>;
	isDim(row: Row): boolean;
	/** How many threads give reason to look at the view; it stands beside its tab. */
	alarms?(summary: Summary): number;
	/** What to say about the query beside the view's name; empty, or left out, for nothing. */
	remark?(query: Query): string;
	/** Why there are no rows, if the view knows more than that none matches. */
	emptyText?(table: ViewTable<Row>, query: Query): string | undefined;
	/** What is known of a row; also of one that is gone, as far as its key tells. */
	detail(snapshot: Snapshot, since: Snapshot | undefined, query: Query, key: string, row: Row | undefined): RowDetail;
	/** What stands above a row's detail, on lines of `width` cells; `tracer` is another tracer of the target. */
	titleLines(row: Row, width: number, tracer: string | undefined): readonly TitleLine[];
	/** The place that a row stands for, or is at; undefined where that is not known. */
	locationOf(row: Row): Location | undefined;
	/** Only of the view whose rows are threads, and of that whose rows are places: the key of such a row. */
	keyOfThread?(thread: number): string;
	keyOfLocation?(location: Location, by: GroupBy): string;
	/** Only of the view that looks into a single method: what of the query has it look into that of a place. */
	lookInto?(location: Location): Partial<Query>;
	/** Keys of a row's threads, and what to call them; those of its detail when left out. */
	threadsOf?(row: Row): {readonly keys: readonly number[]; readonly label: string};
};
