import type {Snapshot} from '../../model/snapshot.js';
import {effectiveUnit} from '../facts/scope.js';
import {sampledMs} from '../summary.js';
import type {Query, SortOrder} from '../types.js';
import {LookBack} from './look-back.js';
import type {Moment, Ring} from './ring.js';
import {
	stepsUpTo, trendOf, type Trend, type TrendStep,
} from './trend.js';

/** What must be known of a view: its rows, and the column that has something of them to look back at. */
type Row = {readonly key: string};
type View = {
	readonly columns: ReadonlyArray<{past?(row: Row, query: Query): number}>;
	readonly sort: SortOrder;
	query(snapshot: Snapshot, baseline: Snapshot | undefined, query: Query): {readonly rows: readonly Row[]};
};
type Past = NonNullable<View['columns'][number]['past']>;

/** Rows kept of one step: more than a screen shows. */
const maxRows = 300;

type Step = {readonly from: Moment | undefined; readonly figures: ReadonlyMap<string, number>};

/**
The last minute of rows, made of the ring's windows when it is asked for: by a column that came on the screen just now
as by one that was there all the time. A step that is over is looked at once.
*/
export class RowTrends {
	readonly #lookBack = new LookBack();
	#steps = new Map<Moment, Step>();
	#query: Query | undefined;
	#view: View | undefined;
	#asked: readonly unknown[] = [];
	#values: ReadonlyArray<ReadonlyMap<string, number> | undefined> = [];

	/** A row's trend in the minute up to a window of the ring; undefined for a view whose rows have none. */
	of(key: string, view: View, query: Query, ring: Ring, last: number): Trend | undefined {
		const past = view.columns.find(column => column.past)?.past;
		if (!past || last < 0) {
			return undefined;
		}

		const asked = [view, query, ring, last];
		if (asked.some((value, index) => value !== this.#asked[index])) {
			this.#asked = asked;
			this.#follow(view, query, ring, last, past);
		}

		return trendOf(this.#values.map(figures => figures && (figures.get(key) ?? 0)));
	}

	#follow(view: View, query: Query, ring: Ring, last: number, past: Past): void {
		const known = view === this.#view && this.#query && !isOtherFigure(this.#query, query) ? this.#steps : new Map<Moment, Step>();
		[this.#view, this.#query, this.#steps] = [view, query, new Map()];
		this.#values = stepsUpTo(ring, last).map(step => {
			if (!step) {
				return undefined;
			}

			const [from, to] = [step.from < 0 ? ring.base : ring.windows[step.from], ring.windows[step.to]];
			const before = known.get(to);
			const found = before && before.from === from ? before : {from, figures: this.#figures(view, query, ring, step, past)};
			this.#steps.set(to, found);
			return found.figures;
		});
	}

	#figures(view: View, query: Query, ring: Ring, {from, to}: TrendStep, past: Past): Map<string, number> {
		const baseline = this.#lookBack.at(ring, from);
		const snapshot = this.#lookBack.at(ring, to)!;
		const {rows} = view.query(snapshot, baseline, {
			...query, filter: '', sort: view.sort, atAGlance: undefined,
		});
		const ms = sampledMs(snapshot, baseline);
		return new Map(rows.slice(0, maxRows).map(row => [row.key, ms > 0 ? past(row, query) / ms : 0]));
	}
}

/** Whether what was found out for a query says nothing of another. */
function isOtherFigure(a: Query, b: Query): boolean {
	return a.by !== b.by || a.ownFirst !== b.ownFirst || effectiveUnit(a) !== effectiveUnit(b) || a.states !== b.states || a.threadKeys !== b.threadKeys;
}
