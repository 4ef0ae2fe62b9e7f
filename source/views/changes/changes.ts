import {fixed, joined, safe, type Printable} from '../../util/printable.js';
import type {Snapshot} from '../../model/snapshot.js';
import {sortRows} from '../../query/columns/sort.js';
import {locationName} from '../../query/counters/location.js';
import {scopeOf} from '../../query/counters/scope.js';
import {percentOf, sampleTicks, shareError, z, sampledMs, windowMs} from '../../query/counters/share.js';
import {filtered, filterOf, type FilterFields} from '../../query/filter/filter.js';
import {countedLines, type CountedLines, type LineRow} from '../../query/counted-lines.js';
import {ofCpu, type Baseline, type Query, type Location} from '../../query/types/query.js';
import {byLocation, figureColumn, locationColumn, textColumn, type Column} from '../../query/columns/column.js';
import {decimals, type Format} from '../../query/columns/format.js';
import type {ViewResult} from '../common/view.js';

/** What a location used per second of sampling, and half the width of the 95 % interval of each rate. */
export type ChangeFigures = {
	/** CPU milliseconds: 1000 is a core. */
	readonly cpuMsPerS: number;
	readonly cpuError: number;
	/** Thread samples in the counted states. */
	readonly ticksPerS: number;
	readonly ticksError: number;
	/** Share of the CPU time, 0..100. */
	readonly cpuPercent: number;
};

/** A row of the Changes view: what a location uses in the window and used in the baseline, and the difference. */
export type ChangeRow = Location & {
	readonly key: string;
	readonly now: ChangeFigures;
	readonly was: ChangeFigures;
	readonly cpuChange: number;
	readonly ticksChange: number;
	/** Half the width of the 95 % interval of each change. */
	readonly cpuError: number;
	readonly ticksError: number;
	readonly kind: 'new' | 'gone' | 'both';
	/** Whether neither change exceeds its error. */
	readonly isNoise: boolean;
};

const perS: Format = {text: value => rate(value), file: value => decimals(value, 3)};
const change: Format = {text: value => signed(value), file: perS.file};
/** Milliseconds per second, of which text has the percentage of a core. */
const core: Format = {text: value => rate(coreOf(value)), file: perS.file};
const coreChange: Format = {text: value => signed(coreOf(value)), file: perS.file};

/** Returns CPU milliseconds per second as a percentage of a core. */
export function coreOf(msPerS: number): number {
	return msPerS / 10;
}

const percent: Format = {text: value => fixed(value, 1), file: perS.file};

/** Change of CPU time that is not little, milliseconds per second: one percent of a core. */
const muchMsPerS = 10;

/** Whether a row is new or gone, and by much: by more than its error and `muchMsPerS`. Such rows come first. */
function isMuchNewOrGone({kind, cpuChange, cpuError}: ChangeRow): boolean {
	return kind !== 'both' && Math.abs(cpuChange) >= Math.max(muchMsPerS, cpuError);
}

