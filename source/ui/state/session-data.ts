import {joined, safe} from '../../util/printable.js';
import {getOrCreate} from '../../util/get-or-create.js';
import type {Snapshot} from '../../model/snapshot.js';
import type {SourceOf, SourceText} from '../../sources/library.js';
import {LookBack, type PastWindow} from '../../query/past/look-back.js';
import {findingsOf} from '../../query/summary/findings.js';
import {isQuiet, renamedText, summarize} from '../../query/summary/summary.js';
import {querySourceLines} from '../../query/detail.js';
import {effectiveUnit} from '../../query/counters/scope.js';
import type {Finding, SummaryOptions, GroupBy, Location, Query} from '../../query/types/query.js';
import {windowStart, ratesOf, recentRates, type SamplingRates} from '../../query/past/windows.js';
import {viewOf, views} from '../../views/view-registry.js';
import type {View, ViewRow} from '../../views/common/view.js';
import {indexAt, cpuTrend} from '../../query/past/steps.js';
import {RecentVitals} from '../../query/past/recent-vitals.js';
import {RowTrends} from '../../query/past/row-trends.js';
import {
	type DetailData, type DetailOf, type IdleReason, type RowLink, type ScreenData, type LocationSource,
} from './screen-data.js';
import type {Feed} from './session-store.js';
import {queryOfView, unfiltered, type MenuItem, type UiState} from './state.js';
import {pastWindowEndMs} from './time.js';

export type DataOptions = {
	readonly saveFormats: readonly MenuItem[];
	readonly idleReason?: IdleReason;
	readonly sourceOf?: SourceOf;
	/** Most rows of a table; by default all. */
	readonly top?: number;
};

type TargetFacts = Pick<SummaryOptions, 'vitals' | 'canAskForHolders' | 'wasQuiet'>;

/** What the query of a window returns. */
type Answer = Pick<ScreenData, 'snapshot' | 'since' | 'summary' | 'findings' | 'table' | 'past'>;

/** Makes the data on the screen from the state of the keys and a moment of the session. Remembers its last answers. */
export class SessionData {
	readonly #options: DataOptions;
	readonly #trends = new RowTrends();
	readonly #recentVitals = new RecentVitals();
	readonly #lookBack = new LookBack();
	/** Whether the program used almost no CPU in the last answer. */
	#wasQuiet = false;
	readonly #answer = memoized<Answer>();
	readonly #summary = memoized<Pick<Answer, 'summary' | 'findings'>>();
	/** Details by view and key of the row. Like `#rowsOfOtherViews`, valid only for the last answer. */
	readonly #details = new Map<string, DetailData>();
	readonly #rowsOfOtherViews = new Map<View, readonly ViewRow[]>();

	constructor(options: DataOptions) {
		this.#options = options;
	}

	get saveFormats(): readonly MenuItem[] {
		return this.#options.saveFormats;
	}

	screenData(state: UiState, feed: Feed): ScreenData {
		const {vitals, nowMs, samplesTaken, ring} = feed;
		const query = queryOfView(state);
		const answer = this.#query(state, feed);
		const lastWindow = answer.past ? indexAt(ring, answer.past.toMs) : ring.windows.length - 1;
		return {
			...answer,
			// The notes of a window of the past replace those of now.
			status: answer.past
				? {...feed.status, note: undefined, lineNote: undefined, tracer: undefined, ...answer.past.sourceNotes}
				: feed.status,
			vitals: answer.past?.vitals ?? vitals,
			nowMs,
			ring,
			samplesSincePause: Math.max(0, samplesTaken - (answer.snapshot?.session.samples ?? 0)),
			rates: samplingRates(answer, feed),
			cpuTrend: cpuTrend(ring, lastWindow),
			recentVitals: this.#recentVitals.upTo(ring, lastWindow),
			trendOf: key => this.#trends.of(key, viewOf(state.view), query, ring, lastWindow),
		};
	}

