import {getOrCreate} from '../../model/get-or-create.js';
import type {Snapshot} from '../../model/snapshot.js';
import type {SourceOf, SourceText} from '../../sources/library.js';
import {LookBack} from '../../query/past/look-back.js';
import {findingsOf} from '../../query/summary/findings.js';
import {summarize} from '../../query/summary/summary.js';
import {querySourceLines} from '../../query/detail.js';
import type {SummaryOptions, GroupBy, Location, Query} from '../../query/types/query.js';
import {windowStart, ratesOf, recentRates, type SamplingRates} from '../../query/past/windows.js';
import {viewOf, views} from '../../views/registry.js';
import type {View, ViewRow} from '../../views/common/view.js';
import {indexAt, cpuTrend} from '../../query/past/steps.js';
import {RowTrends} from '../../query/past/row-trends.js';
import {type DetailData, type DetailOf, type IdleReason, type ScreenData, type LocationSource} from './screen-data.js';
import type {Feed} from './session-store.js';
import {queryOf, type MenuItem, type UiState} from './state.js';
import {pastCell} from './time.js';

export type DataOptions = {
	readonly saveFormats: readonly MenuItem[];
	readonly idleReason?: IdleReason;
	readonly sourceOf?: SourceOf;
	readonly top?: number;
};

type Known = Pick<SummaryOptions, 'vitals' | 'canAskForHolders'>;

type Answer = Pick<ScreenData, 'snapshot' | 'baseline' | 'summary' | 'findings' | 'table' | 'past'>;

/** What is on the screen, by the state of the keys and a moment of the session; remembers its last answers. */
export class SessionData {
	readonly #options: DataOptions;
	readonly #trends = new RowTrends();
	readonly #lookBack = new LookBack();
	readonly #answer = remembered<Answer>();
	readonly #whole = remembered<Pick<Answer, 'summary' | 'findings'>>();
	readonly #details = new Map<string, DetailData>();
	readonly #others = new Map<View, readonly ViewRow[]>();

	constructor(options: DataOptions) {
		this.#options = options;
	}

	get saveFormats(): readonly MenuItem[] {
		return this.#options.saveFormats;
	}

	of(state: UiState, feed: Feed): ScreenData {
		const {shown, vitals, nowMs, newestSamples, ring} = feed;
		const query = queryOf(state);
		const answer = this.#query(state, feed);
		const last = answer.past ? indexAt(ring, answer.past.toMs) : ring.windows.length - 1;
		return {
			...answer,
			status: answer.past ? {...feed.status, ...noNotes, ...answer.past.sourceNotes} : feed.status,
			vitals: answer.past?.vitals ?? vitals,
			nowMs,
			ring,
			samplesSincePause: Math.max(0, newestSamples - (answer.snapshot?.session.samples ?? 0)),
			rates: shown ? ratesShown(answer, feed, shown) : {},
			cpuTrend: cpuTrend(ring, last),
			trendOf: key => this.#trends.of(key, viewOf(state.view), query, ring, last),
		};
	}

