import {sampledMs} from '../counters/share.js';
import type {Column, PastFigures} from '../columns/column.js';
import type {Query} from '../types/query.js';
import {LookBack, windowOrBase} from './look-back.js';
import type {Ring, RingWindow} from './past-ring.js';
import {stepsUpTo, trendOf, type WindowRange, type Trend} from './steps.js';

type View = {readonly columns: ReadonlyArray<Pick<Column<never>, 'past'>>};
type Past = NonNullable<View['columns'][number]['past']>;

type Step = {readonly from: RingWindow | undefined; readonly ms: number; readonly figures: PastFigures};

/** Makes trends of rows over the last minute from the ring. Keeps the figures of completed steps. */
export class RowTrends {
	readonly #lookBack = new LookBack();
	#steps = new Map<RingWindow, Step>();
	#query: Query | undefined;
	#view: View | undefined;
	#asked: readonly unknown[] = [];
	#shown: ReadonlyArray<Step | undefined> = [];

	/** Returns a row's trend in the minute up to window `last`, of its ticks if it used no CPU; undefined if none. */
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

		const trend = this.#trend(key, query);
		return trend?.some(value => value > 0) ? trend : this.#trend(key, {...query, unit: 'ticks'});
	}

	#trend(key: string, query: Query): Trend | undefined {
		return trendOf(this.#shown.map(step => step && (step.ms > 0 ? step.figures(key, query) / step.ms : 0)));
	}

	#follow(view: View, query: Query, ring: Ring, last: number, past: Past): void {
		const known = view === this.#view && this.#query && !isOtherFigure(this.#query, query)
			? this.#steps
			: new Map<RingWindow, Step>();
		[this.#view, this.#query, this.#steps] = [view, query, new Map()];
		this.#shown = stepsUpTo(ring, last).map(step => {
			if (!step) {
				return undefined;
			}

			const [from, to] = [windowOrBase(ring, step.from), ring.windows[step.to]];
			const before = known.get(to);
			const found = before && before.from === from ? before : {from, ...this.#figures(query, ring, step, past)};
			this.#steps.set(to, found);
			return found;
		});
	}

	#figures(query: Query, ring: Ring, {from, to}: WindowRange, past: Past): Omit<Step, 'from'> {
		const since = this.#lookBack.at(ring, from)?.snapshot;
		// The newest step changes at each refresh.
		const snapshot = to === ring.windows.length - 1 ? ring.newest! : this.#lookBack.at(ring, to)!.snapshot;
		return {ms: sampledMs(snapshot, since), figures: past(snapshot, since, query)};
	}
}

/** Whether the figures of one query are wrong for the other. The filter and the unit do not change them. */
function isOtherFigure(a: Query, b: Query): boolean {
	return a.by !== b.by || a.ownFirst !== b.ownFirst || a.states !== b.states || a.threadKeys !== b.threadKeys
		|| a.javaOnly !== b.javaOnly || a.native !== b.native;
}
