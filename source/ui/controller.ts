import type {Snapshot, TargetVitals} from '../model/snapshot.js';
import type {SnapshotSource} from '../model/source.js';
import {headingOf, type Column} from '../query/column.js';
import {lately, overall, type Lately} from '../query/lately.js';
import {effectiveUnit} from '../query/scope.js';
import {summarize} from '../query/summary.js';
import type {Query} from '../query/types.js';
import {
	baselineOf, noPast, remember, reset, undoReset, type Past,
} from '../query/window.js';
import {viewOf} from '../views/registry.js';
import type {ViewRow} from '../views/view.js';
import {
	buildFrame, layerLines, layoutFor, type DetailOf,
} from './build-frame.js';
import type {Frame} from './frame.js';
import type {Layout} from './layout.js';
import {press} from './reduce.js';
import type {Effect} from './reduce-menu.js';
import {
	rowsOf, type DetailData, type IdleReason, type ScreenData,
} from './screen-data.js';
import {
	initialState, queryOf, type InitialView, type MenuItem, type UiState,
} from './state.js';
import {followRow, type Surroundings} from './surroundings.js';
import {overhang, placeColumns} from './table-lines.js';
import type {Size} from './terminal.js';
import type {Theme} from './theme.js';
import {Trends} from './trend.js';

/** Writes what is on the screen to a file and says in one line where it is; rejects with an error whose message says why not. */
export type Save = (snapshot: Snapshot, baseline: Snapshot | undefined, query: Query, how: {readonly name?: string; readonly format?: string}) => Promise<string>;

export type ControllerOptions = {
	readonly source: SnapshotSource;
	readonly save: Save;
	/** Formats that `save` knows, the usual one first. */
	readonly saveFormats: readonly MenuItem[];
	/** Why a thread counts as IDLE, for the details. */
	readonly idleReason?: IdleReason;
	readonly view: InitialView & {readonly top?: number};
	/** What is known of the target beside the samples; called once a refresh. */
	vitals(): TargetVitals;
	/** Called when something to be seen changed without a key. */
	onChange(): void;
};

/** What keys leave to the one who holds the terminal. */
export type TerminalEffect = 'quit' | 'redraw' | 'suspend';

/** Joins state, source and queries: reads at each refresh, asks each query once for what is shown, and builds the frame. Knows nothing of terminals. */
export class Controller {
	state: UiState;
	readonly #options: ControllerOptions;
	readonly #trends = new Trends();
	#past: Past = noPast;
	#shown: Snapshot | undefined;
	#newestSamples = 0;
	#vitals: TargetVitals = {};
	#nowMs = Date.now();
	#size: Size = {columns: 80, rows: 24};
	#data: ScreenData | undefined;
	#dataOf: readonly unknown[] = [];
	readonly #details = new Map<string, DetailData | undefined>();

	constructor(options: ControllerOptions) {
		this.#options = options;
		this.state = initialState(options.view);
	}

	/** The snapshot that is shown; undefined before the first. */
	get snapshot(): Snapshot | undefined {
		return this.#shown;
	}

	/** Takes a new snapshot and the target's figures, once every delay. */
	refresh(): void {
		const {source, vitals} = this.#options;
		const {phase} = source.status();
		const snapshot = source.read();
		this.#newestSamples = snapshot?.session.samples ?? 0;
		const isHeld = this.state.isPaused && this.#shown !== undefined;
		if (!isHeld && phase !== 'ended' && phase !== 'failed' && phase !== 'recording') {
			this.#nowMs = Date.now();
			this.#vitals = vitals();
		}

		if (!snapshot || isHeld) {
			return;
		}

		const previous = this.#shown;
		this.#shown = snapshot;
		this.#past = remember(this.#past, snapshot);
		if (previous && previous.session.samples !== snapshot.session.samples) {
			this.#addToTrends(snapshot, previous);
		}
	}

