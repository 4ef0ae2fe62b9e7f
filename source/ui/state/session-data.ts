import type {Snapshot} from '../../model/snapshot.js';
import type {SourceOf, SourceText} from '../../sources/source-text.js';
import {headingOf, type Column} from '../../query/columns/column.js';
import {
	during, lately, overall, type Lately,
} from '../../query/lately.js';
import {LookBack, type PastWindow} from '../../query/past/look-back.js';
import {effectiveUnit} from '../../query/facts/scope.js';
import {keysOfRows, type RowList} from '../../query/row-list.js';
import {summarize} from '../../query/summary.js';
import {querySourceLines} from '../../query/source-lines.js';
import type {AtAGlance} from '../../query/asked.js';
import type {GroupBy, Place, Query} from '../../query/types.js';
import {baselineOf} from '../../query/facts/window.js';
import {viewOf, views} from '../../views/registry.js';
import type {View, ViewRow} from '../../views/view.js';
import {endedBy} from '../../query/past/steps.js';
import {RowTrends} from '../../query/past/row-trends.js';
import {cpuTrend} from '../../query/past/trend.js';
import {columnsOf} from '../columns/chosen-columns.js';
import {spotAt} from '../mouse/spot.js';
import {layoutFor} from '../text/footer-lines.js';
import {linksOf} from '../text/detail/detail-line.js';
import {
	coveringLayer, layerLines, linesOfDetail, type DetailOf,
} from '../text/layers.js';
import type {Layout} from '../text/layout.js';
import type {ShownSource} from '../text/detail/source-lines.js';
import {overhang, placeColumns} from '../text/table-cells.js';
import type {Size} from '../terminal/terminal.js';
import type {Theme} from '../terminal/theme.js';
import {
	keysOf, rowsOf, type DetailData, type IdleReason, type ScreenData,
} from './screen-data.js';
import type {Feed} from './session-store.js';
import {queryOf, type MenuItem, type UiState} from './state.js';
import {lookedAtCell} from './actions/looking-back.js';
import type {Surroundings} from './surroundings.js';

export type DataOptions = {
	/** Formats that can be saved in, the usual one first. */
	readonly saveFormats: readonly MenuItem[];
	/** Why a thread counts as IDLE, for the details. */
	readonly idleReason?: IdleReason;
	/** Finds the source of a place. */
	readonly sourceOf?: SourceOf;
	/** Rows shown at most. */
	readonly top?: number;
};

type Answer = Pick<ScreenData, 'snapshot' | 'baseline' | 'summary' | 'table' | 'past'> & {readonly past?: PastWindow};

/**
What is on the screen, from the state of the keys and a moment of the session. Remembers its last answers: the same
questions cost nothing.
*/
export class SessionData {
	readonly #options: DataOptions;
	readonly #trends = new RowTrends();
	readonly #lookBack = new LookBack();
	#asked: readonly unknown[] = [];
	#answer: Answer = {};
	readonly #details = new Map<string, DetailData>();
	readonly #others = new Map<View, RowList<ViewRow>>();

	constructor(options: DataOptions) {
		this.#options = options;
	}

	/** Rows and figures. */
	of(state: UiState, feed: Feed): ScreenData {
		const {shown, status, vitals, nowMs, newestSamples, ring} = feed;
		const query = queryOf(state);
		const answer = this.#query(state, feed);
		const last = answer.past ? endedBy(ring, answer.past.toMs) : ring.windows.length - 1;
		return {
			...answer,
			status,
			vitals: answer.past?.vitals ?? vitals,
			nowMs,
			ring,
			samplesSincePause: Math.max(0, newestSamples - (answer.snapshot?.session.samples ?? 0)),
			lately: shown ? latelyOf(answer, feed, shown) : {},
			cpuTrend: cpuTrend(ring, last),
			trendOf: key => this.#trends.of(key, viewOf(state.view), query, ring, last),
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
			const known = this.#details.get(name);
			if (known) {
				return known;
			}

			const shown = queryOf(state);
			const own = id === state.view && table ? rowWith(key, table.rows) : undefined;
			const query = own ? shown : linkedQuery(shown, view);
			const row = own ?? rowWith(key, this.#rowsOf(view, () => view.query(snapshot, baseline, query).rows));
			const detail: DetailData = {
				view, row, idleReason: this.#options.idleReason, tracer: feed.status.tracer, detail: view.detail(snapshot, baseline, query, key, row),
				source: once(() => row && this.#sourceAt(view.placeOf(row), () => querySourceLines(snapshot, baseline, shown, view.placeOf(row)!))), linkTo: linkTo(shown.by),
			};
			this.#details.set(name, detail);
			return detail;
		};
	}

	/** The source of a place and the line to open it at, or why there is none. */
	fileOf(place: Place): {readonly text: SourceText; readonly line: number} | {readonly problem: string} {
		const text = this.#options.sourceOf?.(place);
		return text
			? {text, line: place.line}
			: {problem: place.file === '' ? 'it is not known which file this is' : `no source of ${place.file} found; --source DIR|JAR says where sources are`};
	}

	/** What the keys need to know. */
	around(state: UiState, feed: Feed, size: Size, theme: Theme): Surroundings {
		const data = this.of(state, feed);
		const layout = layoutFor(state, data, size);
		const detailOf = this.detailOf(state, feed);
		const rows = rowsOf(data);
		const layer = coveringLayer(state);
		const behind = {
			ui: state, data, layout, theme, detailOf,
		};
		return {
			...columnsAround(viewOf(state.view).columns, columnsOf(state.view, state.columns), rows, {layout, query: state.query}),
			rowKeys: keysOf(data),
			rows,
			pageRows: layout.tableRows,
			layerLines: layer ? layerLines(layer, behind).length : 0,
			layerPage: layout.layerLines,
			isRecording: feed.status.phase === 'recording',
			traceNote: feed.status.traceNote,
			holders: feed.status.canAskForHolders && feed.status.phase === 'sampling' ? {heapBytes: feed.vitals.heapUsedBytes, heapBytesAtMost: feed.vitals.heapCapacityBytes} : undefined,
			ring: feed.ring,
			window: data.snapshot && {snapshot: data.snapshot, baseline: data.baseline},
			saveFormats: this.#options.saveFormats,
			links: layer?.kind === 'detail' ? linksOf(linesOfDetail(layer, behind)) : [],
			placeOf(view, key) {
				const found = detailOf(view, key);
				return found?.row && found.view.placeOf(found.row);
			},
			spotAt: (line, column) => spotAt(line, column, {ui: state, data, layout}),
			threadsOf(key) {
				const found = detailOf(state.view, key);
				return found?.row && found.view.threadsOf(found.row, found.detail);
			},
		};
	}

	/** The source of a place, as far as it fits. */
	#sourceAt(place: Place | undefined, figures: () => ShownSource['figures']): ShownSource | undefined {
		const text = place && place.line > 0 ? this.#options.sourceOf?.(place) : undefined;
		return text && {text, line: place!.line, figures: text.misfit === undefined ? figures() : new Map()};
	}

	/** Rows of a view that is not shown, or that the filter hides; asked for once. */
	#rowsOf(view: View, query: () => RowList<ViewRow>): RowList<ViewRow> {
		const rows = this.#others.get(view) ?? query();
		this.#others.set(view, rows);
		return rows;
	}

