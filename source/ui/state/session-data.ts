import type {Snapshot} from '../../model/snapshot.js';
import {headingOf, type Column} from '../../query/columns/column.js';
import {lately, overall} from '../../query/lately.js';
import {effectiveUnit} from '../../query/facts/scope.js';
import {summarize} from '../../query/summary.js';
import type {Query} from '../../query/types.js';
import {baselineOf} from '../../query/facts/window.js';
import {viewOf} from '../../views/registry.js';
import type {ViewRow} from '../../views/view.js';
import {layoutFor} from '../text/footer-lines.js';
import {coveringLayer, layerLines, type DetailOf} from '../text/layers.js';
import type {Layout} from '../text/layout.js';
import {overhang, placeColumns} from '../text/table-cells.js';
import type {Size} from '../terminal/terminal.js';
import type {Theme} from '../terminal/theme.js';
import {Trends} from '../text/trend.js';
import {rowsOf, type DetailData, type IdleReason, type ScreenData} from './screen-data.js';
import type {Feed} from './session-store.js';
import {queryOf, type MenuItem, type UiState} from './state.js';
import type {Surroundings} from './surroundings.js';

export type DataOptions = {
	/** Formats that can be saved in, the usual one first. */
	readonly saveFormats: readonly MenuItem[];
	/** Why a thread counts as IDLE, for the details. */
	readonly idleReason?: IdleReason;
	/** Rows shown at most. */
	readonly top?: number;
};

/**
What is on the screen, from the state of the keys and a moment of the session. Remembers its last answers: the same
questions cost nothing.
*/
export class SessionData {
	readonly #options: DataOptions;
	readonly #trends = new Trends();
	#trendsOf: Query | undefined;
	#asked: readonly unknown[] = [];
	#answer: Pick<ScreenData, 'snapshot' | 'baseline' | 'summary' | 'table'> = {};
	readonly #details = new Map<string, DetailData>();

	constructor(options: DataOptions) {
		this.#options = options;
	}

	/**
	Adds what was sampled since the snapshot before to the past of the figure that a column on a screen of this width
	shows the past of.
	*/
	remember(shown: Snapshot, previous: Snapshot | undefined, state: UiState, columns: number): void {
		const view = viewOf(state.view);
		const column = view.columns.find(({past, fromColumns}) => past && columns >= fromColumns);
		if (!previous || !column || previous.session.samples === shown.session.samples) {
			return;
		}

		const query = queryOf(state);
		if (!this.#trendsOf || isOtherFigure(this.#trendsOf, query)) {
			this.#trends.clear();
		}

		this.#trendsOf = query;
		const {rows} = view.query(shown, previous, {...query, filter: '', sort: view.sort});
		this.#trends.add(shown.session.takenAtMs, rows, row => column.past!(row));
	}

	/** Rows and figures. */
	of(state: UiState, feed: Feed): ScreenData {
		const {shown, past, status, vitals, nowMs, newestSamples} = feed;
		const query = queryOf(state);
		return {
			...this.#query(state, feed),
			status,
			vitals,
			nowMs,
			samplesSincePause: Math.max(0, newestSamples - (shown?.session.samples ?? 0)),
			lately: shown ? (status.phase === 'recording' ? overall(shown) : lately(past, shown)) : {},
			trendOf: key => this.#trendsOf && !isOtherFigure(this.#trendsOf, query) ? this.#trends.of(key) : undefined,
		};
	}

	/** Details of rows. */
	detailOf(state: UiState, feed: Feed): DetailOf {
		return (id, key) => {
			const {snapshot, baseline, table} = this.#query(state, feed);
			if (!snapshot) {
				return undefined;
			}

			const name = `${id} ${key}`;
			const view = viewOf(id);
			const row = table?.rows.find(candidate => candidate.key === key);
			const detail = this.#details.get(name) ?? {
				view, row, idleReason: this.#options.idleReason, tracer: feed.status.tracer, detail: view.detail(snapshot, baseline, queryOf(state), key, row),
			};
			this.#details.set(name, detail);
			return detail;
		};
	}

	/** What the keys need to know. */
	around(state: UiState, feed: Feed, size: Size, theme: Theme): Surroundings {
		const data = this.of(state, feed);
		const layout = layoutFor(state, data, size);
		const detailOf = this.detailOf(state, feed);
		const rows = rowsOf(data);
		const layer = coveringLayer(state);
		return {
			...columnsAround(viewOf(state.view).columns, rows, layout, state.query),
			rowKeys: rows.map(({key}) => key),
			rows,
			pageRows: layout.tableRows,
			layerLines: layer
				? layerLines(layer, {
					ui: state, data, layout, theme, detailOf,
				}).length
				: 0,
			layerPage: layout.layerLines,
			isRecording: feed.status.phase === 'recording',
			saveFormats: this.#options.saveFormats,
			threadsOf(key) {
				const found = detailOf(state.view, key);
				return found?.row && found.view.threadsOf(found.row, found.detail);
			},
		};
	}

	#query(state: UiState, {shown, past}: Feed): Pick<ScreenData, 'snapshot' | 'baseline' | 'summary' | 'table'> {
		const baseline = shown && baselineOf(state.window, past, shown);
		const asked = [shown, baseline, state.query, state.sorts[state.view], state.view];
		if (asked.some((value, index) => value !== this.#asked[index])) {
			this.#asked = asked;
			this.#details.clear();
			this.#answer = shown ? this.#answerOf(state, shown, baseline) : {};
		}

		return this.#answer;
	}

	#answerOf(state: UiState, snapshot: Snapshot, baseline: Snapshot | undefined): Pick<ScreenData, 'snapshot' | 'baseline' | 'summary' | 'table'> {
		const view = viewOf(state.view);
		const table = view.query(snapshot, baseline, queryOf(state));
		return {
			snapshot, baseline, summary: summarize(snapshot, baseline), table: {...table, view, rows: table.rows.slice(0, this.#options.top)},
		};
	}
}

/** Whether what was remembered for a query says nothing of another. */
function isOtherFigure(a: Query, b: Query): boolean {
	return a.by !== b.by || a.unit !== b.unit || a.states !== b.states || a.threadKeys !== b.threadKeys;
}

/** What the keys need to know of a view's columns. */
function columnsAround(columns: ReadonlyArray<Column<ViewRow>>, rows: readonly ViewRow[], layout: Layout, query: Query): Pick<Surroundings, 'columns' | 'shownColumns' | 'overhang'> {
	const unit = effectiveUnit(query);
	const placed = placeColumns(columns, layout);
	const shownColumns = placed.map(({column}) => column.id);
	return {
		columns: columns.map(column => {
			const heading = headingOf(column, unit);
			return {id: column.id, sortFigures: column.sortFigures, title: `${column.title}${heading ? ` (${heading})` : ''}${shownColumns.includes(column.id) ? '' : ', not shown'}`};
		}),
		shownColumns,
		overhang: most => overhang(rows, placed, {unit, fullNames: query.fullNames}, most),
	};
}