	detailOf(state: UiState, feed: Feed): DetailOf {
		return (id, key) => {
			const {snapshot, baseline, table} = this.#query(state, feed);
			if (!snapshot) {
				return undefined;
			}

			return getOrCreate(this.#details, `${id} ${key}`, () => {
				const view = viewOf(id);
				const shown = queryOf(state);
				const own = id === state.view && table ? rowWith(key, table.rows) : undefined;
				const query = own ? shown : linkedQuery(shown, view);
				const source = remembered<LocationSource | undefined>();
				const row = own ?? rowWith(key, getOrCreate(this.#others, view, () => view.query(snapshot, baseline, query).rows));
				return {
					view, row, idleReason: this.#options.idleReason, tracer: feed.status.tracer, lineNote: feed.status.lineNote, detail: view.detail(snapshot, baseline, query, key, row),
					source: () => source([], () => row && this.#sourceAt(view.locationOf(row), () => querySourceLines(snapshot, baseline, shown, view.locationOf(row)!))), linkTo: linkTo(shown.by),
				};
			});
		};
	}

	/** The source of a location and the line to open it at, or why there is none. */
	fileOf(location: Location): {readonly text: SourceText; readonly line: number} | {readonly problem: string} {
		const text = this.#options.sourceOf?.(location);
		return text
			? {text, line: location.line}
			: {problem: location.file === '' ? 'the source file of this row is not known' : `no source of ${location.file} found; --source DIR|JAR says where sources are`};
	}

	/** The source of a location and the figures of its lines, unless it does not match what runs. */
	#sourceAt(location: Location | undefined, figures: () => LocationSource['figures']): LocationSource | undefined {
		const text = location && location.line > 0 ? this.#options.sourceOf?.(location) : undefined;
		return text && {text, line: location!.line, figures: text.mismatch === undefined ? figures() : new Map()};
	}

	#query(state: UiState, {shown, starts, ring, vitals, status}: Feed): Answer {
		const cellMs = pastCell(state);
		const past = cellMs === undefined ? undefined : this.#lookBack.window(ring, cellMs, state.spanMs);
		const [snapshot, baseline] = past ? [past.snapshot, past.since] : [shown, shown && windowStart(state.window, starts, shown)];
		const known = {vitals: past?.vitals ?? vitals, canAskForHolders: status.canAskForHolders && status.phase === 'sampling'};
		return this.#answer([snapshot, baseline, state.query, state.sorts[state.view], state.view, known.vitals, known.canAskForHolders, status.lineNote, status.tracer], () => {
			this.#details.clear();
			this.#others.clear();
			return snapshot ? {...this.#answerOf(state, snapshot, baseline, known), past} : {findings: []};
		});
	}

	#answerOf(state: UiState, snapshot: Snapshot, baseline: Snapshot | undefined, known: Known): Answer {
		const view = viewOf(state.view);
		const query = queryOf(state);
		const table = view.query(snapshot, baseline, {...query, summary: {...query.summary!, ...known}});
		// What is shown of the whole target depends on few parts of the query.
		const whole = this.#whole([snapshot, baseline, query.javaOnly, query.native, query.app, known.vitals, known.canAskForHolders], () => (
			{summary: summarize(snapshot, baseline), findings: findingsOf(snapshot, baseline, query, known)}
		));
		return {
			snapshot, baseline, ...whole, table: {...table, view, rows: this.#options.top === undefined ? table.rows : table.rows.slice(0, this.#options.top)},
		};
	}
}

/** Returns a function that makes a new answer only if what it depends on is not what it was at the last call. */
function remembered<Answer>(): (dependsOn: readonly unknown[], make: () => Answer) => Answer {
	let last: {readonly dependsOn: readonly unknown[]; readonly answer: Answer} | undefined;
	return (dependsOn, make) => {
		if (!last || dependsOn.some((value, index) => value !== last!.dependsOn[index])) {
			last = {dependsOn, answer: make()};
		}

		return last.answer;
	};
}

/** What of the status belongs to a moment. */
const noNotes = {note: undefined, lineNote: undefined, tracer: undefined};

function rowWith(key: string, rows: readonly ViewRow[]): ViewRow | undefined {
	return rows.find(row => row.key === key);
}

function ratesShown({past}: Answer, {starts, status}: Feed, shown: Snapshot): SamplingRates {
	if (past) {
		return ratesOf(past.snapshot, past.since);
	}

	return status.phase === 'recording' ? ratesOf(shown, undefined) : recentRates(starts, shown);
}

function linkedQuery(query: Query, {sort}: View): Query {
	return {...query, filter: '', foldPools: false, showIdle: true, sort};
}

function linkTo(by: GroupBy): DetailData['linkTo'] {
	const [threads, locations] = [views.find(({keyOfThread}) => keyOfThread), views.find(({keyOfLocation}) => keyOfLocation)];
	return {
		thread: key => threads && {view: threads.id, key: threads.keyOfThread!(key)},
		location: location => locations && {view: locations.id, key: locations.keyOfLocation!(location, by)},
	};
}