	#query(state: UiState, {shown, past, ring, vitals, status: {canAskForHolders, phase}}: Feed): Answer {
		const cellMs = lookedAtCell(state);
		const looked = cellMs === undefined ? undefined : this.#lookBack.window(ring, cellMs, state.spanMs);
		const [snapshot, baseline] = looked ? [looked.snapshot, looked.baseline] : [shown, shown && baselineOf(state.window, past, shown)];
		const asked = [snapshot, baseline, state.query, state.sorts[state.view], state.view];
		if (asked.some((value, index) => value !== this.#asked[index])) {
			this.#asked = asked;
			this.#details.clear();
			this.#others.clear();
			this.#answer = snapshot ? {...this.#answerOf(state, snapshot, baseline, {vitals: looked?.vitals ?? vitals, canAskForHolders: canAskForHolders && phase === 'sampling'}), past: looked} : {};
		}

		return this.#answer;
	}

	#answerOf(state: UiState, snapshot: Snapshot, baseline: Snapshot | undefined, known: Pick<AtAGlance, 'vitals' | 'canAskForHolders'>): Answer {
		const view = viewOf(state.view);
		const query = queryOf(state);
		const table = view.query(snapshot, baseline, {...query, atAGlance: {...query.atAGlance!, ...known}});
		const isSameWindow = snapshot === this.#answer.snapshot && baseline === this.#answer.baseline;
		return {
			snapshot, baseline, summary: isSameWindow ? this.#answer.summary : summarize(snapshot, baseline), table: {...table, view, rows: this.#options.top === undefined ? table.rows : table.rows.slice(0, this.#options.top)},
		};
	}
}

function rowWith(key: string, rows: RowList<ViewRow>): ViewRow | undefined {
	const index = keysOfRows(rows).indexOf(key);
	return index === -1 ? undefined : rows.at(index);
}

/** How sampling goes now, went in the window of the past that is looked at, or in all of a recording. */
function latelyOf({past: looked}: Answer, {past, status}: Feed, shown: Snapshot): Lately {
	if (looked) {
		return during(looked.snapshot, looked.baseline);
	}

	return status.phase === 'recording' ? overall(shown) : lately(past, shown);
}

/** Asks when it is first asked, and remembers the answer. */
function once<T>(ask: () => T): () => T {
	let answer: {readonly value: T} | undefined;
	return () => {
		answer ??= {value: ask()};
		return answer.value;
	};
}

/** What a view is asked for a row that something else leads to: whatever the filter says, each thread for itself. */
function linkedQuery(query: Query, {sort}: View): Query {
	return {
		...query, filter: '', foldPools: false, showIdle: true, sort,
	};
}

/** The rows that stand for threads and places. */
function linkTo(by: GroupBy): DetailData['linkTo'] {
	const [threads, places] = [views.find(({keyOfThread}) => keyOfThread), views.find(({keyOfPlace}) => keyOfPlace)];
	return {
		thread: key => threads && {view: threads.id, key: threads.keyOfThread!(key)},
		place: place => places && {view: places.id, key: places.keyOfPlace!(place, by)},
	};
}

/** What the keys need to know of a view's columns. */
function columnsAround(columns: ReadonlyArray<Column<ViewRow>>, chosen: ReadonlyArray<Column<ViewRow>>, rows: RowList<ViewRow>, {layout, query}: {readonly layout: Layout; readonly query: Query}): Pick<Surroundings, 'columns' | 'shownColumns' | 'overhang'> {
	const unit = effectiveUnit(query);
	const placed = placeColumns(chosen, layout);
	const shownColumns = placed.map(({column}) => column.id);
	return {
		columns: columns.map(column => {
			const heading = headingOf(column, unit);
			const name = `${column.title}${heading ? ` (${heading})` : ''}`;
			return {
				id: column.id, sortFigures: column.sortFigures, name, isRest: column.width === 0, title: shownColumns.includes(column.id) ? name : `${name}, not shown`,
			};
		}),
		shownColumns,
		overhang: most => overhang(rows, placed, {unit, fullNames: query.fullNames}, most),
	};
}