export const changeColumns: ReadonlyArray<Column<ChangeRow>> = [
	figureColumn('cpu-change', row => row.cpuChange, coreChange, {
		heading: 'CPU% +/-', title: 'change of CPU', width: 8, fromColumns: 0, sortKeys: ['self', 'total'],
		description: 'CPU time at the location, 100 is one core, more or less than in the baseline; '
			+ 'sorts by how much, either way, what is new or gone and 1 % of a core or more first',
		sortBy: [row => Number(isMuchNewOrGone(row)), row => Math.abs(row.cpuChange), row => Math.abs(row.ticksChange)],
		role: row => row.cpuChange > row.cpuError ? 'hot' : (row.cpuChange < -row.cpuError ? 'waiting' : undefined),
	}),
	figureColumn('cpu-error', row => row.cpuError, core, {
		heading: 'ERR', title: 'error of the CPU change', width: 6, fromColumns: 76,
		description: 'sampling error of that change, 95 % confidence: a smaller change may be chance',
	}),
	figureColumn('cpu-now', row => row.now.cpuMsPerS, core, {
		heading: 'CPU%', title: 'CPU now', width: 6, fromColumns: 60,
		description: 'CPU time in the window, 100 is one core',
	}),
	figureColumn('cpu-was', row => row.was.cpuMsPerS, core, {
		heading: 'WAS', title: 'CPU in the baseline', width: 6, fromColumns: 68,
		description: 'the same in the baseline',
	}),
	figureColumn('ticks-change', row => row.ticksChange, change, {
		heading: 'TCK +/-',
		title: 'change of ticks',
		width: 8,
		fromColumns: 46,
		description:
			'thread samples per second in the counted states, more or less than in the baseline; the baseline\'s are scaled to the sampling rate of the window',
		sortBy: [row => Math.abs(row.ticksChange), row => Math.abs(row.cpuChange)],
	}),
	figureColumn('ticks-error', row => row.ticksError, perS, {
		heading: 'ERR', title: 'error of the change of ticks', width: 6, fromColumns: 130,
		description: 'sampling error of the change of ticks',
	}),
	figureColumn('ticks-now', row => row.now.ticksPerS, perS, {
		heading: 'TCK/s', title: 'ticks now', width: 6, fromColumns: 110,
		description: 'thread samples per second in the window',
	}),
	figureColumn('ticks-was', row => row.was.ticksPerS, perS, {
		heading: 'WAS', title: 'ticks in the baseline', width: 6, fromColumns: 110,
		description: 'the same in the baseline',
	}),
	figureColumn('share-now', row => row.now.cpuPercent, percent, {
		heading: '%NOW', title: 'share now', width: 5, fromColumns: 140,
		description: 'share of the CPU time in the window',
	}),
	figureColumn('share-was', row => row.was.cpuPercent, percent, {
		heading: '%WAS', title: 'share in the baseline', width: 5, fromColumns: 140,
		description: 'share of the CPU time in the baseline',
	}),
	textColumn(
		'change',
		({kind, isNoise}) => joined(
			[kind === 'both' ? safe`` : safe`${kind}`, isNoise ? safe`noise` : safe``].filter(Boolean),
			safe` `,
		),
		{
			heading: 'WHAT',
			title: 'new, gone, noise',
			width: 10,
			fromColumns: 0,
			description:
				'new: not in the baseline; gone: only in the baseline; noise: neither change is more than its sampling error',
			// New rows first, then gone ones, then others; noise last in each kind.
			sortBy: [
				row => (['new', 'gone', 'both'].indexOf(row.kind) * 2) + Number(row.isNoise),
				row => -Math.abs(row.cpuChange),
			],
			role: row => row.isNoise ? 'dim' : 'key',
		},
	),
	locationColumn('place', row => row, {
		heading: 'LINE',
		groupHeadings: {method: 'METHOD', class: 'CLASS'},
		title: 'name',
		width: 0,
		fromColumns: 0,
		sortKeys: ['name'],
		sortBy: byLocation,
		description: 'package.Class.method:line; packages are shortened first',
	}),
];

/** Returns a rate in at most six characters, without its sign: 412, 41.2, 0.4; 12345 becomes 12.3k; empty for NaN. */
export function rate(value: number): Printable {
	const size = Math.abs(value);
	if (Number.isNaN(value)) {
		return safe``;
	}

	return size >= 10_000 ? safe`${fixed((size / 1000), 1)}k` : (size >= 99.95 ? fixed(size, 0) : fixed(size, 1));
}

/** Returns a rate with its sign, without one if it rounds to 0. */
export function signed(value: number): Printable {
	const text = rate(value);
	return text === '0.0' ? text : safe`${value > 0 ? '+' : '-'}${text}`;
}

/** Returns what each location uses per second in the window, less what it used in the baseline; no rows without one. */
export function queryChanges(snapshot: Snapshot, since: Snapshot | undefined, query: Query): ViewResult<ChangeRow> {
	const {baseline} = query;
	const from = baseline && comparedFrom(baseline, snapshot, since);
	if (!baseline || from === snapshot) {
		return {rows: [], allRows: 0};
	}

	const windowQuery: Query = {...query, filter: safe``, baseline: undefined};
	// Thread keys of another session mean other threads.
	const baselineQuery = isOfSession(baseline, snapshot) ? windowQuery : {...windowQuery, threadKeys: undefined};
	const now = new ComparedWindow(snapshot, from, windowQuery);
	const was = new ComparedWindow(baseline.snapshot, baseline.since, baselineQuery);
	const rows = [...new Set([...now.rows.keys(), ...was.rows.keys()])].flatMap(key => {
		const location = (now.rows.get(key) ?? was.rows.get(key))!;
		return changeOf(location, now.figures(key, now.ticksPerS), was.figures(key, now.ticksPerS)) ?? [];
	});
	return {
		rows: sortRows(filtered(rows, filterOf(query.filter), filterFields), changeColumns, query.sort),
		allRows: rows.length,
	};
}