	detailOf(state: UiState, feed: Feed): DetailOf {
		return (viewId, key) => {
			const {snapshot, since, table, past} = this.#query(state, feed);
			if (!snapshot) {
				return undefined;
			}

			return getOrCreate(this.#details, `${viewId} ${key}`, () => {
				const view = viewOf(viewId);
				const tableQuery = this.#withVitals(queryOfView(state), feed, past);
				const rowOfTable = viewId === state.view && table ? rowWith(key, table.rows) : undefined;
				const query = rowOfTable ? tableQuery : queryOfAnyRow(tableQuery, view);
				const row = rowOfTable
					?? rowWith(
						key,
						getOrCreate(this.#rowsOfOtherViews, view, () => view.query(snapshot, since, query).rows),
					);
				const location = row && view.locationOf(row);
				const source = memoized<LocationSource | undefined>();
				return {
					view,
					row,
					idleReason: this.#options.idleReason,
					tracer: feed.status.tracer,
					lineNote: feed.status.lineNote,
					detail: view.detail(snapshot, since, query, key, row),
					unit: effectiveUnit(query),
					source: () =>
						source(
							[],
							() =>
								location && this.#sourceOf(location, () =>
									querySourceLines(snapshot, since, tableQuery, location)),
						),
					linkTo: linkTo(tableQuery.by),
				};
			});
		};
	}

	/** Returns the row that a finding is about, of a table in which nothing is filtered. */
	rowOfFinding(state: UiState, feed: Feed, finding: Finding | undefined): RowLink | undefined {
		const {snapshot, since, past} = this.#query(state, feed);
		if (!finding || !snapshot) {
			return undefined;
		}

		const links = views.filter(({isAbout}) => isAbout).flatMap((view): RowLink[] => {
			const ofView = this.#withVitals(queryOfView(unfiltered({...state, view: view.id})), feed, past);
			const query = {...ofView, summary: {...ofView.summary!, wasQuiet: this.#wasQuiet}};
			const {rows} = view.query(snapshot, since, query);
			const row = rows.find(each => view.isAbout!(finding, each));
			return row ? [{view: view.id, key: row.key}] : [];
		});
		return links.at(0);
	}

	/** Returns the source of a location and the line to open it at, or why there is none. */
	fileOf(location: Location): {readonly text: SourceText; readonly line: number} | {readonly problem: string} {
		const text = this.#options.sourceOf?.(location);
		return text
			? {text, line: text.line ?? location.line}
			: {
				problem: location.file === ''
					? 'the source file of this row is not known'
					: `no source of ${location.file} found; --source DIR|JAR says where sources are`,
			};
	}

	/** Returns the source of a location; with the figures of its lines, unless it does not match what runs. */
	#sourceOf(location: Location, figures: () => LocationSource['figures']): LocationSource | undefined {
		const text = location.line > 0 ? this.#options.sourceOf?.(location) : undefined;
		// Inlined code has only the figures of this class: none are shown beside its source, which others may call too.
		const hasFigures = text?.mismatch === undefined && text?.line === undefined;
		return text && {text, line: text.line ?? location.line, figures: hasFigures ? figures() : new Map()};
	}

	#query(state: UiState, feed: Feed): Answer {
		const {snapshot: newest, starts, ring, vitals, status} = feed;
		const endMs = pastWindowEndMs(state);
		const past = endMs === undefined ? undefined : this.#lookBack.window(ring, endMs, state.spanMs);
		const [snapshot, since] = past
			? [past.snapshot, past.since]
			: [newest, newest && windowStart(state.window, starts, newest)];
		const target = {
			vitals: past?.vitals ?? vitals,
			canAskForHolders: status.canAskForHolders && status.phase === 'sampling',
			wasQuiet: this.#wasQuiet,
		};
		return this.#answer([
			snapshot,
			since,
			state.query,
			state.sorts[state.view],
			state.view,
			target.vitals,
			target.canAskForHolders,
			status.lineNote,
			status.tracer,
		], () => {
			this.#details.clear();
			this.#rowsOfOtherViews.clear();
			if (!snapshot) {
				return {findings: []};
			}

			const query = this.#withVitals(queryOfView(state), feed, past);
			return {...this.#answerOf({state, query, target}, snapshot, since), past};
		});
	}

	/** Returns the query with the target's figures at the end of the window, and in the minute before. */
	#withVitals(query: Query, {ring, vitals}: Feed, past: PastWindow | undefined): Query {
		const last = past ? indexAt(ring, past.toMs) : ring.windows.length - 1;
		return {...query, vitals: {now: past?.vitals ?? vitals, recent: this.#recentVitals.upTo(ring, last)}};
	}

	#answerOf(
		{state, query, target}: {readonly state: UiState; readonly query: Query; readonly target: TargetFacts},
		snapshot: Snapshot,
		since: Snapshot | undefined,
	): Answer {
		const view = viewOf(state.view);
		const known = {...query, summary: {...query.summary!, ...target}};
		const table = view.query(snapshot, since, known);
		this.#wasQuiet = isQuiet(snapshot, since, known);
		// The figures of the whole target depend on few parts of the query.
		const summary = this.#summary([
			snapshot,
			since,
			query.javaOnly,
			query.native,
			query.app,
			target.vitals,
			target.canAskForHolders,
			target.wasQuiet,
		], () => (
			{summary: summarize(snapshot, since, query), findings: findingsOf(snapshot, since, query, target)}
		));
		const renamed = renamedText(snapshot, query.filter);
		const caption = joined([renamed && safe`${renamed}.`, table.caption ?? safe``].filter(Boolean), safe` `) || undefined;
		const {top = table.rows.length} = this.#options;
		return {snapshot, since, ...summary, table: {...table, view, caption, rows: table.rows.slice(0, top)}};
	}
}

/** Returns a function like useMemo: it makes a new value only if a dependency is not what it was at the last call. */
function memoized<Value>(): (dependencies: readonly unknown[], make: () => Value) => Value {
	let last: {readonly dependencies: readonly unknown[]; readonly value: Value} | undefined;
	return (dependencies, make) => {
		if (!last || dependencies.some((dependency, index) => dependency !== last!.dependencies[index])) {
			last = {dependencies, value: make()};
		}

		return last.value;
	};
}

function rowWith(key: string, rows: readonly ViewRow[]): ViewRow | undefined {
	return rows.find(row => row.key === key);
}

function samplingRates({past}: Answer, {snapshot, starts, status}: Feed): SamplingRates {
	if (past) {
		return ratesOf(past.snapshot, past.since);
	}

	return snapshot
		? (status.phase === 'recording' ? ratesOf(snapshot, undefined) : recentRates(starts, snapshot))
		: {};
}

/** Returns the query that finds any row of a view: nothing is filtered or folded. */
function queryOfAnyRow(query: Query, {sort}: View): Query {
	const summary = {...query.summary!, isOfEachPart: true} as const;
	return {...query, filter: safe``, foldPools: false, showsWaitsForWork: true, sort, summary};
}

function linkTo(by: GroupBy): DetailData['linkTo'] {
	const [threads, locations] = [
		views.find(({keyOfThread}) => keyOfThread),
		views.find(({keyOfLocation}) => keyOfLocation),
	];
	return {
		thread: key => threads && {view: threads.id, key: threads.keyOfThread!(key)},
		location: location => locations && {view: locations.id, key: locations.keyOfLocation!(location, by)},
	};
}