	/** Does what a key asks for; gives back what only the terminal's holder can do. */
	press(key: string, theme: Theme): TerminalEffect | undefined {
		const before = this.state;
		const {state, effect} = press(before, key, this.#surroundings(theme));
		this.state = state;
		if (trendsBreak(before.query, state.query)) {
			this.#trends.clear();
		}

		if (before.isPaused && !state.isPaused) {
			this.refresh();
		}

		return effect && this.#perform(effect);
	}

	/** The screen for this size, from the snapshot that is shown. */
	frame(size: Size, theme: Theme): Frame {
		this.#size = size;
		const data = this.#currentData();
		this.state = followRow(this.state, rowsOf(data).map(({key}) => key), layoutFor(this.state, data, size).tableRows);
		return buildFrame(this.state, data, size, theme, this.#detailOf);
	}

	/** Keeps the last minute of the figure that a column on the screen shows the past of. */
	#addToTrends(snapshot: Snapshot, previous: Snapshot): void {
		const view = viewOf(this.state.view);
		const column = view.columns.find(({past, fromColumns}) => past && this.#size.columns >= fromColumns);
		if (column) {
			const {rows} = view.query(snapshot, previous, {...queryOf(this.state), filter: '', sort: view.sort});
			this.#trends.add(snapshot.session.takenAtMs, rows, row => column.past!(row));
		}
	}

	#perform(effect: Effect): TerminalEffect | undefined {
		const {type} = effect;
		if (type === 'quit' || type === 'redraw' || type === 'suspend') {
			return type;
		}

		if (type === 'save') {
			void this.#save(effect);
		} else if (type === 'sampling') {
			const {source} = this.#options;
			source.setPaused(source.status().phase !== 'paused');
		} else {
			this.#past = type === 'undo-reset' ? undoReset(this.#past) : (this.#shown ? reset(this.#past, this.#shown) : this.#past);
			const resets = this.#past.resets.length;
			this.state = {...this.state, resets, window: resets > 0 ? 'reset' : 'start'};
		}

		return undefined;
	}

	async #save({name, format}: {readonly name?: string; readonly format?: string}): Promise<void> {
		let message: UiState['message'];
		if (this.#shown) {
			try {
				message = {text: await this.#options.save(this.#shown, this.#baseline(), queryOf(this.state), {name, format}), tone: 'plain'};
			} catch (error) {
				message = {text: `not saved: ${error instanceof Error ? error.message : String(error)}`, tone: 'error'};
			}
		} else {
			message = {text: 'nothing to save yet', tone: 'plain'};
		}

		this.state = {...this.state, message};
		this.#options.onChange();
	}

	#baseline(): Snapshot | undefined {
		return this.#shown && baselineOf(this.state.window, this.#past, this.#shown);
	}

	/** Rows and figures of what is shown; asked again only when something they come from changed. */
	#currentData(): ScreenData {
		const {state} = this;
		const baseline = this.#baseline();
		const sources = [this.#shown, baseline, state.query, state.sorts[state.view], state.view];
		if (!this.#data || sources.some((source, index) => source !== this.#dataOf[index])) {
			this.#dataOf = sources;
			this.#details.clear();
			this.#data = {...this.#emptyData(), ...(this.#shown ? this.#query(this.#shown, baseline) : {})};
		}

		this.#data = {...this.#data, ...this.#emptyData()};
		return this.#data;
	}

	#emptyData() {
		return {
			status: this.#options.source.status(),
			vitals: this.#vitals,
			nowMs: this.#nowMs,
			samplesSincePause: Math.max(0, this.#newestSamples - (this.#shown?.session.samples ?? 0)),
			lately: this.#lately(),
			trendOf: (key: string) => this.#trends.of(key),
		};
	}

	#lately(): Lately {
		return this.#shown ? (this.#options.source.status().phase === 'recording' ? overall(this.#shown) : lately(this.#past, this.#shown)) : {};
	}

	#query(snapshot: Snapshot, baseline: Snapshot | undefined): Partial<ScreenData> {
		const query = queryOf(this.state);
		const {top} = this.#options.view;
		const common = {snapshot, baseline, summary: summarize(snapshot, baseline)};
		const view = viewOf(this.state.view);
		const table = view.query(snapshot, baseline, query);
		return {...common, table: {...table, view, rows: table.rows.slice(0, top)}};
	}

	readonly #detailOf: DetailOf = (view, key) => {
		if (!this.#shown) {
			return undefined;
		}

		const id = `${view} ${key}`;
		if (!this.#details.has(id)) {
			this.#details.set(id, this.#detail(this.#shown, view, key));
		}

		return this.#details.get(id);
	};

	#detail(snapshot: Snapshot, id: UiState['view'], key: string): DetailData | undefined {
		const row = this.#data && rowsOf(this.#data).find(candidate => candidate.key === key);
		const view = viewOf(id);
		return {
			view, row, idleReason: this.#options.idleReason, tracer: this.#data?.status.tracer, detail: view.detail(snapshot, this.#baseline(), queryOf(this.state), key, row),
		};
	}

	#surroundings(theme: Theme): Surroundings {
		const {state} = this;
		const data = this.#currentData();
		const layout = layoutFor(state, data, this.#size);
		return {
			...columnsAround(viewOf(state.view).columns, rowsOf(data), layout, state.query),
			rowKeys: rowsOf(data).map(({key}) => key),
			pageRows: layout.tableRows,
			layerLines: layerLines(state, data, layout, theme, this.#detailOf)?.length ?? 0,
			layerPage: layout.layerLines,
			isRecording: this.#options.source.status().phase === 'recording',
			saveFormats: this.#options.saveFormats,
			threadsOf: key => this.#threadsOf(key),
		};
	}

	#threadsOf(key: string): {readonly keys: readonly number[]; readonly label: string} | undefined {
		const data = this.#detailOf(this.state.view, key);
		return data?.row && data.view.threadsOf(data.row, data.detail);
	}
}

function trendsBreak(a: Query, b: Query): boolean {
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