/**
Returns the start of the window that is compared with a baseline: the baseline's end if that is within the window, else
`since`. Returns `snapshot` itself if nothing has been sampled since the baseline.
*/
export function comparedFrom(
	baseline: Baseline,
	snapshot: Snapshot,
	since: Snapshot | undefined,
): Snapshot | undefined {
	const end = baseline.snapshot;
	const isWithin = isOfSession(baseline, snapshot) && end.session.samples > (since?.session.samples ?? 0)
		&& end.session.samples <= snapshot.session.samples;
	return isWithin ? (end.session.samples === snapshot.session.samples ? snapshot : end) : since;
}

/** Whether the baseline is of the snapshot's session, whose snapshots share one dictionary. */
function isOfSession({snapshot: {dictionary}}: Baseline, snapshot: Snapshot): boolean {
	return dictionary.strings === snapshot.dictionary.strings;
}

/** One of the two windows, and what its locations use per second. */
class ComparedWindow {
	readonly rows: ReadonlyMap<string, LineRow>;
	/** Ticks of a thread per second of sampling; 1 for a profile that does not state how many there were. */
	readonly ticksPerS: number;
	readonly #table: CountedLines;
	readonly #sampledMs: number;
	readonly #ticks: number;

	constructor(snapshot: Snapshot, since: Snapshot | undefined, query: Query) {
		// With all work, as what is a row in one window must be one in the other.
		this.#table = countedLines(snapshot, since, query, {...scopeOf(snapshot, ofCpu(query)), work: 'all'});
		this.rows = new Map(this.#table.rows.map(row => [row.key, row]));
		this.#sampledMs = sampledMs(snapshot, since);
		const seconds = windowMs(snapshot, since) / 1000;
		this.#ticks = sampleTicks(snapshot, since) || seconds;
		this.ticksPerS = seconds > 0 ? this.#ticks / seconds : 0;
	}

	/** Returns a location's figures, ticks scaled to `threadTicksPerS`: a different sampling rate is not a change. */
	figures(key: string, threadTicksPerS: number): ChangeFigures {
		const row = this.rows.get(key);
		const {wholeCpuNs, cpuSamples, ticksPerObservation} = this.#table;
		const [cpuNs, ticks] = [row?.selfCpuNs ?? 0, row?.selfTicks ?? 0];
		// A nanosecond per millisecond is a thousandth of a millisecond per second.
		const msPerS = (ns: number) => this.#sampledMs > 0 ? ns / this.#sampledMs / 1000 : 0;
		const perS = (count: number) => this.#ticks > 0 ? count / this.#ticks * threadTicksPerS : 0;
		const percent = percentOf(cpuNs, wholeCpuNs);
		const observations = ticks / ticksPerObservation;
		return {
			cpuMsPerS: msPerS(cpuNs),
			cpuError: msPerS(wholeCpuNs) * shareError(percent, row?.cpuSamples ?? cpuSamples) / 100,
			ticksPerS: perS(ticks),
			// Without observations, all ticks are by time, and their error is unknown.
			ticksError: ticksPerObservation > 0 ? perS(ticksPerObservation * countError(observations)) : Number.NaN,
			cpuPercent: percent,
		};
	}
}

/** Returns half the width of the 95 % interval of a number of random events (the score interval of a Poisson count). */
function countError(count: number): number {
	return z * Math.sqrt(count + (z * z / 4));
}

/** Returns the change of a location; undefined if it was used in neither window. */
function changeOf(
	{className, method, file, line, key}: LineRow,
	now: ChangeFigures,
	was: ChangeFigures,
): ChangeRow | undefined {
	const [cpuChange, ticksChange] = [now.cpuMsPerS - was.cpuMsPerS, now.ticksPerS - was.ticksPerS];
	const [cpuError, ticksError] = [Math.hypot(now.cpuError, was.cpuError), Math.hypot(now.ticksError, was.ticksError)];
	const [isInWindow, isInBaseline] = [now, was].map(({cpuMsPerS, ticksPerS}) => cpuMsPerS > 0 || ticksPerS > 0);
	if (!isInWindow && !isInBaseline) {
		return undefined;
	}

	return {
		className, method, file, line, key, now, was, cpuChange, ticksChange, cpuError, ticksError,
		kind: isInWindow ? (isInBaseline ? 'both' : 'new') : 'gone',
		isNoise: Math.abs(cpuChange) <= cpuError && Math.abs(ticksChange) <= ticksError,
	};
}

const filterFields: FilterFields<ChangeRow> = {
	text: locationName, percent: row => coreOf(row.now.cpuMsPerS),
	cpuMs: row => row.now.cpuMsPerS, ticks: row => row.now.ticksPerS,
};
